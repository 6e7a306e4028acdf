rule: "| continuing | 10, 5 s, 45 min | ... the conversation is told that the request failed, the chat is idle |" (DECISIONS, times)
people: ann
piece: forum
shows: chats, model
model:
    [[model]]
    fail_times = 2
    say = "Fine."

ann: @bot paint
> model sees ann: paint; offered question
> model fails: the model is unavailable: model 1 of the script fails this time
> chat of t1: running for ann, continuing owed
wait 30 seconds
> model sees ann: paint; offered question
> model fails: the model is unavailable: model 1 of the script fails this time
> model sees ann: paint; offered question
> bot posts m2: Fine.
> chat of t1: idle
