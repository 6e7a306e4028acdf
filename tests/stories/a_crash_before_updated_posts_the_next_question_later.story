rule: "updated never reads interaction, so the same code works when FrogBot retries it."
people: ann
piece: forum
shows: records, hooks
script: two_questions.toml

ann: @bot paint
> hook identity of ann, attempt 1
> hook render of q1, attempt 1
> bot posts m2: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m2
crash before updated
ann presses Red on m2
> the host dies before updated
> ann's event gets no answer
> record q1: revision 1, open, still posting, advancing under way, messages m2
ann: /answer 1
> hook identity of ann, attempt 1
> hook rejected of q1, attempt 1
> ann is told: The next question is still posting — try again in a moment.
wait 1 minute
> hook updated of q1 without the interaction, attempt 2
> bot posts m4: Which size? [Small] [Large] [Dismiss]
> record q1: revision 1, open, messages m2 m4
ann: /answer 1
> hook settled of q1, attempt 1
> hook post, attempt 1
> bot edits m2: Answered by ann. Color: Red; Size: Small
> bot edits m4: Answered by ann. Color: Red; Size: Small
> bot posts m6: Red, Small.
> record q1: revision 1, answered by ann, messages m2 m4
