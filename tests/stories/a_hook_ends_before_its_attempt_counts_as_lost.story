# However long it took to write its order: no second attempt begins while the first is under way.
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
platform fails settled (hangs)
store fails next commit of question (slow)
ann: /answer 1
> the store takes long to write chat, question, turn
wait 1 minute
> hook settled of q1, attempt 1
> hook post, attempt 1
> settled fails (hangs)
> bot posts m5: Red it is.
> settled runs out of time
> hook settled of q1, attempt 2
> bot edits m3: Answered by ann. Color: Red
