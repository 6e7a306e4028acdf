rule: "The first valid answer wins. Answers from two tabs or two participants settle once and continue once."
people: ann
crowd: 50
piece: card
shows: records, model
script: paint.toml

ann: @bot paint
> model sees ann: paint; offered question
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m3
everyone presses Blue on m3
> model sees ann: paint / itself: One thing before I begin: + question -> {"answers":[{"header":"Color","selected":["Blue"]}]}; offered question
> bot edits m3: Answered by p1. Color: Blue
> bot posts m4: Blue it is.
> 49 of the crowd sees at once: toast This is out of date.
> record q1: revision 0, answered by p1, messages m3
