-- Both threads have read the count before either of them writes it.

local both = BarrierGate("both_have_counted", 2)
at ("list_add;l->count = index + 1", { thread = "main" }) :wait(both)

expect { exit = 1, stdout = "2 sensors answered, 1 in the list" }
