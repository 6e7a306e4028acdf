# The second call was never posted: it is settled without a card.
rule: "Dismissing one call ends the turn ... the step's other pending calls are errors too" (DECISIONS)
people: ann
piece: forum
shows: records, chats, model
script: two_calls.toml

ann: @bot paint
> model sees ann: paint; offered question
> bot posts m2: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
> record q1: revision 0, open, messages m2
ann: /dismiss
> bot edits m2: Dismissed by ann.
> chat of t1: idle
> record q1: revision 0, dismissed by ann, messages m2
ann: @bot what now?
> model sees ann: paint / itself: question -> error: Dismissed by the user. + question -> error: Cancelled: another question of this step was dismissed. / ann: what now?; offered question
> bot posts m5: You said: what now?
