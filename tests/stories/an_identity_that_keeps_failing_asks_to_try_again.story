rule: "then the person is told to try again" (DECISIONS)
people: ann, bob
piece: forum
shows: records
script: paint.toml

ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m3
platform fails identity 9 times (retry)
bob presses Blue on m3
> identity fails (retry)
> identity fails (retry)
> identity fails (retry)
> identity fails (retry)
> identity fails (retry)
> bob is told: I could not check who you are — try again in a moment.
