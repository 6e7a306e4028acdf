rule: "up to 10 times with exponential backoff"
rule: "Each held interaction also queues the retry again, so a question recovers after a restart or after the retries run out."
people: ann
piece: forum
shows: records
script: two_questions.toml

platform fails updated 11 times (retry)
ann: @bot paint
> bot posts m2: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m2
ann presses Red on m2
> updated fails (retry)
> record q1: revision 1, open, still posting, advancing owed, messages m2
wait 5 hours
> updated fails (retry)
> updated fails (retry)
> updated fails (retry)
> updated fails (retry)
> updated fails (retry)
> updated fails (retry)
> updated fails (retry)
> updated fails (retry)
> updated fails (retry)
> updated fails (retry)
> record q1: revision 1, open, still posting, advancing given up, messages m2
crash
> the host dies
ann: /answer 1
> bot posts m4: Which size? [Small] [Large] [Dismiss]
> ann is told: The next question is still posting — try again in a moment.
> record q1: revision 1, open, messages m2 m4
ann: /answer 1
> bot edits m2: Answered by ann. Color: Red; Size: Small
> bot edits m4: Answered by ann. Color: Red; Size: Small
> bot posts m6: Red, Small.
> record q1: revision 1, answered by ann, messages m2 m4
