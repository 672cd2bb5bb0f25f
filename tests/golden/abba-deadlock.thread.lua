-- Each teller has its first lock before either asks for its second.

local each_has_one = BarrierGate("each_has_one", 2)
at ("transfer;pthread_mutex_lock(&to->lock)", { thread = "teller#1" }) :wait(each_has_one)

expect { deadlock = true }
