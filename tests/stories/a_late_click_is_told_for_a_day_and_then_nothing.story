rule: "After an answer, it is kept for 24 hours so late clicks get stale."
people: ann, bob
piece: forum
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
wait 23 hours
ann presses Red on m3
> ann is told: This is out of date.
wait 2 hours
> record q1: gone
ann presses Red on m3
