# What names the bot is taken in without reading first; who handles it asks the store again. A press is refused instead.
rule: "Unavailable" (DESIGN, storage)
people: ann
piece: forum
shows: records
script: paint.toml

store cannot be read 1 time
ann: @bot paint
> the store cannot be read
wait 30 seconds
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m3
store cannot be read 1 time
ann presses Red on m3
> the store cannot be read
> ann's event is refused: try again
redeliver
> bot edits m3: Answered by ann. Color: Red
> bot posts m4: Red it is.
> record q1: revision 0, answered by ann, messages m3
