rule: "Every queue, loop, body and wait has a named limit"
people: ann
piece: forum
shows: chats
model:
    [[model]]
    [[model.call]]
    tool = "weather"

    [[tool]]
    name = "weather"
    description = "Tells the weather"
    returns = { sky = "clear" }

ann: @bot look
> bot posts m2: Sorry, that request failed.
> chat of t1: idle
ann: @bot again
> bot posts m4: Sorry, that request failed.
