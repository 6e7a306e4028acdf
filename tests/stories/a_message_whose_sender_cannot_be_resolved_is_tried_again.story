rule: "| handling a delivered message (identity, access, first step) | 10, 5 s, 45 min | logged, the sender told |" (DECISIONS, times)
people: ann
piece: forum
shows: chats, hooks
script: paint.toml

platform fails identity (hangs)
ann: @bot hello
> hook identity of ann, attempt 1
> identity fails (hangs)
wait 60 seconds
> identity runs out of time
> hook identity of ann, attempt 1
> hook post, attempt 1
> bot posts m2: You said: hello
> chat of t1: idle
