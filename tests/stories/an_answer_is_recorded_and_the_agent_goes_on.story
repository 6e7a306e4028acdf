# The agent asks, somebody answers, the agent goes on.
rule: "Checks access, records the answer, calls settled, and continues the agent"
people: ann, bob
piece: forum
shows: records, chats, model
script: paint.toml

ann: @bot paint the door
> model sees ann: paint the door; offered question
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
> record q1: revision 0, open, messages m3
bob presses Blue on m3
> model sees ann: paint the door / itself: One thing before I begin: + question -> {"answers":[{"header":"Color","selected":["Blue"]}]}; offered question
> bot edits m3: Answered by bob. Color: Blue
> bot posts m4: Blue it is.
> chat of t1: idle
> record q1: revision 0, answered by bob, messages m3
