rule: "FrogBot rejects an answer that picks an option that was not offered, ... selects more than one option on a single-choice question, or includes custom when the question disallows it."
rule: "When parse rejects an interaction, the answer fails validation ... Show reason to the participant"
people: ann
piece: forum
shows: records
script: paint.toml

ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m3
ann: /answer 7
> ann is told: Reply with a number from 1 to 2.
ann: /answer 1 2
> ann is told: Color: choose only one option
ann: /answer 1 1
> ann is told: Color: "Red" is selected twice
ann: /say teal
> ann is told: Color: choose one of the options
ann: /answer 2
> bot edits m3: Answered by ann. Color: Blue
> bot posts m9: Blue it is.
> record q1: revision 0, answered by ann, messages m3
