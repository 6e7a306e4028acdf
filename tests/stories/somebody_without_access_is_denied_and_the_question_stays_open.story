rule: "A participant who fails gets denied, and the question stays open."
people: ann
strangers: eve
piece: card
shows: records
script: paint.toml

ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m3
eve presses Blue on m3
> eve sees at once: toast You may not answer this.
ann presses Blue on m3
> bot edits m3: Answered by ann. Color: Blue
> bot posts m4: Blue it is.
> record q1: revision 0, answered by ann, messages m3
