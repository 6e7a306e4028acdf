# The card shows all calls of a step.
rule: "An entry that covers several calls gives each call its own record with the same messages."
people: ann, bob
piece: card
shows: records, chats
script: two_calls.toml

ann: @bot paint
> bot posts m2: Which color? [Red] [Blue] [Other…] [Dismiss] | Which size? [Small] [Large] [Other…] [Dismiss]
> chat of t1: awaiting for ann
> record q1: revision 0, open, messages m2
> record q2: revision 0, open, messages m2
bob presses Large on m2
> bot edits m2: Which color? [Red] [Blue] [Other…] [Dismiss] | Answered by bob. Size: Large
> record q2: revision 0, answered by bob, messages m2
bob presses Small on m2
> bob sees at once: toast This is out of date.
ann presses Red on m2
> bot edits m2: Answered by ann. Color: Red | Answered by bob. Size: Large
> bot posts m3: Red, Large.
> chat of t1: idle
> record q1: revision 0, answered by ann, messages m2
