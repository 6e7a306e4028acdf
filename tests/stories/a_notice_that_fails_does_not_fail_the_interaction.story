rule: "A notice ... is ordered by the delivery's own write, told once, logged when it fails, and never fails the interaction." (DECISIONS)
people: ann
strangers: eve
piece: forum
shows: records
script: paint.toml

ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m3
platform fails denied (trap)
eve presses Red on m3
> denied fails (trap)
redeliver
ann presses Red on m3
> bot edits m3: Answered by ann. Color: Red
> bot posts m4: Red it is.
> record q1: revision 0, answered by ann, messages m3
