rule: "A click targets a message that is not the question's current message." -> stale
rule: "A message ID stays linked to its call after it leaves messages"
people: ann
strangers: eve
piece: forum
script: two_questions.toml
shows: records

ann: @bot paint
> bot posts m2: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m2
ann presses Red on m2
> bot posts m3: Which size? [Small] [Large] [Dismiss]
> record q1: revision 1, open, messages m2 m3
# Nobody is asked who they are for that.
eve presses Blue on m2
> eve is told: This is out of date.
