-- The program dies when the log has been emptied and the new snapshot is not in place yet.

local shown = SimpleGate "shown"
at "//in-place"  :wait(shown)
at "show;unlink" :open(shown)

expect { signal = "SIGKILL" }
