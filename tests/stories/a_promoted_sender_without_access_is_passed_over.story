rule: "promoted and runs as the person who sent it, access checked again (denied: removed, next one promoted)" (DECISIONS)
people: ann, bob, eve
piece: forum
shows: chats, model
script: paint.toml

ann: @bot paint
> model sees ann: paint; offered question
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
eve: mine first
> chat of t1: awaiting for ann, 1 queued
bob: and the window?
> chat of t1: awaiting for ann, 2 queued
configuration removes eve
ann presses Blue on m3
> model sees ann: paint / itself: One thing before I begin: + question -> {"answers":[{"header":"Color","selected":["Blue"]}]}; offered question
> bot edits m3: Answered by ann. Color: Blue
> bot posts m6: Blue it is.
> model sees ann: paint / itself: One thing before I begin: + question -> {"answers":[{"header":"Color","selected":["Blue"]}]} + Blue it is. / bob: and the window?; offered question
> bot posts m7: You said: and the window?
> chat of t1: idle
