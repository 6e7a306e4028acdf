rule: "Unknown (perhaps written; a later read that shows this commit's id settles it)" (DESIGN, storage)
people: ann, bob
piece: forum
shows: records, chats
script: paint.toml

ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
> record q1: revision 0, open, messages m3
store fails next commit of question (unknown, applied)
bob presses Blue on m3
> the store writes chat, delivery, question, turn, and nobody knows
> bot edits m3: Answered by bob. Color: Blue
> bot posts m4: Blue it is.
> chat of t1: idle
> record q1: revision 0, answered by bob, messages m3
