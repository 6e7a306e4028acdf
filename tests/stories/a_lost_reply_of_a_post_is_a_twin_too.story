rule: "what they created is kept: their message ids become older messages of the call and are closed with the rest" (DESIGN, invariants)
people: ann
piece: forum
shows: records
script: paint.toml

platform fails render (reply lost)
ann: @bot paint
> bot posts m2: One thing before I begin:
> render fails (reply lost)
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
wait 10 seconds
> bot posts m4: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m4
ann presses Blue on m4
> bot edits m4: Answered by ann. Color: Blue
> bot posts m5: Blue it is.
> record q1: revision 0, answered by ann, messages m4
ann presses Red on m3
> bot edits m3: Answered by ann. Color: Blue
> ann is told: This is out of date.
> record q1: revision 0, answered by ann, messages m3 m4
