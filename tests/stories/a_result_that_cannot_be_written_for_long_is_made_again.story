# Seven tries, then the turn's lease lapses.
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
store fails next 7 commits of chat (unavailable)
> the store does not write chat, turn
> the store does not write chat, turn
> the store does not write chat, turn
> the store does not write chat, turn
> the store does not write chat, turn
> the store does not write chat, turn
wait 10 seconds
> the store does not write chat, turn
wait 1 minute
> model sees ann: think; offered question
> bot posts m2: Fine.
> chat of t1: idle
