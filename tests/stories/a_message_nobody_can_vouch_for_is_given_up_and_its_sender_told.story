rule: "| handling a delivered message (identity, access, first step) | 10, 5 s, 45 min | logged, the sender told |" (DECISIONS, times)
people: ann
piece: forum
shows: chats
script: paint.toml

platform fails identity 11 times (hangs)
ann: @bot hello
> identity fails (hangs)
wait 6 hours
> identity runs out of time
> identity fails (hangs)
> identity runs out of time
> identity fails (hangs)
> identity runs out of time
> identity fails (hangs)
> identity runs out of time
> identity fails (hangs)
> identity runs out of time
> identity fails (hangs)
> identity runs out of time
> identity fails (hangs)
> identity runs out of time
> identity fails (hangs)
> identity runs out of time
> identity fails (hangs)
> identity runs out of time
> identity fails (hangs)
> identity runs out of time
> identity fails (hangs)
> identity runs out of time
> bot posts m2: Sorry, that request failed.
ann: @bot hello
> bot posts m4: You said: hello
> chat of t1: idle
