rule: "Closing and continuing are owed side by side." (DESIGN)
people: ann
piece: card
shows: records, chats
script: two_calls.toml

ann: @bot paint
> bot posts m2: Which color? [Red] [Blue] [Other…] [Dismiss] | Which size? [Small] [Large] [Other…] [Dismiss]
> chat of t1: awaiting for ann
> record q1: revision 0, open, messages m2
> record q2: revision 0, open, messages m2
platform fails settled (slow)
ann presses Dismiss on m2
> settled fails (slow)
> bot edits m2: Which color? [Red] [Blue] [Other…] [Dismiss] | Dismissed.
> ann's event is acknowledged after 2.5 s
> chat of t1: idle
> record q1: revision 0, dismissed by ann, closing under way, messages m2
> record q2: revision 0, cancelled, messages m2
wait 10 seconds
> bot edits m2: Dismissed by ann. | Dismissed.
> record q1: revision 0, dismissed by ann, messages m2
