rule: "questions[].header: Short label, 1 to 30 characters, unique within the call."
people: ann
piece: forum
shows: model
model:
    [[model]]
    when = { result = { tool = "question", error_contains = "unique" } }
    say = "I asked badly."

    [[model]]
    [[model.call]]
    tool = "question"
    [[model.call.input.questions]]
    header = "Color"
    question = "Which color?"
    options = [{ label = "Red" }]
    [[model.call.input.questions]]
    header = "Color "
    question = "Which other?"
    options = [{ label = "Red" }]

ann: @bot paint
> model sees ann: paint; offered question
> model sees ann: paint / itself: question -> error: Invalid input: two questions have the header "Color": make headers unique.; offered question
> bot posts m2: I asked badly.
