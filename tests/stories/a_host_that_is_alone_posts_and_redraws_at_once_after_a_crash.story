rule: "at start it brings forward whatever its former self left running" (DECISIONS, times)
people: ann
hosts: alone
piece: forum
shows: records, hooks
script: two_questions.toml

crash before render
ann: @bot paint
> hook identity of ann, attempt 1
> the host dies before render
> hook render of q1, attempt 2
> bot posts m2: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m2
crash before updated
ann presses Red on m2
> hook identity of ann, attempt 1
> the host dies before updated
> ann's event gets no answer
> hook updated of q1 without the interaction, attempt 2
> bot posts m3: Which size? [Small] [Large] [Dismiss]
> record q1: revision 1, open, messages m2 m3
crash before settled
ann: /answer 1
> hook identity of ann, attempt 1
> the host dies before settled
> hook settled of q1, attempt 2
> hook post, attempt 1
> bot edits m2: Answered by ann. Color: Red; Size: Small
> bot edits m3: Answered by ann. Color: Red; Size: Small
> bot posts m5: Red, Small.
> record q1: revision 1, answered by ann, messages m2 m3
