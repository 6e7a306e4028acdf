rule: "A click that cannot get its turn is told so; it is never dropped without a word." and nobody else waits for it
people: ann, bob
piece: forum
shows: chats, hooks
script: paint.toml

ann: @bot hello
> hook identity of ann, attempt 1
> hook post, attempt 1
> bot posts m2: You said: hello
> chat of t1: idle
platform fails identity (hangs)
bob: first
> hook identity of bob, attempt 1
> identity fails (hangs)
wait 17 seconds
> identity runs out of time
ann: second
> hook post, attempt 1
> bot posts m5: You said: second
wait 1 minute
> hook identity of bob, attempt 1
> hook post, attempt 1
> bot posts m6: You said: first
