rule: "Bad input gets a clear error that names what is wrong and what to do" (what a platform refuses to show nobody can answer)
people: ann
piece: forum
shows: model, chats
model:
    [[model]]
    when = { result = { tool = "question", error_contains = "cannot be asked here" } }
    say = "Then I choose red."

    [[model]]
    when = { text_contains = "paint" }
    [[model.call]]
    tool = "question"
    [[model.call.input.questions]]
    header = "Color"
    question = "Which color?"
    options = [{ label = "Red" }, { label = "Blue" }]

platform fails render (refused)
ann: @bot paint
> model sees ann: paint; offered question
> render fails (refused)
> model sees ann: paint / itself: question -> error: This cannot be asked here: the story says so; offered question
> bot posts m2: Then I choose red.
> chat of t1: idle
