rule: "An identity that fails is no ruling: tried again within the time there is, then the person is told to try again; nobody is called denied because a platform was slow." (DECISIONS)
people: ann, bob
piece: forum
shows: records
script: paint.toml

ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m3
platform fails identity 1 time (retry)
bob presses Blue on m3
> identity fails (retry)
> bot edits m3: Answered by bob. Color: Blue
> bot posts m4: Blue it is.
> record q1: revision 0, answered by bob, messages m3
