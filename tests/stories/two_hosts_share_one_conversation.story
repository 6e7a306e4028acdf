# Events go to the hosts in turn.
rule: "two hosts: one turn, one posting, one continuation"
people: ann, bob
hosts: 2
piece: forum
shows: records, chats, model
script: paint.toml

at once: ann: @bot paint; bob: @bot hello
> model sees ann: paint; offered question
> bot posts m3: One thing before I begin:
> bot posts m4: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann, 1 queued
> record q1: revision 0, open, messages m4
at once: ann presses Blue on m4; bob presses Red on m4
> model sees ann: paint / itself: One thing before I begin: + question -> {"answers":[{"header":"Color","selected":["Blue"]}]}; offered question
> model sees ann: paint / itself: One thing before I begin: + question -> {"answers":[{"header":"Color","selected":["Blue"]}]} + Blue it is. / bob: hello; offered question
> bot edits m4: Answered by ann. Color: Blue
> bot posts m5: Blue it is.
> bob is told: This is out of date.
> bot posts m6: You said: hello
> chat of t1: idle
> record q1: revision 0, answered by ann, messages m4
