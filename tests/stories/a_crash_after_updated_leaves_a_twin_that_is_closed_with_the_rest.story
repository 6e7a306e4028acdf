rule: "a twin that still happens is closed like the rest" (DECISIONS)
people: ann
piece: forum
shows: records
script: two_questions.toml

ann: @bot paint
> bot posts m2: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m2
crash after updated
ann presses Red on m2
> bot posts m3: Which size? [Small] [Large] [Dismiss]
> the host dies after updated
> ann's event gets no answer
> record q1: revision 1, open, still posting, advancing under way, messages m2
wait 1 minute
> bot posts m4: Which size? [Small] [Large] [Dismiss]
> record q1: revision 1, open, messages m2 m4
ann presses Small on m3
> ann is told: This is out of date.
> record q1: revision 1, open, messages m3 m2 m4
ann presses Large on m4
> bot edits m3: Answered by ann. Color: Red; Size: Large
> bot edits m2: Answered by ann. Color: Red; Size: Large
> bot edits m4: Answered by ann. Color: Red; Size: Large
> bot posts m5: Red, Large.
> record q1: revision 1, answered by ann, messages m3 m2 m4
