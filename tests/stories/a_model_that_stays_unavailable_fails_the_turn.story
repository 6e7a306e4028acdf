rule: "unfinished calls become errors, the conversation is told that the request failed, the chat is idle" (DECISIONS, times)
people: ann
piece: forum
shows: chats
model:
    [[model]]
    fail_times = 11
    say = "Fine."

ann: @bot paint
> chat of t1: running for ann, continuing owed
wait 6 hours
> bot posts m2: Sorry, that request failed.
> chat of t1: idle
ann: @bot again
> bot posts m4: Fine.
