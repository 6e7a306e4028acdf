rule: "A running turn holds a lease ... When it lapses, the wake repairs the chat" (DECISIONS)
people: ann
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
wait 1 minute
> model sees ann: think; offered question
wait 3 minutes
> bot posts m2: Fine.
> chat of t1: idle
