rule: "If an answer was recorded but its question was not closed ... the next interaction calls settled again ..., then calls stale."
people: ann, bob
piece: forum
shows: records, hooks
script: paint.toml

platform fails settled (refused)
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
> settled fails (refused)
> bot posts m4: Blue it is.
> record q1: revision 0, answered by bob, closing given up, messages m3
wait 2 hours
ann presses Red on m3
> hook settled of q1, attempt 1
> bot edits m3: Answered by bob. Color: Blue
> hook stale of q1, attempt 1
> ann is told: This is out of date.
> record q1: revision 0, answered by bob, messages m3
