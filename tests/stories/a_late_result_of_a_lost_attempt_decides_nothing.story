# The first attempt's result can be written only when the second is under way.
rule: "Results that do not carry the current attempt number decide nothing" (DESIGN, invariants)
people: ann
piece: forum
shows: model, chats
model:
    [[model]]
    say = "Fine."
    takes_ms = 58000

ann: @bot think
> model sees ann: think; offered question
> chat of t1: running for ann, continuing under way
store fails next 2 commits of lease (unavailable)
store fails next 6 commits of chat (unavailable)
wait 90 seconds
> the store does not write lease
> the store does not write lease
> the store does not write chat, turn
> the store does not write chat, turn
> the store does not write chat, turn
> the store does not write chat, turn
> the store does not write chat, turn
> the store does not write chat, turn
> model sees ann: think; offered question
wait 1 minute
> bot posts m2: Fine.
> chat of t1: idle
