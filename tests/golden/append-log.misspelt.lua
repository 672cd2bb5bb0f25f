-- The program dies when the log has been emptied and the new snapshot is not in place yet.

at "//in-palce" :kill()

expect { signal = "SIGKILL" }
