rule: "how it addresses us (mention, direct, reply to us, none: the host drops “none” unless the conversation has a chat)" (DESIGN, the contract)
people: ann
piece: forum
shows: chats
script: paint.toml

ann whispers: hello
> bot posts m2: You said: hello
> chat of t1: idle
ann in t2: hello
