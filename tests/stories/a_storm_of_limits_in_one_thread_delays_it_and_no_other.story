rule: "a `429` storm in one channel: the card still closes, once, new posts there wait, other channels do not notice" (the issue of the Slack piece)
# Without the platform's word the attempts of this series would be ten minutes apart by then.
people: ann, bob
piece: forum
shows: records
script: paint.toml

ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m3
platform limits t1 for 11 minutes
bob presses Blue on m3
> the platform refuses settled in t1 and says when to come back
> the platform refuses post in t1 and says when to come back
> record q1: revision 0, answered by bob, closing owed, messages m3
ann in t2: @bot paint
> bot posts m5 in t2: One thing before I begin:
> bot posts m6 in t2: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m6
bob presses Red on m6
> bot edits m6: Answered by bob. Color: Red
> bot posts m7 in t2: Red it is.
> record q1: revision 0, answered by bob, messages m6
wait 10 minutes
wait 1 minute
> bot edits m3: Answered by bob. Color: Blue
> bot posts m8: Blue it is.
wait 12 seconds
