local each_has_one = BarrierGate("each_has_one", 2)
at "transfer;pthread_mutex_lock(&to->lock)" :wait(each_has_one)

expect { deadlock = true }
