rule: "`429` and `Retry-After` are kept … closing edits first" (DESIGN); an attempt that the platform put off is made when it said
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
platform limits t1 for 9 seconds
bob presses Blue on m3
> hook identity of bob, attempt 1
> hook settled of q1, attempt 1
> hook post, attempt 1
> the platform refuses settled in t1 and says when to come back
> the platform refuses post in t1 and says when to come back
> record q1: revision 0, answered by bob, closing owed, messages m3
wait 6 seconds
wait 6 seconds
> hook settled of q1, attempt 2
> hook post, attempt 2
> bot edits m3: Answered by bob. Color: Blue
> bot posts m4: Blue it is.
> record q1: revision 0, answered by bob, messages m3
