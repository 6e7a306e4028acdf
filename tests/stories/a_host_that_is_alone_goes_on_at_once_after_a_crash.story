rule: "On SQLite a host is alone: at start it brings forward whatever its former self left running." (DECISIONS, times)
people: ann, bob
hosts: alone
piece: forum
shows: records, chats, model
script: paint.toml

crash before identity
ann: @bot paint
> the host dies before identity
> model sees ann: paint; offered question
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
> record q1: revision 0, open, messages m3
crash after commit of question
bob presses Blue on m3
> the host dies after it wrote chat, delivery, question, turn
> bob's event gets no answer
> model sees ann: paint / itself: One thing before I begin: + question -> {"answers":[{"header":"Color","selected":["Blue"]}]}; offered question
> bot edits m3: Answered by bob. Color: Blue
> bot posts m4: Blue it is.
> chat of t1: idle
> record q1: revision 0, answered by bob, messages m3
crash before post
ann: @bot hello
> model sees ann: paint / itself: One thing before I begin: + question -> {"answers":[{"header":"Color","selected":["Blue"]}]} + Blue it is. / ann: hello; offered question
> the host dies before post
> bot posts m6: You said: hello
