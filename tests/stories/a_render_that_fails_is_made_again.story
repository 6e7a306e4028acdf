rule: "| posting (render) | 10, 5 s, 45 min | the next message in the conversation opens a new series |" (DECISIONS, times)
people: ann
piece: forum
shows: chats, hooks
script: paint.toml

platform fails render 2 times (trap)
ann: @bot paint
> hook identity of ann, attempt 1
> hook post, attempt 1
> bot posts m2: One thing before I begin:
> hook render of q1, attempt 1
> render fails (trap)
> chat of t1: awaiting for ann, posting owed
wait 6 seconds
> hook render of q1, attempt 2
> render fails (trap)
wait 15 seconds
> hook render of q1, attempt 3
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
ann presses Red on m3
> hook settled of q1, attempt 1
> hook post, attempt 1
> bot edits m3: Answered by ann. Color: Red
> bot posts m4: Red it is.
> chat of t1: idle
