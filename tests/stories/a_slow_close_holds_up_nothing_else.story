rule: "Neither a turn of the model nor a call to the platform holds up either" (DESIGN, ingress)
people: ann, bob
piece: forum
shows: records, chats
script: paint.toml

ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
> record q1: revision 0, open, messages m3
platform holds settled
ann: /answer 1
> bot posts m5: Red it is.
> chat of t1: idle
> record q1: revision 0, answered by ann, closing under way, messages m3
bob: and the window?
> bot posts m7: You said: and the window?
platform goes on
> bot edits m3: Answered by ann. Color: Red
> record q1: revision 0, answered by ann, messages m3
