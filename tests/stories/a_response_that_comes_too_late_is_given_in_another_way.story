rule: "if its answer comes too late it is called once more with that possibility gone, so that nobody is left without a word" (DESIGN, ingress)
people: ann, bob
piece: card
shows: hooks
script: two_questions.toml

ann: @bot paint
> hook identity of ann, attempt 1
> hook render of q1, attempt 1
> bot posts m2: Which color? [Red] [Blue] [Other…] [Dismiss]
platform fails updated (slow)
bob presses Other… on m2
> hook identity of bob, attempt 1
> hook updated of q1, attempt 1
> updated fails (slow)
> bob's event is acknowledged after 2.5 s
wait 5 seconds
> hook updated of q1, attempt 1
> bob sees the form f1: Which color?
bob presses Blue on m2
> hook updated of q1, attempt 1
> bot edits m2: Which size? [Small] [Large] [Other…] [Dismiss]
platform fails stale (slow)
bob presses Red on m2
> hook stale of q1, attempt 1
> stale fails (slow)
> bob's event is acknowledged after 2.5 s
wait 10 seconds
> hook stale of q1, attempt 1
> bob is told: This is out of date.
