rule: "A running turn holds a lease (60 s, renewed every 20 s, in a document of its own)." (DECISIONS)
people: ann
hosts: 2
piece: forum
shows: chats, model
model:
    [[model]]
    say = "Fine."
    takes_ms = 300000

ann: @bot think
> model sees ann: think; offered question
> chat of t1: running for ann, continuing under way
wait 10 minutes
> bot posts m2: Fine.
> chat of t1: idle
