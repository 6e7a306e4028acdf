rule: "identity is cached for ten minutes per channel, account and author; a denial asks afresh." (DECISIONS, times)
people: ann, eve
strangers: eve
piece: card
shows: records, hooks
script: paint.toml

ann: @bot paint
> hook identity of ann, attempt 1
> hook post, attempt 1
> bot posts m2: One thing before I begin:
> hook render of q1, attempt 1
> bot posts m3: Which color? [Red] [Blue] [Dismiss]
> record q1: revision 0, open, messages m3
eve presses Blue on m3
> hook identity of eve, attempt 1
> hook denied of q1, attempt 1
> eve sees at once: toast You may not answer this.
platform learns who eve is
# Who is denied and goes on pressing does not ask the platform each time.
eve presses Blue on m3
> hook denied of q1, attempt 1
> eve sees at once: toast You may not answer this.
wait 11 seconds
eve presses Blue on m3
> hook identity of eve, attempt 1
> hook settled of q1, attempt 1
> hook post, attempt 1
> bot edits m3: Answered by eve. Color: Blue
> bot posts m4: Blue it is.
> record q1: revision 0, answered by eve, messages m3
