rule: "FrogBot then logs the error and runs updated again as a job, up to 10 times with exponential backoff starting at 5 seconds. The job has no interaction"
people: ann
piece: forum
shows: records, hooks
script: two_questions.toml

platform fails updated 2 times (retry)
ann: @bot paint
> hook identity of ann, attempt 1
> hook render of q1, attempt 1
> bot posts m2: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m2
ann presses Red on m2
> hook updated of q1, attempt 1
> updated fails (retry)
> record q1: revision 1, open, still posting, advancing owed, messages m2
wait 6 seconds
> hook updated of q1 without the interaction, attempt 2
> updated fails (retry)
wait 15 seconds
> hook updated of q1 without the interaction, attempt 3
> bot posts m3: Which size? [Small] [Large] [Dismiss]
> record q1: revision 1, open, messages m2 m3
ann presses Small on m3
> hook settled of q1, attempt 1
> hook post, attempt 1
> bot edits m2: Answered by ann. Color: Red; Size: Small
> bot edits m3: Answered by ann. Color: Red; Size: Small
> bot posts m4: Red, Small.
> record q1: revision 1, answered by ann, messages m2 m3
