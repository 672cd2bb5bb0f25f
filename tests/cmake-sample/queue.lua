order "[Queue::pop] -> Queue::push"

expect { exit = 0 }
