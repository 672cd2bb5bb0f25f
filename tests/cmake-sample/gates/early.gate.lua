-- Worker 2 multiplies before worker 1 has set the multiplier: the wrong result, on every run.
local used = SimpleGate "used"
at "calc.c:10" :wait(used)
at("calc.c:18", {after = true}):open(used)

expect { exit = 0, stdout = "6\n" }
