rule: "They are opt-in per agent."
people: ann
agent: may not ask
shows: model
script: paint.toml

ann: @bot hello
> model sees ann: hello; offered nothing
> bot posts m2: You said: hello
