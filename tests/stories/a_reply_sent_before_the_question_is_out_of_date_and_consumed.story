rule: "A reply sent before the current question was posted answers an earlier question, so parse returns stale for it."
rule: "A thread reply that returns anything other than ignore is consumed"
people: ann, bob
piece: forum
shows: records, chats
script: two_questions.toml

ann: @bot paint
> bot posts m2: Which color? [Red] [Blue] [Dismiss]
> chat of t1: awaiting for ann
> record q1: revision 0, open, messages m2
platform fails identity (slow)
at once: bob: /answer 1; ann presses Red on m2
> bot posts m4: Which size? [Small] [Large] [Dismiss]
> identity fails (slow)
> record q1: revision 1, open, messages m2 m4
wait 10 seconds
> bob is told: This is out of date.
