rule: "A piece without updated gets the saved state and nothing else."
people: ann
piece: forum
without hooks: updated
shows: records, hooks
script: two_questions.toml

ann: @bot paint
> hook identity of ann, attempt 1
> hook render of q1, attempt 1
> bot posts m2: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m2
ann presses Red on m2
> record q1: revision 1, open, messages m2
ann: /answer 2
> hook settled of q1, attempt 1
> hook post, attempt 1
> bot edits m2: Answered by ann. Color: Red; Size: Large
> bot posts m4: Red, Large.
> record q1: revision 1, answered by ann, messages m2
