rule: "A record expires 30 days after its last change."
people: ann
piece: card
shows: records
script: two_questions.toml

ann: @bot paint
> bot posts m2: Which color? [Red] [Blue] [Other…] [Dismiss]
> record q1: revision 0, open, messages m2
wait 20 days
ann presses Red on m2
> bot edits m2: Which size? [Small] [Large] [Other…] [Dismiss]
> record q1: revision 1, open, messages m2
wait 20 days
ann presses Large on m2
> bot edits m2: Answered by ann. Color: Red; Size: Large
> bot posts m3: Red, Large.
> record q1: revision 1, answered by ann, messages m2
