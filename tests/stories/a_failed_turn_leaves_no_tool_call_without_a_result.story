rule: "else the turn is resumed or closed with the unfinished tool calls as errors" (DECISIONS)
people: ann
piece: forum
shows: model
model:
    [[model]]
    when = { text_contains = "again" }
    say = "Fine."

    [[model]]
    [[model.call]]
    tool = "weather"

    [[tool]]
    name = "weather"
    description = "Tells the weather"
    returns = 1
    fail_times = 11

ann: @bot look
> model sees ann: look; offered weather, question
wait 6 hours
> bot posts m2: Sorry, that request failed.
ann: @bot again
> model sees ann: look / itself: weather -> error: The turn failed before this tool finished. / ann: again; offered weather, question
> bot posts m4: Fine.
