-- Worker 2 multiplies before worker 1 has set the multiplier.

local done = SimpleGate "worker2_done"
at "calc.c:7"  :wait(done)          -- worker 1 is held before it sets the multiplier
at "calc.c:32" :open(done)          -- the line of an error

expect { exit = 1, stdout = "6 * 7 = 6" }
