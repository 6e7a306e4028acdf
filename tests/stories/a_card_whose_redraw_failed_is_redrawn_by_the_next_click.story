rule: "Each held interaction also queues the retry again, so a question recovers after a restart or after the retries run out."
people: ann
piece: card
shows: records
script: two_questions.toml

ann: @bot paint
> bot posts m2: Which color? [Red] [Blue] [Other…] [Dismiss]
> record q1: revision 0, open, messages m2
platform fails updated (refused)
ann presses Red on m2
> updated fails (refused)
> record q1: revision 1, open, still posting, advancing given up, messages m2
wait 1 hour
ann presses Red on m2
> bot edits m2: Which size? [Small] [Large] [Other…] [Dismiss]
> ann sees at once: toast The next question is still posting — try again in a moment.
> record q1: revision 1, open, messages m2
ann presses Small on m2
> bot edits m2: Answered by ann. Color: Red; Size: Small
> bot posts m3: Red, Small.
> record q1: revision 1, answered by ann, messages m2
