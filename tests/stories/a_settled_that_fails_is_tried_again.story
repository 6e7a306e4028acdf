rule: "Every owed effect is retried by its wake time, as the table says, not only updated." (DECISIONS)
people: ann, bob
piece: forum
shows: records, hooks
script: paint.toml

platform fails settled 2 times (retry)
ann: @bot paint
> hook identity of ann, attempt 1
> hook post, attempt 1
> bot posts m2: One thing before I begin:
> hook render of q1, attempt 1
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m3
bob presses Blue on m3
> hook identity of bob, attempt 1
> hook settled of q1, attempt 1
> hook post, attempt 1
> settled fails (retry)
> bot posts m4: Blue it is.
> record q1: revision 0, answered by bob, closing owed, messages m3
wait 6 seconds
> hook settled of q1, attempt 2
> settled fails (retry)
wait 15 seconds
> hook settled of q1, attempt 3
> bot edits m3: Answered by bob. Color: Blue
> record q1: revision 0, answered by bob, messages m3
