rule: "A step's text is posted before its questions" (the turn)
people: ann
piece: forum
shows: chats
model:
    [[model]]
    when = { result = { tool = "question" } }
    say = "Red.\n\nI begin."

    [[model]]
    say = "First.\n\nSecond."
    [[model.call]]
    tool = "question"
    input = { questions = [{ header = "Color", question = "Which color?", options = [{ label = "Red" }] }] }

platform fails post (retry)
ann: @bot paint
> post fails (retry)
> chat of t1: awaiting for ann, replying owed
wait 10 seconds
> bot posts m2: First.
> bot posts m3: Second.
> bot posts m4: Which color? [Red] [Dismiss]
> chat of t1: awaiting for ann
ann presses Red on m4
> bot edits m4: Answered by ann. Color: Red
> bot posts m5: Red.
> bot posts m6: I begin.
> chat of t1: idle
