# However long it took to find out who bob is: the question is read again, and its attempts begin then.
rule: "A hook's limit ends before its attempt's deadline" (DESIGN, invariants)
people: ann, bob
piece: forum
shows: hooks
script: paint.toml

ann: @bot paint
> hook identity of ann, attempt 1
> hook post, attempt 1
> bot posts m2: One thing before I begin:
> hook render of q1, attempt 1
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
platform holds identity
platform fails settled (hangs)
bob: /answer 1
> hook identity of bob, attempt 1
wait 12 seconds
platform goes on
> hook settled of q1, attempt 1
> hook post, attempt 1
> settled fails (hangs)
> bot posts m5: Red it is.
wait 15 seconds
wait 20 seconds
> settled runs out of time
> hook settled of q1, attempt 2
> bot edits m3: Answered by bob. Color: Red
