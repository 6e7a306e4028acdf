rule: "A redelivery of an event gets the outcome of the first one." (DESIGN, invariants)
people: ann
piece: forum
shows: chats, model
script: paint.toml

ann: @bot hello
> model sees ann: hello; offered question
> bot posts m2: You said: hello
> chat of t1: idle
redeliver 5 times
