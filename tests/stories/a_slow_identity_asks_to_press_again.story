rule: "nothing slow between the click and the opening: ... else “press again”, and the second press finds the cache warm" (PITFALLS)
people: ann, bob
piece: card
shows: records
script: paint.toml

ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m3
platform fails identity (slow)
bob presses Blue on m3
> identity fails (slow)
> identity runs out of time
> bob sees at once: toast I could not check who you are — try again in a moment.
bob presses Blue on m3
> bot edits m3: Answered by bob. Color: Blue
> bot posts m4: Blue it is.
> record q1: revision 0, answered by bob, messages m3
