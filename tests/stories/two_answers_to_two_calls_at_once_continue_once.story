rule: "Answers from two tabs or two participants settle once and continue once."
people: ann, bob
hosts: 2
piece: card
shows: records, model
script: two_calls.toml

ann: @bot paint
> model sees ann: paint; offered question
> bot posts m2: Which color? [Red] [Blue] [Other…] [Dismiss] | Which size? [Small] [Large] [Other…] [Dismiss]
> record q1: revision 0, open, messages m2
> record q2: revision 0, open, messages m2
at once: ann presses Red on m2; bob presses Large on m2
> model sees ann: paint / itself: question -> {"answers":[{"header":"Color","selected":["Red"]}]} + question -> {"answers":[{"header":"Size","selected":["Large"]}]}; offered question
> bot edits m2: Answered by ann. Color: Red | Which size? [Small] [Large] [Other…] [Dismiss]
> bot edits m2: Answered by ann. Color: Red | Answered by bob. Size: Large
> bot posts m3: Red, Large.
> record q1: revision 0, answered by ann, messages m2
> record q2: revision 0, answered by bob, messages m2
