rule: "A result that cannot be written is lost, and the attempt's deadline has it made again" (the engine)
people: ann
piece: forum
shows: chats, model
model:
    [[model]]
    say = "Fine."
    takes_ms = 6000

ann: @bot think
> model sees ann: think; offered question
> chat of t1: running for ann, continuing under way
store fails next commit of chat (unknown, lost)
> the store loses chat, turn, and nobody knows
> bot posts m2: Fine.
> chat of t1: idle
wait 10 seconds
