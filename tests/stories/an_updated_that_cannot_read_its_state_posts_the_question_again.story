rule: "one that cannot says so, and the host ... posts the question again with fresh state" (DESIGN, a piece is one file)
people: ann
piece: forum
shows: records
script: two_questions.toml

ann: @bot paint
> bot posts m2: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m2
platform fails updated (retry)
ann presses Red on m2
> updated fails (retry)
> record q1: revision 1, open, still posting, advancing owed, messages m2
piece is replaced by version 2 that cannot read the state
wait 10 seconds
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m2 m3
