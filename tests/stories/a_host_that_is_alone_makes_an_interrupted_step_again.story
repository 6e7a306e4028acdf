rule: "at start it brings forward whatever its former self left running" (DECISIONS, times)
people: ann
hosts: alone
piece: forum
shows: chats, model
model:
    [[model]]
    say = "Fine."
    takes_ms = 90000

ann: @bot think
> model sees ann: think; offered question
> chat of t1: running for ann, continuing under way
wait 50 seconds
crash
> the host dies
> the model's step is stopped
> model sees ann: think; offered question
wait 2 minutes
> bot posts m2: Fine.
> chat of t1: idle
