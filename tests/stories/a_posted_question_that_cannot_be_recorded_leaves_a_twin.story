rule: "what they created is kept: their message ids become older messages of the call and are closed with the rest" (DESIGN, invariants)
people: ann
piece: forum
shows: records, chats
script: paint.toml

store fails next 7 commits of question (unavailable)
ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> the store does not write question, turn
> the store does not write question, turn
> the store does not write question, turn
> the store does not write question, turn
> the store does not write question, turn
> the store does not write question, turn
> the store does not write question, turn
> chat of t1: awaiting for ann, posting under way
wait 1 minute
> bot posts m4: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
> record q1: revision 0, open, messages m4
ann presses Red on m3
> ann is told: This is out of date.
> record q1: revision 0, open, messages m3 m4
ann presses Blue on m4
> bot edits m3: Answered by ann. Color: Blue
> bot edits m4: Answered by ann. Color: Blue
> bot posts m5: Blue it is.
> chat of t1: idle
> record q1: revision 0, answered by ann, messages m3 m4
