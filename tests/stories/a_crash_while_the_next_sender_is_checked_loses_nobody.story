rule: "every owed effect is retried by its wake time" (DECISIONS)
people: ann, bob
piece: forum
shows: chats
script: paint.toml

ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
bob: and the window?
> chat of t1: awaiting for ann, 1 queued
wait 1 hour
ann: /answer 9
> ann is told: Reply with a number from 1 to 2.
crash before identity
ann: /answer 1
> the host dies before identity
> chat of t1: idle, 1 queued, replying under way, promoting under way
wait 1 minute
> bot edits m3: Answered by ann. Color: Red
> bot posts m7: Red it is.
> bot posts m8: You said: and the window?
> chat of t1: idle
