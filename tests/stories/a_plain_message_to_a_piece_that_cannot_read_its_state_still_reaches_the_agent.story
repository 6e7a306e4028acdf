rule: "A thread reply continues as an ordinary message."
people: ann
piece: forum
shows: records, chats
script: two_questions.toml

ann: @bot paint
> bot posts m2: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
> record q1: revision 0, open, messages m2
ann presses Red on m2
> bot posts m3: Which size? [Small] [Large] [Dismiss]
> record q1: revision 1, open, messages m2 m3
piece is replaced by version 2 that cannot read the state
ann: by the way
> bot posts m5: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann, 1 queued
> record q1: revision 0, open, messages m2 m3 m5
ann presses Blue on m5
> bot posts m6: Which size? [Small] [Large] [Dismiss]
> record q1: revision 1, open, messages m2 m3 m5 m6
ann presses Large on m6
> bot edits m2: Answered by ann. Color: Blue; Size: Large
> bot edits m3: Answered by ann. Color: Blue; Size: Large
> bot edits m5: Answered by ann. Color: Blue; Size: Large
> bot edits m6: Answered by ann. Color: Blue; Size: Large
> bot posts m7: Blue, Large.
> bot posts m8: You said: by the way
> chat of t1: idle
> record q1: revision 1, answered by ann, messages m2 m3 m5 m6
