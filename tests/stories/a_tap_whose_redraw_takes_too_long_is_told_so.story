rule: "Still posting (an updated attempt failed, or is still under way when the click's time is over)" (DECISIONS)
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
ann presses Cheese on m2
> ann sees at once: toast The next question is still posting — try again in a moment.
platform goes on
> bot edits m2: Which toppings? [✓ Olives] [Cheese] [Done] [Other…] [Dismiss]
> record q1: revision 1, open, messages m2
