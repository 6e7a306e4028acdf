rule: "A second quick tap on a card that is just being redrawn is not rejected: it waits for the redraw, within its time, and is judged on the result." (DECISIONS)
people: ann
piece: card
shows: records
script: one_of_many.toml

ann: @bot pizza
> bot posts m2: Which toppings? [Olives] [Cheese] [Done] [Other…] [Dismiss]
> record q1: revision 0, open, messages m2
platform holds updated
ann presses Olives on m2
> ann's event is acknowledged after 2.5 s
> record q1: revision 1, open, still posting, advancing under way, messages m2
at once: ann presses Cheese on m2; platform goes on
> bot edits m2: Which toppings? [✓ Olives] [Cheese] [Done] [Other…] [Dismiss]
> bot edits m2: Which toppings? [✓ Olives] [✓ Cheese] [Done] [Other…] [Dismiss]
> record q1: revision 2, open, messages m2
