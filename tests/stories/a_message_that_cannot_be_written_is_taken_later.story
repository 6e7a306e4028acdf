rule: "nothing acknowledged is lost"
people: ann
piece: forum
shows: chats
script: paint.toml

store fails next commit of chat (unknown, lost)
store fails next commit of chat (unavailable)
ann: @bot hello
> the store loses chat, turn, and nobody knows
wait 2 minutes
> the store does not write chat, turn
> bot posts m2: You said: hello
> chat of t1: idle
