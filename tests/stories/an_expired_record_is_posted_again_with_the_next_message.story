rule: "A record expires 30 days after its last change. ... A card whose record has expired stops responding; the next message in the conversation posts the question again."
people: ann
piece: forum
shows: records, chats
script: paint.toml

ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
> record q1: revision 0, open, messages m3
wait 29 days
ann: still there?
> chat of t1: awaiting for ann, 1 queued
wait 2 days
> record q1: gone
ann presses Blue on m3
ann: hello?
> bot posts m6: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann, 2 queued
> record q1: revision 0, open, messages m6
# The first card belongs to the new record now that somebody found it.
ann presses Red on m3
> ann is told: This is out of date.
> record q1: revision 0, open, messages m3 m6
ann presses Blue on m6
> bot edits m3: Answered by ann. Color: Blue
> bot edits m6: Answered by ann. Color: Blue
> bot posts m7: Blue it is.
> bot posts m8: You said: still there?
> bot posts m9: You said: hello?
> chat of t1: idle
> record q1: revision 0, answered by ann, messages m3 m6
