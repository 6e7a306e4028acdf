rule: "The first valid answer wins."
rule: "a settled question never reopens and its outcome never changes" (DESIGN, the pure core)
people: ann, bob
hosts: 2
piece: card
shows: records, chats
script: paint.toml

ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
> record q1: revision 0, open, messages m3
at once: ann presses Dismiss on m3; bob presses Blue on m3
> bot edits m3: Dismissed by ann.
> bob sees at once: toast This is out of date.
> chat of t1: idle
> record q1: revision 0, dismissed by ann, messages m3
