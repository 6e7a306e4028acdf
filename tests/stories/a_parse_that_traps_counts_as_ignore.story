rule: "A parse that traps counts as ignore." (DECISIONS)
people: ann
piece: forum
shows: records, chats
script: paint.toml

ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
> record q1: revision 0, open, messages m3
platform fails parse (trap)
ann: /answer 1
> parse fails (trap)
> chat of t1: awaiting for ann, 1 queued
ann: /answer 1
> bot edits m3: Answered by ann. Color: Red
> bot posts m6: Red it is.
> bot posts m7: You said: /answer 1
> chat of t1: idle
> record q1: revision 0, answered by ann, messages m3
