-- The status text is cleared between the two questions of sb_append().

local measured  = SimpleGate "measured"
local shortened = SimpleGate "shortened"

at "main;*cannot start a thread"  :open(measured) :wait(shortened)
at "sb_truncate;pthread_mutex_lock"   :wait(measured)
at "sb_truncate;pthread_mutex_unlock" :open(shortened)

expect { exit = 1, stdout = "append failed: Numerical result out of range" }
