rule: "two hosts: one turn, one posting, one continuation"
people: ann
hosts: 2
piece: forum
shows: records, hooks
script: paint.toml

crash before render
ann: @bot paint
> hook identity of ann, attempt 1
> hook post, attempt 1
> bot posts m2: One thing before I begin:
> the host dies before render
wait 1 minute
> hook render of q1, attempt 2
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m3
crash before settled
ann presses Red on m3
> hook identity of ann, attempt 1
> the host dies before settled
> ann's event gets no answer
> record q1: revision 0, answered by ann, closing under way, messages m3
wait 2 minutes
> hook settled of q1, attempt 2
> bot edits m3: Answered by ann. Color: Red
> hook post, attempt 1
> bot posts m4: Red it is.
> record q1: revision 0, answered by ann, messages m3
