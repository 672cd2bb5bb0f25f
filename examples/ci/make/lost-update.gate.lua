-- Both have looked before either stores: one of the two counts is lost, on every run.
local both = BarrierGate("both_have_looked", 2)
at "count;counter = seen + 1" :wait(both)

expect { exit = 1, stdout = "1\n" }
