rule: "Where notices are public, at most one stale notice per person and card in a minute." (DECISIONS)
people: ann, bob
piece: forum, everybody sees notices
script: paint.toml

ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
bob presses Blue on m3
> bot edits m3: Answered by bob. Color: Blue
> bot posts m4: Blue it is.
ann presses Red on m3
> bot posts m5: @ann This is out of date.
wait 30 seconds
ann presses Red on m3
bob presses Red on m3
> bot posts m6: @bob This is out of date.
wait 40 seconds
ann presses Red on m3
> bot posts m7: @ann This is out of date.
