rule: "Permanent failures (message gone, bot removed, refused) end a series at once." (DECISIONS)
people: ann
piece: forum
shows: records, chats
script: paint.toml

platform fails render (gone)
ann: @bot paint
> bot posts m2: One thing before I begin:
> render fails (gone)
> chat of t1: awaiting for ann, posting given up
wait 1 day
ann: hello?
> bot posts m4: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann, 1 queued
> record q1: revision 0, open, messages m4
platform fails settled (garbage)
ann presses Red on m4
> settled fails (garbage)
> bot posts m5: Red it is.
> bot posts m6: You said: hello?
> chat of t1: idle
> record q1: revision 0, answered by ann, closing owed, messages m4
wait 10 seconds
> bot edits m4: Answered by ann. Color: Red
> record q1: revision 0, answered by ann, messages m4
