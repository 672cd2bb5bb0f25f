-- The main thread asks for the settings when the pointer is there and the time-out is not yet.

local published = SimpleGate "published"
local answered  = SimpleGate "answered"

at("Settings::load;timeout_ = value", { thread = "warmup" }) :open(published) :wait(answered)
at "main;std::puts"             :wait(published)
at "handle_request;std::fflush" :open(answered)

expect { exit = 1, stdout = "request 4711: found, timeout 0 s" }
