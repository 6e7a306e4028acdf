# The second message waits; the model sees it after the answer to the first.
rule: "stored as queued and not shown to the model" (DECISIONS)
people: ann, bob
piece: forum
shows: model
model:
    [[model]]
    say = "You said: {text}"
    takes_ms = 2000

at once: ann: @bot one; bob: @bot two
> model sees ann: one; offered question
> model sees ann: one / itself: You said: one / bob: two; offered question
> bot posts m3: You said: one
wait 10 seconds
> bot posts m4: You said: two
