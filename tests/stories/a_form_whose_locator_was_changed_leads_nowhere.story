rule: "the host … refuses another channel or account" (DESIGN); a locator that does not verify is handled silently, like a form that is not ours
people: ann
piece: card
shows: records
script: two_questions.toml

ann: @bot paint
> bot posts m2: Which color? [Red] [Blue] [Other…] [Dismiss]
> record q1: revision 0, open, messages m2
ann presses Other… on m2
> ann sees the form f1: Which color?
> record q1: revision 1, open, messages m2
ann submits "Teal" in f1 with a locator of another account
ann submits "Teal" in f1 with a locator that was cut
ann submits "Teal" in f1
> bot edits m2: Which size? [Small] [Large] [Other…] [Dismiss]
> record q1: revision 2, open, messages m2
