-- Each teller has its first lock before either asks for its second.

local each_has_one = BarrierGate("each_has_one", 2)
at "tranfser;pthread_mutex_lock(&to->lock)" :wait(each_has_one)

expect { deadlock = true }
