rule: "FrogBot uses the submission's related message when the platform reports one"
people: ann
piece: card, forms name their message
script: two_questions.toml

ann: @bot paint
> bot posts m2: Which color? [Red] [Blue] [Other…] [Dismiss]
ann presses Other… on m2
> ann sees the form f1: Which color?
ann submits "Teal" in f1
> bot edits m2: Which size? [Small] [Large] [Other…] [Dismiss]
ann presses Small on m2
> bot edits m2: Answered by ann. Color: Teal; Size: Small
> bot posts m3: Teal, Small.
