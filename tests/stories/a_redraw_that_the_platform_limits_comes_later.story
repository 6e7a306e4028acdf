rule: "“redraw later”, for a toggle or a page turn whose redraw is limited: saved, the newest redraw owed, nobody told that the question is still posting" (DESIGN, the contract)
people: ann
piece: card
shows: records
script: one_of_many.toml

ann: @bot pizza
> bot posts m2: Which toppings? [Olives] [Cheese] [Done] [Other…] [Dismiss]
> record q1: revision 0, open, messages m2
platform fails updated 2 times (limited)
ann presses Olives on m2
> updated fails (limited)
> record q1: revision 1, open, advancing owed, messages m2
ann presses Cheese on m2
> updated fails (limited)
> record q1: revision 2, open, advancing owed, messages m2
wait 5 seconds
> bot edits m2: Which toppings? [✓ Olives] [✓ Cheese] [Done] [Other…] [Dismiss]
> record q1: revision 2, open, messages m2
ann presses Done on m2
> bot edits m2: Answered by ann. Toppings: Olives, Cheese
> bot posts m3: Toppings: Olives, Cheese.
> record q1: revision 2, answered by ann, messages m2
