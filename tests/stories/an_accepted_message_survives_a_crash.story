rule: "An event is durable before it is acknowledged." (DESIGN, invariants)
people: ann
piece: forum
shows: chats
script: paint.toml

crash before identity
ann: @bot hello
> the host dies before identity
wait 1 minute
> bot posts m2: You said: hello
> chat of t1: idle
crash after commit of inbox
ann: @bot again
> the host dies after it wrote delivery, inbox
> ann's event gets no answer
redeliver
wait 1 minute
> bot posts m4: You said: again
