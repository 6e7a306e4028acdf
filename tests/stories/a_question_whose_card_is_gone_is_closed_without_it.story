rule: "Permanent failures (message gone, bot removed, refused) end a series at once." (DECISIONS)
people: ann
piece: forum
shows: records, hooks
script: paint.toml

ann: @bot paint
> hook identity of ann, attempt 1
> hook post, attempt 1
> bot posts m2: One thing before I begin:
> hook render of q1, attempt 1
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m3
platform fails settled (gone)
ann presses Blue on m3
> hook settled of q1, attempt 1
> hook post, attempt 1
> settled fails (gone)
> bot posts m4: Blue it is.
> record q1: revision 0, answered by ann, closing given up, messages m3
wait 1 day
> record q1: gone
