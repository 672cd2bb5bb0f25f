-- The collector (the first child process, p1) takes the first sample before the station has
-- written it. One gate holds in both processes.

local taken = SimpleGate "taken"

at("station;snprintf", { thread = "main", hit = 1 })    :wait(taken)
at("collectro;fflush", { thread = "p1/main", hit = 1 }) :open(taken)

expect { exit = 1, stdout = "sample 1: (empty)" }
