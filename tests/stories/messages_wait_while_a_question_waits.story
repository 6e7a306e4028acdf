rule: "A message that arrives while a turn runs or waits is stored as queued and not shown to the model; when the turn ends the oldest queued message is promoted" (DECISIONS)
rule: "A queued message is never an answer."
people: ann, bob
piece: forum
shows: chats, model
script: paint.toml

ann: @bot paint
> model sees ann: paint; offered question
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
bob: and the window?
> chat of t1: awaiting for ann, 1 queued
ann: quickly please
> chat of t1: awaiting for ann, 2 queued
bob presses Blue on m3
> model sees ann: paint / itself: One thing before I begin: + question -> {"answers":[{"header":"Color","selected":["Blue"]}]}; offered question
> model sees ann: paint / itself: One thing before I begin: + question -> {"answers":[{"header":"Color","selected":["Blue"]}]} + Blue it is. / bob: and the window?; offered question
> model sees ann: paint / itself: One thing before I begin: + question -> {"answers":[{"header":"Color","selected":["Blue"]}]} + Blue it is. / bob: and the window? / itself: You said: and the window? / ann: quickly please; offered question
> bot edits m3: Answered by bob. Color: Blue
> bot posts m6: Blue it is.
> bot posts m7: You said: and the window?
> bot posts m8: You said: quickly please
> chat of t1: idle
