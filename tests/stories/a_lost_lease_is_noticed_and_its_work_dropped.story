# The first attempt goes on after its lease has lapsed; it notices at its next renewal.
rule: "leases are renewed and only save work; every write is a compare-and-set; a lost lease is noticed" (PITFALLS)
people: ann
piece: forum
shows: model, chats
model:
    [[model]]
    say = "Fine."
    takes_ms = 300000

ann: @bot think
> model sees ann: think; offered question
> chat of t1: running for ann, continuing under way
store fails next 2 commits of lease (unavailable)
wait 10 minutes
> the store does not write lease
> the store does not write lease
> model sees ann: think; offered question
> the model's step is stopped
> bot posts m2: Fine.
> chat of t1: idle
