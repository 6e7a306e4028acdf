rule: "When a step contains a client tool call, FrogBot does not run server tools emitted in the same step. They return a skipped result"
people: ann
piece: forum
shows: model
model:
    [[model]]
    when = { result = { tool = "weather", output_contains = "clear" } }
    say = "{answer:Color}, and the sky is clear."

    [[model]]
    when = { calls = 0 }
    [[model.call]]
    tool = "weather"
    [[model.call]]
    tool = "question"
    input = { questions = [{ header = "Color", question = "Which color?", options = [{ label = "Red" }] }] }

    [[model]]
    [[model.call]]
    tool = "weather"

    [[tool]]
    name = "weather"
    description = "Tells the weather"
    returns = { sky = "clear" }

ann: @bot paint
> model sees ann: paint; offered weather, question
> bot posts m2: Which color? [Red] [Dismiss]
ann presses Red on m2
> model sees ann: paint / itself: weather -> error: Skipped: tools do not run in a step that asks a question. Call it again when you have the answer. + question -> {"answers":[{"header":"Color","selected":["Red"]}]}; offered weather, question
> model sees ann: paint / itself: weather -> error: Skipped: tools do not run in a step that asks a question. Call it again when you have the answer. + question -> {"answers":[{"header":"Color","selected":["Red"]}]} + weather -> {"sky":"clear"}; offered weather, question
> bot edits m2: Answered by ann. Color: Red
> bot posts m3: Red, and the sky is clear.
