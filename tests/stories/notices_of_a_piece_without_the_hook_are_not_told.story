rule: "a hook that is not there is not called" (DECISIONS)
people: ann
strangers: eve
piece: forum
without hooks: stale, denied, rejected
script: paint.toml

ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
eve presses Red on m3
ann: /answer 9
ann presses Red on m3
> bot edits m3: Answered by ann. Color: Red
> bot posts m5: Red it is.
ann presses Blue on m3
