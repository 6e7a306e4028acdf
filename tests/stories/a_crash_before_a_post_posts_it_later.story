rule: "Every attempt is on record, with a number and a deadline, before it is made." (DESIGN, invariants)
people: ann
piece: forum
shows: chats
script: paint.toml

crash before render
ann: @bot paint
> bot posts m2: One thing before I begin:
> the host dies before render
> chat of t1: awaiting for ann, posting under way
wait 1 minute
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
