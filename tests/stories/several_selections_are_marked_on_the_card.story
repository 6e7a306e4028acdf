rule: "multiple: Allow more than one selection."
people: ann
piece: card
shows: records
script: one_of_many.toml

ann: @bot pizza
> bot posts m2: Which toppings? [Olives] [Cheese] [Done] [Other…] [Dismiss]
> record q1: revision 0, open, messages m2
ann presses Olives on m2
> bot edits m2: Which toppings? [✓ Olives] [Cheese] [Done] [Other…] [Dismiss]
> record q1: revision 1, open, messages m2
ann presses Cheese on m2
> bot edits m2: Which toppings? [✓ Olives] [✓ Cheese] [Done] [Other…] [Dismiss]
> record q1: revision 2, open, messages m2
ann presses ✓ Olives on m2
> bot edits m2: Which toppings? [Olives] [✓ Cheese] [Done] [Other…] [Dismiss]
> record q1: revision 3, open, messages m2
ann presses Done on m2
> bot edits m2: Answered by ann. Toppings: Cheese
> bot posts m3: Toppings: Cheese.
> record q1: revision 3, answered by ann, messages m2
