rule: "a twin that still happens is closed like the rest" (DECISIONS)
people: ann, bob
piece: forum
shows: records, chats
script: paint.toml

crash after render
ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> the host dies after render
> chat of t1: awaiting for ann, posting under way
# While the lost attempt counts as under way, its card is not on record.
bob presses Blue on m3
> bob is told: The next question is still posting — try again in a moment.
> bob's event is acknowledged after 2.3 s
wait 1 minute
> bot posts m4: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
> record q1: revision 0, open, messages m4
bob presses Red on m3
> bob is told: This is out of date.
> record q1: revision 0, open, messages m3 m4
ann presses Blue on m4
> bot edits m3: Answered by ann. Color: Blue
> bot edits m4: Answered by ann. Color: Blue
> bot posts m5: Blue it is.
> chat of t1: idle
> record q1: revision 0, answered by ann, messages m3 m4
