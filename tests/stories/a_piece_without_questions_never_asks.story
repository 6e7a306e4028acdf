rule: "only when the piece defines questions"
people: ann
piece: forum, without questions
shows: model
script: paint.toml

ann: @bot hello
> model sees ann: hello; offered nothing
> bot posts m2: You said: hello
