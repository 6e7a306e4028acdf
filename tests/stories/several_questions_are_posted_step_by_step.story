rule: "When parse returns partial, FrogBot saves the returned state with revision + 1 ... and calls updated"
people: ann
piece: forum
shows: records, hooks
script: two_questions.toml

ann: @bot paint
> hook identity of ann, attempt 1
> hook render of q1, attempt 1
> bot posts m2: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m2
ann presses Red on m2
> hook updated of q1, attempt 1
> bot posts m3: Which size? [Small] [Large] [Dismiss]
> record q1: revision 1, open, messages m2 m3
# An earlier message of the same question is out of date.
ann presses Blue on m2
> hook stale of q1, attempt 1
> ann is told: This is out of date.
ann: /answer 2
> hook settled of q1, attempt 1
> hook post, attempt 1
> bot edits m2: Answered by ann. Color: Red; Size: Large
> bot edits m3: Answered by ann. Color: Red; Size: Large
> bot posts m5: Red, Large.
> record q1: revision 1, answered by ann, messages m2 m3
