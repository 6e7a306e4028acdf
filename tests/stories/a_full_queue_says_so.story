rule: "Every queue, loop, body and wait has a named limit"
people: ann, bob
piece: forum
queue: 1
shows: chats
script: paint.toml

ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
bob: one
> chat of t1: awaiting for ann, 1 queued
bob: two
> bot posts m6: Too many messages are waiting here — please send that again later.
