rule: "A click or form is held until its outcome or the platform's deadline less a margin; then the acknowledgement ... is sent" (DESIGN, ingress)
people: ann, bob
piece: card
shows: records
script: paint.toml

ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m3
store fails next commit of question (slow)
bob presses Blue on m3
> the store takes long to write chat, delivery, question, turn
> bob's event is acknowledged after 2.5 s
wait 5 seconds
> bot edits m3: Answered by bob. Color: Blue
> bot posts m4: Blue it is.
> record q1: revision 0, answered by bob, messages m3
redeliver
