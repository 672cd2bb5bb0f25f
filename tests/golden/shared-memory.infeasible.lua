-- Worker 2 multiplies before worker 1 has set the multiplier.

local done = SimpleGate "worker2_done"
at "main;moment()" :wait(done)      -- but main has yet to start worker 2
at "calc.c:14" :open(done)          -- until worker 2 has read it

expect { exit = 1, stdout = "6 * 7 = 6" }
