rule: "If render throws, FrogBot posts the questions again with the next message in the conversation."
people: ann
piece: forum
shows: chats
script: paint.toml

platform fails render (gone)
ann: @bot paint
> bot posts m2: One thing before I begin:
> render fails (gone)
> chat of t1: awaiting for ann, posting given up
wait 3 hours
ann: are you there?
> bot posts m4: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann, 1 queued
ann presses Blue on m4
> bot edits m4: Answered by ann. Color: Blue
> bot posts m5: Blue it is.
> bot posts m6: You said: are you there?
> chat of t1: idle
