rule: "a twin that still happens is closed like the rest" (DECISIONS)
people: ann, bob
piece: card
shows: records
script: two_calls.toml

crash after render
ann: @bot paint
> bot posts m2: Which color? [Red] [Blue] [Other…] [Dismiss] | Which size? [Small] [Large] [Other…] [Dismiss]
> the host dies after render
wait 1 minute
> bot posts m3: Which color? [Red] [Blue] [Other…] [Dismiss] | Which size? [Small] [Large] [Other…] [Dismiss]
> record q1: revision 0, open, messages m3
> record q2: revision 0, open, messages m3
bob presses Red on m2
> bob sees at once: toast This is out of date.
> record q1: revision 0, open, messages m2 m3
# The message is linked to the first call now; its other buttons are those of the second all the same.
bob presses Large on m2
> bob sees at once: toast This is out of date.
> record q2: revision 0, open, messages m2 m3
ann presses Blue on m3
> bot edits m2: Answered by ann. Color: Blue | Which size? [Small] [Large] [Other…] [Dismiss]
> bot edits m3: Answered by ann. Color: Blue | Which size? [Small] [Large] [Other…] [Dismiss]
> record q1: revision 0, answered by ann, messages m2 m3
ann presses Small on m3
> bot edits m2: Answered by ann. Color: Blue | Answered by ann. Size: Small
> bot edits m3: Answered by ann. Color: Blue | Answered by ann. Size: Small
> bot posts m4: Blue, Small.
> record q2: revision 0, answered by ann, messages m2 m3
