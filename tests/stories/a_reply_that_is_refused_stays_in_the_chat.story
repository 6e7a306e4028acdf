rule: "| replying | 10, 5 s, 45 min | logged and counted; the text stays in the chat |" (DECISIONS, times)
people: ann
piece: forum
shows: chats, model
script: paint.toml

platform fails post (refused)
ann: @bot hello
> model sees ann: hello; offered question
> post fails (refused)
> chat of t1: idle
ann: @bot again
> model sees ann: hello / itself: You said: hello / ann: again; offered question
> bot posts m3: You said: again
