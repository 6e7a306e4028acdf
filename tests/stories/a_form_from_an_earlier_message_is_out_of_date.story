rule: "A form submission comes from a message that is not the current message." -> stale
rule: "otherwise the form locator"
people: ann, bob
piece: card
shows: records
script: two_questions.toml

ann: @bot paint
> bot posts m2: Which color? [Red] [Blue] [Other…] [Dismiss]
> record q1: revision 0, open, messages m2
ann presses Other… on m2
> ann sees the form f1: Which color?
> record q1: revision 1, open, messages m2
bob presses Blue on m2
> bot edits m2: Which size? [Small] [Large] [Other…] [Dismiss]
> record q1: revision 2, open, messages m2
ann submits "Teal" in f1
> ann sees at once: in the form This is out of date.
bob presses Other… on m2
> bob sees the form f2: Which size?
> record q1: revision 3, open, messages m2
bob submits "" in f2
> bob sees at once: in the form Size: the typed answer is empty
bob submits "Tiny" in f2
> bot edits m2: Answered by bob. Color: Blue; Size: Tiny
> bot posts m3: Blue, Tiny.
> record q1: revision 3, answered by bob, messages m2
ann submits "Teal" in f1
> ann sees at once: in the form This is out of date.
