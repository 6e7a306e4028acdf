rule: "The redelivery of the winning click gets the original success, not “already answered”." (DECISIONS)
people: ann, bob
piece: card
shows: records
script: paint.toml

ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m3
bob presses Blue on m3
> bot edits m3: Answered by bob. Color: Blue
> bot posts m4: Blue it is.
> record q1: revision 0, answered by bob, messages m3
redeliver 5 times
ann presses Red on m3
> ann sees at once: toast This is out of date.
redeliver
