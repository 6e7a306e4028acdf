rule: "A turn that ends in failure says so in the conversation, once." (DECISIONS)
people: ann
piece: forum
shows: chats, model
model:
    [[model]]
    when = { text_contains = "paint" }
    refuse = "no"

    [[model]]
    say = "Fine."

ann: @bot paint
> model sees ann: paint; offered question
> model fails: the model refuses: no
> bot posts m2: Sorry, that request failed.
> chat of t1: idle
wait 1 day
ann: @bot hello
> model sees ann: paint / ann: hello; offered question
> bot posts m4: Fine.
