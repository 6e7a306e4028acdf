rule: "Checks access, records the dismissal, calls settled, and stops the turn"
rule: "the call is recorded as a tool error with the text Dismissed by the user., and the chat is ready for the next message"
rule: "their cards are closed at once" (DECISIONS)
people: ann, bob
piece: card
shows: records, chats, model
script: two_calls.toml

ann: @bot paint
> model sees ann: paint; offered question
> bot posts m2: Which color? [Red] [Blue] [Other…] [Dismiss] | Which size? [Small] [Large] [Other…] [Dismiss]
> chat of t1: awaiting for ann
> record q1: revision 0, open, messages m2
> record q2: revision 0, open, messages m2
bob presses Dismiss on m2
> bot edits m2: Dismissed by bob. | Which size? [Small] [Large] [Other…] [Dismiss]
> bot edits m2: Dismissed by bob. | Dismissed.
> chat of t1: idle
> record q1: revision 0, dismissed by bob, messages m2
> record q2: revision 0, cancelled, messages m2
ann: @bot what now?
> model sees ann: paint / itself: question -> error: Dismissed by the user. + question -> error: Cancelled: another question of this step was dismissed. / ann: what now?; offered question
> bot posts m4: You said: what now?
