rule: "A participant who fails gets denied, and the question stays open."
people: ann
strangers: eve
piece: card
shows: records
script: paint.toml

ann: @bot paint
> bot posts m2: One thing before I begin:
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m3
store fails next commit of delivery (slow)
eve presses Blue on m3
> the store takes long to write delivery
> eve's event is acknowledged after 2.5 s
wait 5 seconds
> eve is told: You may not answer this.
