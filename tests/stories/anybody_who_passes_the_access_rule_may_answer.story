rule: "Any participant who passes the agent's access check can answer, not only the person whose message started the turn."
people: ann
strangers: eve
access: actor.user != null || actor.name == "eve"
piece: forum
shows: records
script: paint.toml

ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m3
eve presses Blue on m3
> bot edits m3: Answered by eve. Color: Blue
> bot posts m4: Blue it is.
> record q1: revision 0, answered by eve, messages m3
