rule: "from somebody without access nothing starts and nothing is answered" (DECISIONS, times)
people: ann, robot
strangers: eve
piece: forum
shows: chats, model
script: paint.toml

eve: @bot paint
robot: @bot paint
ann: nobody is meant here
wait 1 day
ann: @bot hello
> model sees ann: hello; offered question
> bot posts m5: You said: hello
> chat of t1: idle
ann: this conversation has a chat now
> model sees ann: hello / itself: You said: hello / ann: this conversation has a chat now; offered question
> bot posts m7: You said: this conversation has a chat now
