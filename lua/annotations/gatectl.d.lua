---@meta gatectl
-- The API of gate scripts, for editors with lua-language-server: add this folder to
-- "Lua.workspace.library", and disable the libraries that gate scripts lack:
--
--	"Lua.runtime.version": "Lua 5.4",
--	"Lua.runtime.builtin": { "io": "disable", "os": "disable", "debug": "disable", "package": "disable" }
--
-- This file is never executed.

---@class Gate
---@field name string
---@field is_open boolean
local gate = {}
function gate:open() end
---Holds the thread; only inside a function given to :run.
function gate:wait() end

---@class GateType
---@field ready fun(self: Gate, hit: Hit): boolean pure: true if the thread may pass now
---@field init? fun(self: Gate, ...)
---@field passed? fun(self: Gate, hit: Hit)
---@field opened? fun(self: Gate)
---@overload fun(name: string, ...): Gate

---@class Thread
---@field id string "main", "worker#1"
---@field name string as set by pthread_setname_np
---@field start string start routine
---@field tid integer
---@field state "held"|"running"|"blocked"|"exited"

---A struct, union, array or pointer of the program. Fields by name, through pointers too; elements
---from 0 on. #, pairs, == (equal address) and tostring work. An object may be kept.
---@class Object
---@field [string] Value
---@field [integer] Value
local object = {}
---Returns the text of a char pointer or array. A field of this name hides the method.
---@return string
function object:string() end
---@return integer
function object:address() end

---NULL is nil; an enum is an integer that has `.name`.
---@alias Value nil|boolean|integer|number|string|Object

---@class Frame
---@field thread Thread
---@field count integer arrivals at this place so far, this one included
---@field file string?
---@field line integer?
---@field func string?
---@field index integer 0: the frame of the arrival
---@field var table<string, Value> locals, arguments, members of `this`, file-scope and global variables; can be set
---@field arg table<integer, Value> number from 0 on
local frame = {}
---@param expression string in C: "q->head->next"
---@return Value
function frame:eval(expression) end
---@param n integer 0: the frame of the arrival
---@return Frame? frame nil if there are fewer frames
function frame:frame(n) end
---@return Backtrace
function frame:backtrace() end
---Runs a function of the program on this thread.
---@param name string
---@param ... Value
---@return Value
function frame:call(name, ...) end

---@class Hit: Frame
---@field ret Value at %return
local hit = {}

---@class BacktraceFrame
---@field func string?
---@field file string?
---@field line integer?
---@field object string? file name of the executable or library
---@field address integer
---@field inlined boolean
---@field signal boolean true for the frame of a signal handler's call

---Innermost frame first; tostring returns a line for each frame.
---@class Backtrace
---@field [integer] BacktraceFrame
---@field cut string? reason why unwinding stopped early

---Strings have this method too, so that a std::string and a char pointer are read alike.
---@param s string
---@return string
function string.string(s) end

---@type {var: table<string, Value>} global variables of the program's first process; can be set
program = {}

---@alias Range integer|{[1]: integer, [2]: integer}
---@alias Signal string|integer "SIGUSR1", "USR1" or a number

---@class AtOptions
---@field thread? string id, start routine, name or function run by a trampoline; * and ? are wildcards
---@field hit? Range
---@field when? string a C expression: only arrivals for which it is true count
---@field after? boolean
---@field optional? boolean

---@class OnOptions
---@field thread? string
---@field hit? Range
---@field optional? boolean
---@field object? string only for "load"
---@field signal? Signal only for "signal"

---@class Place
local place = {}
---@param g Gate
---@return Place
function place:wait(g) end
---@param g Gate|string a gate's name only for on "rest"
---@return Place
function place:open(g) end
---@param f string|fun(hit: Hit): boolean a C expression, or a pure function
---@return Place
function place:when(f) end
---@param f fun(hit: Hit)
---@return Place
function place:run(f) end
---@param name string
---@return Place
function place:event(name) end
---@param text string {expr} is replaced by its value, {{ by a brace
---@return Place
function place:log(text) end
---@param signal? Signal default SIGKILL
---@return Place
function place:kill(signal) end

---The next wait of the statement (condition variable, futex) returns without a signal, once in the run.
---@return Place
function place:spurious() end
---Only for on "rest": matching threads go on, past the gates that hold them.
---@param thread string
---@return Place
function place:release(thread) end

---@param name string
---@return Gate
function SimpleGate(name) end

---@param name string
---@param n integer number of threads that open it
---@param options? {serial: boolean}
---@return Gate
function BarrierGate(name, n, options) end

Gate = {}
---@param name string
---@return GateType
function Gate.type(name) end

---@param location string
---@param options? AtOptions
---@return Place
function at(location, options) end

---@param event "thread-start"|"thread-exit"|"exit"|"fork"|"exec"|"load"|"signal"|"throw"|"rest"
---@param options? OnOptions
---@return Place
function on(event, options) end

---@param text string "a -> b, [c] -> d"
function order(text) end

---Sleeping calls of the statement at `location` return at once, as if they had slept.
---With { till = "rest" }: all sleeping calls of the program last until no thread can move, the earliest first.
---@param location string|{till: "rest"}
---@param options? {thread?: string, hit?: integer|integer[], optional?: boolean}
function elide_sleep(location, options) end

---The argument of a function of expect.
---@class Run
---@field status? integer exit status; nil: the program did not exit
---@field signal? string|integer "SIGABRT"; nil: not ended by a signal
---@field stdout string
---@field stderr string
---@field threads Thread[] all threads of the run, in order of creation
---@field matches fun(self: Run, expression: string): boolean POSIX extended regular expression, on stdout or stderr

---@class Expected
---@field exit? integer
---@field signal? Signal
---@field at? string location of one of the thread's calls at the signal
---@field stdout? string
---@field stderr? string
---@field deadlock? boolean
---@field gate_deadlock? boolean|Gate
---@field livelock? boolean
---@field time_limit? boolean
---@field never_reached? string

---@param t Expected
---@overload fun(f: (fun(run: Run): boolean), meaning?: string)
function expect(t) end

---Ends the run as not as expected, with this text.
---@param text string
function fail(text) end

---Variables of the program's environment; false unsets a variable.
---@param t table<string, string|number|false>
function env(t) end

---The program's arguments, unless the command line gives some.
---@param t (string|number)[]
function args(t) end

---The program's standard input.
---@param text string a file in the script's folder, or a text
function stdin(text) end

---@param t {gate?: number, run?: number} seconds
function limits(t) end

---Only inside a function given to :run.
---@param f fun(hit: Hit): boolean pure
function wait_until(f) end
