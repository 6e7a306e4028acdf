rule: "FrogBot rejects an answer ..." (a multiple has at least one of labels and custom: DECISIONS)
people: ann
piece: card
script: one_of_many.toml

ann: @bot pizza
> bot posts m2: Which toppings? [Olives] [Cheese] [Done] [Other…] [Dismiss]
ann presses Done on m2
> ann sees at once: toast Toppings: choose at least one option
ann presses Cheese on m2
> bot edits m2: Which toppings? [Olives] [✓ Cheese] [Done] [Other…] [Dismiss]
ann presses Done on m2
> bot edits m2: Answered by ann. Toppings: Cheese
> bot posts m3: Toppings: Cheese.
