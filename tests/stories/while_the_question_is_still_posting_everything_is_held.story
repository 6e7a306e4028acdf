rule: "While the question is still posting, an interaction that parse matches to it gets rejected with the reason “The next question is still posting — try again in a moment.”"
rule: "a held reply does not reach the agent. Each held interaction also queues the retry again"
people: ann, bob
piece: forum
shows: records, chats
script: two_questions.toml

platform fails updated 3 times (retry)
ann: @bot paint
> bot posts m2: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
> record q1: revision 0, open, messages m2
ann presses Red on m2
> updated fails (retry)
> record q1: revision 1, open, still posting, advancing owed, messages m2
bob: /answer 1
> updated fails (retry)
> bob is told: The next question is still posting — try again in a moment.
bob: thanks, all
> chat of t1: awaiting for ann, 1 queued
wait 20 seconds
> updated fails (retry)
> bot posts m5: Which size? [Small] [Large] [Dismiss]
> record q1: revision 1, open, messages m2 m5
bob: /answer 1
> bot edits m2: Answered by bob. Color: Red; Size: Small
> bot edits m5: Answered by bob. Color: Red; Size: Small
> bot posts m7: Red, Small.
> bot posts m8: You said: thanks, all
> chat of t1: idle
> record q1: revision 1, answered by bob, messages m2 m5
