rule: "| handling a delivered message (identity, access, first step) | 10, 5 s, 45 min |" (DECISIONS, times)
people: ann, bob
piece: forum
shows: chats, hooks
script: paint.toml

ann: @bot paint
> hook identity of ann, attempt 1
> hook post, attempt 1
> bot posts m2: One thing before I begin:
> hook render of q1, attempt 1
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
bob: and the window?
> hook identity of bob, attempt 1
> chat of t1: awaiting for ann, 1 queued
# What was known of bob is forgotten by then; ann is asked for once more.
wait 1 hour
ann: /answer 9
> hook identity of ann, attempt 1
> hook rejected of q1, attempt 1
> ann is told: Reply with a number from 1 to 2.
platform fails identity 2 times (hangs)
ann: /answer 1
> hook settled of q1, attempt 1
> hook post, attempt 1
> hook identity of bob, attempt 1
> bot edits m3: Answered by ann. Color: Red
> bot posts m7: Red it is.
> identity fails (hangs)
> chat of t1: idle, 1 queued, promoting under way
wait 1 minute
> identity runs out of time
> hook identity of bob, attempt 1
> identity fails (hangs)
> identity runs out of time
> chat of t1: idle, 1 queued, promoting owed
wait 1 minute
> hook identity of bob, attempt 1
> hook post, attempt 1
> bot posts m8: You said: and the window?
> chat of t1: idle
