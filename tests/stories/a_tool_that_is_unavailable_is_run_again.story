rule: "continuing (a model step, or the server tools of one)"
people: ann
piece: forum
shows: model, chats
model:
    [[model]]
    when = { result = { tool = "weather" } }
    say = "I looked."

    [[model]]
    [[model.call]]
    tool = "weather"
    [[model.call]]
    tool = "nobody"

    [[tool]]
    name = "weather"
    description = "Tells the weather"
    returns = { sky = "clear" }
    fail_times = 1

ann: @bot look
> model sees ann: look; offered weather, question
> chat of t1: running for ann, continuing owed
wait 10 seconds
> model sees ann: look / itself: weather -> {"sky":"clear"} + nobody -> error: There is no tool "nobody".; offered weather, question
> bot posts m2: I looked.
> chat of t1: idle
