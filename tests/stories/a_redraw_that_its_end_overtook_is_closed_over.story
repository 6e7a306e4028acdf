# The redraw that Olives began ends after the call did, and draws live controls over the closed card.
rule: "their cards are closed at once" (DECISIONS)
people: ann, bob
piece: card
shows: records
model:
    [[model]]
    when = { text_contains = "pizza" }
    [[model.call]]
    tool = "question"
    [[model.call.input.questions]]
    header = "Size"
    question = "Which size?"
    options = [{ label = "Small" }, { label = "Large" }]
    [[model.call]]
    tool = "question"
    [[model.call.input.questions]]
    header = "Toppings"
    question = "Which toppings?"
    options = [{ label = "Olives" }, { label = "Cheese" }]
    multiple = true

ann: @bot pizza
> bot posts m2: Which size? [Small] [Large] [Other…] [Dismiss] | Which toppings? [Olives] [Cheese] [Done] [Other…] [Dismiss]
> record q1: revision 0, open, messages m2
> record q2: revision 0, open, messages m2
platform holds updated
ann presses Olives on m2
> ann's event is acknowledged after 2.5 s
> record q2: revision 1, open, still posting, advancing under way, messages m2
bob presses Dismiss on m2
> bot edits m2: Dismissed by bob. | Which toppings? [Olives] [Cheese] [Done] [Other…] [Dismiss]
> bot edits m2: Dismissed by bob. | Dismissed.
> record q1: revision 0, dismissed by bob, messages m2
> record q2: revision 1, cancelled, advancing under way, messages m2
platform goes on
> bot edits m2: Dismissed by bob. | Which toppings? [✓ Olives] [Cheese] [Done] [Other…] [Dismiss]
> bot edits m2: Dismissed by bob. | Dismissed.
> record q2: revision 1, cancelled, messages m2
