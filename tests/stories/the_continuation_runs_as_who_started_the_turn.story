rule: "The continuation runs with the identity of the person whose message started the turn; who answered is recorded beside it." (DECISIONS)
people: ann, bob
piece: forum
shows: records, chats
model:
    [[model]]
    when = { result = { tool = "question" } }
    say = "Fine."
    takes_ms = 10000

    [[model]]
    [[model.call]]
    tool = "question"
    input = { questions = [{ header = "Color", question = "Which color?", options = [{ label = "Red" }] }] }

ann: @bot paint
> bot posts m2: Which color? [Red] [Dismiss]
> chat of t1: awaiting for ann
> record q1: revision 0, open, messages m2
bob presses Red on m2
> bot edits m2: Answered by bob. Color: Red
> chat of t1: running for ann, continuing under way
> record q1: revision 0, answered by bob, messages m2
wait 10 seconds
> bot posts m3: Fine.
> chat of t1: idle
