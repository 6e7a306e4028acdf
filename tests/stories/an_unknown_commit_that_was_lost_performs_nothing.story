rule: "If a commit's outcome is unknown, nothing is performed." (DESIGN, invariants)
people: ann, bob
piece: forum
shows: records, chats, hooks
script: paint.toml

ann: @bot paint
> hook identity of ann, attempt 1
> hook post, attempt 1
> bot posts m2: One thing before I begin:
> hook render of q1, attempt 1
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
> record q1: revision 0, open, messages m3
store fails next commit of question (unknown, lost)
bob presses Blue on m3
> hook identity of bob, attempt 1
> the store loses chat, delivery, question, turn, and nobody knows
> bob's event is refused: try again
redeliver
> hook settled of q1, attempt 1
> hook post, attempt 1
> bot edits m3: Answered by bob. Color: Blue
> bot posts m4: Blue it is.
> chat of t1: idle
> record q1: revision 0, answered by bob, messages m3
