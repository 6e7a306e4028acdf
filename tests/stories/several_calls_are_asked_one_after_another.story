# The forum's render covers one call only.
rule: "render may cover only some calls. FrogBot renders the rest once the posted calls are answered"
people: ann, bob
piece: forum
shows: records, chats, model
script: two_calls.toml

ann: @bot paint
> model sees ann: paint; offered question
> bot posts m2: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
> record q1: revision 0, open, messages m2
bob presses Red on m2
> bot edits m2: Answered by bob. Color: Red
> bot posts m3: Which size? [Small] [Large] [Dismiss]
> record q1: revision 0, answered by bob, messages m2
> record q2: revision 0, open, messages m3
ann presses Large on m3
> model sees ann: paint / itself: question -> {"answers":[{"header":"Color","selected":["Red"]}]} + question -> {"answers":[{"header":"Size","selected":["Large"]}]}; offered question
> bot edits m3: Answered by ann. Size: Large
> bot posts m4: Red, Large.
> chat of t1: idle
> record q2: revision 0, answered by ann, messages m3
