rule: "render that returns no message has failed." (DECISIONS)
people: ann
piece: forum
shows: chats
script: paint.toml

platform fails render (no message)
ann: @bot paint
> bot posts m2: One thing before I begin:
> render fails (no message)
> chat of t1: awaiting for ann, posting owed
wait 10 seconds
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
