-- The second thread looks when the first one has stored.
local done = SimpleGate "first_is_done"
at("count", {thread = "count#2"}) :wait(done)
at("count%return", {thread = "count#1"}) :open(done)

expect { exit = 0, stdout = "2\n" }
