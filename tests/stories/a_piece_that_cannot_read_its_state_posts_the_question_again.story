rule: "one that cannot says so, and the host closes the old card and posts the question again with fresh state" (DESIGN, a piece is one file)
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
ann presses Small on m3
> ann is told: This is out of date.
> bot posts m4: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m2 m3 m4
ann presses Blue on m4
> bot posts m5: Which size? [Small] [Large] [Dismiss]
> record q1: revision 1, open, messages m2 m3 m4 m5
ann presses Large on m5
> bot edits m2: Answered by ann. Color: Blue; Size: Large
> bot edits m3: Answered by ann. Color: Blue; Size: Large
> bot edits m4: Answered by ann. Color: Blue; Size: Large
> bot edits m5: Answered by ann. Color: Blue; Size: Large
> bot posts m6: Blue, Large.
> chat of t1: idle
> record q1: revision 1, answered by ann, messages m2 m3 m4 m5
