rule: "| replying | 10, 5 s, 45 min |" (DECISIONS, times)
people: ann
piece: forum
shows: chats
script: paint.toml

crash before post
ann: @bot hello
> the host dies before post
> chat of t1: idle, replying under way
wait 1 minute
> bot posts m2: You said: hello
> chat of t1: idle
