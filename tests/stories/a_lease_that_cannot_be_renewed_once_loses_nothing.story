rule: "A running turn holds a lease (60 s, renewed every 20 s, in a document of its own)." (DECISIONS)
people: ann
piece: forum
shows: model
model:
    [[model]]
    say = "Fine."
    takes_ms = 70000

ann: @bot think
> model sees ann: think; offered question
store cannot be read 1 time
wait 2 minutes
> the store cannot be read
> bot posts m2: Fine.
