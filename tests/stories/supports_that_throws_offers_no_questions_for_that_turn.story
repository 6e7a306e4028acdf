rule: "If supports throws, FrogBot logs the error and does not offer questions for that turn."
people: ann
piece: forum
shows: model
script: paint.toml

platform fails supports (trap)
ann: @bot hello
> supports fails (trap)
> model sees ann: hello; offered nothing
> bot posts m2: You said: hello
ann: @bot hello again
> model sees ann: hello / itself: You said: hello / ann: hello again; offered question
> bot posts m4: You said: hello again
