rule: "where the platform supports a client id or nonce use it" (DECISIONS)
people: ann
piece: forum, recognises repeats
shows: records
script: paint.toml

crash after render
ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> the host dies after render
wait 1 minute
> record q1: revision 0, open, messages m3
ann presses Blue on m3
> bot edits m3: Answered by ann. Color: Blue
> bot posts m4: Blue it is.
> record q1: revision 0, answered by ann, messages m3
