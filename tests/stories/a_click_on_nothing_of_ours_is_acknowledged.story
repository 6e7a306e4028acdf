rule: "Nothing. A thread reply continues as an ordinary message." (ignore)
people: ann
piece: forum
without hooks: stale
shows: chats
script: paint.toml

ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
ann presses Red on m3
> bot edits m3: Answered by ann. Color: Red
> bot posts m4: Red it is.
> chat of t1: idle
wait 2 days
ann presses Blue on m3
ann: /answer 1
> bot posts m6: You said: /answer 1
