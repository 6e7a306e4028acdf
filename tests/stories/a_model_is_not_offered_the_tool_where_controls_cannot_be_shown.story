# A thread that cannot show controls, and a model that calls the withheld tool anyway.
rule: "offers the question tool only when the piece defines questions and supports({ thread }) does not return false"
rule: "If a model calls a withheld tool anyway, the call becomes a tool error and the turn keeps running"
people: ann
piece: forum
no controls in: plain
shows: model, chats
model:
    [[model]]
    when = { result = { tool = "question", error_contains = "not available" } }
    say = "Then I take blue."

    [[model]]
    [[model.call]]
    tool = "question"
    input = { questions = [{ header = "Color", question = "Which?", options = [{ label = "Red" }] }] }

ann in plain: @bot paint
> model sees ann: paint; offered nothing
> model sees ann: paint / itself: question -> error: The question tool is not available in this conversation.; offered nothing
> bot posts m2 in plain: Then I take blue.
> chat of plain: idle
ann: @bot paint
> model sees ann: paint; offered question
> bot posts m4: Which? [Red] [Dismiss]
> chat of t1: awaiting for ann
