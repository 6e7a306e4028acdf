rule: "Unavailable (surely not written)" (DESIGN, storage)
people: ann, bob
piece: forum
shows: records, chats
script: paint.toml

store fails next commit of inbox (unavailable)
ann: @bot paint
> the store does not write delivery, inbox
> ann's event is refused: try again
redeliver
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
> record q1: revision 0, open, messages m3
store fails next commit of question (unavailable)
bob presses Blue on m3
> the store does not write chat, delivery, question, turn
> bob's event is refused: try again
redeliver
> bot edits m3: Answered by bob. Color: Blue
> bot posts m4: Blue it is.
> chat of t1: idle
> record q1: revision 0, answered by bob, messages m3
