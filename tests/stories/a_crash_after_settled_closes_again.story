rule: "If an answer was recorded but its question was not closed, for example because the process stopped during settled"
people: ann, bob
piece: forum
shows: records, hooks
script: paint.toml

ann: @bot paint
> hook identity of ann, attempt 1
> hook post, attempt 1
> bot posts m2: One thing before I begin:
> hook render of q1, attempt 1
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m3
crash after settled
bob presses Blue on m3
> hook identity of bob, attempt 1
> hook settled of q1, attempt 1
> hook post, attempt 1
> bot edits m3: Answered by bob. Color: Blue
> the host dies after settled
> bob's event gets no answer
> record q1: revision 0, answered by bob, closing under way, messages m3
wait 2 minutes
> hook settled of q1, attempt 2
> hook post, attempt 2
> bot posts m4: Blue it is.
> record q1: revision 0, answered by bob, messages m3
