rule: "An answer is only accepted for the conversation the question was posted in."
people: ann
piece: forum
shows: records
script: paint.toml

ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m3
ann in t2: /answer 1
ann in t2: @bot /answer 1
> bot posts m6 in t2: You said: /answer 1
ann: /answer 1
> bot edits m3: Answered by ann. Color: Red
> bot posts m8: Red it is.
> record q1: revision 0, answered by ann, messages m3
