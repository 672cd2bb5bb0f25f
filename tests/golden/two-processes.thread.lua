-- The collector (the first child process, p1) takes the first sample before the station has
-- written it. One gate holds in both processes.

local taken = SimpleGate "taken"

at("station;snprintf", { thread = "main", hit = 1 })    :wait(taken)
at("collector;fflush", { thread = "p2/main", hit = 1 }) :open(taken)

limits { gate = 0.5 }
expect { exit = 1, stdout = "sample 1: (empty)" }
