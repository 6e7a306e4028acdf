rule: "Messages of one conversation are taken in the order of their arrival" (DESIGN, ingress)
people: ann, bob
hosts: 2
piece: forum
shows: chats, model
model:
    [[model]]
    say = "You said: {text}"

ann: @bot hello
> model sees ann: hello; offered question
> bot posts m2: You said: hello
> chat of t1: idle
platform fails identity (slow)
bob: first
> identity fails (slow)
ann: second
> model sees ann: hello / itself: You said: hello / bob: first; offered question
> bot posts m5: You said: first
> model sees ann: hello / itself: You said: hello / bob: first / itself: You said: first / ann: second; offered question
> bot posts m6: You said: second
wait 20 seconds
