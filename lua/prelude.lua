-- The part of the script API that is simpler in Lua: gates, places, orders, logs. Arguments are checked
-- (check.lua) before `core`, the table of C functions, creates gates, places and steps.

local core, check = ...
local fail, loading, like, failf, types = core.fail, core.loading, core.like, check.failf, check.types
local check_text, check_flag, check_count, check_range = check.text, check.flag, check.count, check.range
local check_table, check_signal, check_function, check_gate = check.table, check.signal, check.func, check.gate
local type, tostring, ipairs, load = type, tostring, ipairs, load
local rawget, rawset, setmetatable, select = rawget, rawset, setmetatable, select
local format, concat = string.format, table.concat
local find, sub, match = string.find, string.sub, string.match
local globals = _G

-- ---- gates -------------------------------------------------------------------------------------

local plain = core.metatable(nil)

function SimpleGate(name)
	loading("SimpleGate")
	return core.simple(plain, check_text("SimpleGate: name", name))
end

local barrier_options = { { "serial" }, serial = check_flag }

function BarrierGate(name, n, options)
	loading("BarrierGate")
	check_text("BarrierGate: name", name)
	n = check_count("BarrierGate: number of threads", n)
	options = options == nil and {} or check_table("BarrierGate", options, barrier_options, "option")
	return core.barrier(plain, name, n, options.serial)
end

local made = {} -- gate types of the script: { functions, name of the type, FILE:LINE of the type }

local own_names = { open = true, wait = true, name = true, is_open = true }
local hooks = { ready = true, init = true, passed = true, opened = true }

Gate = {}

function Gate.type(name)
	loading("Gate.type")
	check_text("Gate.type: name", name)
	local functions, where = {}, core.where()
	local metatable = core.metatable(functions)

	local function make(_, gate_name, ...)
		loading(name)
		check_text(name .. ": name", gate_name)
		local self = core.custom(metatable, gate_name, name)
		made[#made + 1] = { functions, name, where }
		if functions.init then
			functions.init(self, ...)
		end
		return self
	end

	local function define(_, key, value)
		if own_names[key] then
			failf("%s.%s: every gate has its own '%s'", name, key, key)
		elseif hooks[key] then
			check_function(name .. "." .. key, value)
		end
		rawset(functions, key, value)
	end

	types[functions] = true
	return setmetatable(functions, { __call = make, __newindex = define, __metatable = false })
end

setmetatable(Gate, {
	__index = function(_, key) failf("no field '%s' in Gate; there is Gate.type", tostring(key)) end,
	__newindex = function() fail("Gate cannot be changed") end,
	__metatable = false,
})

-- ---- places ------------------------------------------------------------------------------------

local at_options = {
	{ "thread", "hit", "when", "after", "optional" },
	thread = check_text,
	hit = check_range,
	when = check_text,
	after = check_flag,
	optional = check_flag,
}

local on_options = {
	{ "thread", "hit", "optional", "object", "signal" },
	thread = check_text,
	hit = check_range,
	optional = check_flag,
	object = check_text,
	signal = check_signal,
}

local events = { "thread-start", "thread-exit", "exit", "fork", "exec", "load", "signal", "throw", "rest" }
local is_event = {}
for _, name in ipairs(events) do
	is_event[name] = true
end

local function check_options(who, options, known)
	options = options == nil and {} or check_table(who, options, known, "option")
	if options.hit then
		options.first, options.last = options.hit[1], options.hit[2]
	end
	return options
end

-- True for FUNC%return, with or without OBJECT! before and #K after it; false for a text or mark that ends so.
local function is_return(location)
	return not find(location, ";", 1, true)
		and not find(location, "^[^!]*!?//")
		and find(location, "%%return%s*#?%d*%s*$") ~= nil
end

local before_wait = setmetatable({}, { __mode = "k" }) -- places before a statement that may wait

function at(location, options)
	loading("at")
	check_text("at: location", location)
	options = check_options("at", options, at_options)
	if options.after and is_return(location) then
		failf("at: 'after' cannot be used with %s: no statement of the function is left to execute", location)
	end
	local place = core.place(false, location, options)
	before_wait[place] = not options.after and not is_return(location) or nil
	return place
end

local at_rest = setmetatable({}, { __mode = "k" }) -- places created by on "rest"
local rest_verbs = { open = true, release = true }

function on(event, options)
	loading("on")
	check_text("on: event", event)
	if not is_event[event] then
		failf("on: no such event '%s'; events are %s%s", event, concat(events, ", "), like(event, events))
	elseif type(options) == "table" and rawget(options, "after") ~= nil then
		fail("on: 'after' can be used only with at: an event has no statement")
	end
	options = check_options("on", options, on_options)
	if event == "rest" and (options.thread or options.hit) then
		fail('on: "rest" takes neither thread nor hit: no thread arrives there')
	end
	if options.object and event ~= "load" then
		failf('on: option object can be used only with on "load", not with "%s"', event)
	elseif options.signal and event ~= "signal" then
		failf('on: option signal can be used only with on "signal", not with "%s"', event)
	end
	local place = core.place(true, event, options)
	at_rest[place] = event == "rest" or nil
	return place
end

local verbs = {}
local verb_names = { "wait", "open", "when", "run", "event", "log", "kill", "spurious", "release" }

-- Defines a verb with one value: it is checked, then becomes a step.
local function verb(name, checked, step)
	verbs[name] = function(place, value, ...)
		if not core.is_place(place) then
			failf("%s: call it with a colon: at(...):%s(...)", name, name)
		end
		loading(name)
		if at_rest[place] and not rest_verbs[name] then
			failf('%s: at rest no thread arrives: on "rest" takes only open and release', name)
		elseif name == "release" and not at_rest[place] then
			fail('release: can be used only with on "rest"')
		end
		value = checked(name, value, place)
		if select("#", ...) > 0 then
			failf("%s: takes one value, got %d", name, select("#", ...) + 1)
		end
		step(place, name, value)
		return place
	end
end

local compile -- function: splits the text of a :log into strings and functions

verb("wait", check_gate, core.step_gate)
verb("open", function(who, value, place)
	local named = at_rest[place] and type(value) == "string" -- the REPL refers to gates by name
	return named and value or check_gate(who, value)
end, core.step_gate)
verb("when", check.condition, function(place, name, value)
	local step = type(value) == "string" and core.step_text or core.step_function
	step(place, name, value)
end)
verb("run", check_function, core.step_function)
verb("event", check_text, core.step_text)
verb("release", check_text, core.step_text)
verb("log", function(who, value)
	if value ~= "" then
		check_text(who, value)
	end
	compile(value)
	return value
end, core.step_text)
verb("kill", function(who, value)
	return value == nil and 9 or check_signal(who, value)
end, function(place, _, value)
	core.step_kill(place, value)
end)
verb("spurious", function(_, value, place)
	if value ~= nil then
		fail("spurious: takes no value")
	elseif not before_wait[place] then
		fail("spurious: can be used only with at, before the statement that waits")
	end
end, core.step_spurious)

core.place_index(function(_, key)
	return verbs[key] or failf("no such verb '%s'; verbs are %s%s", tostring(key), concat(verb_names, ", "),
		like(tostring(key), verb_names))
end)

local elide_options = {
	{ "thread", "hit", "optional" },
	thread = check_text,
	hit = check_range,
	optional = check_flag,
}

local sleep_options = {
	{ "till" },
	till = function(who, value)
		if value ~= "rest" then
			failf('%s: expected "rest", got %s', who, type(value) == "string" and value or check.what(value))
		end
	end,
}

function elide_sleep(location, options)
	loading("elide_sleep")
	if type(location) == "table" then
		if rawget(location, "till") == nil then
			fail('elide_sleep: without a location, it takes { till = "rest" }')
		elseif options ~= nil then
			fail('elide_sleep: { till = "rest" } is for all sleeps of the program, and takes nothing else')
		end
		check_table("elide_sleep", location, sleep_options, "option")
		core.sleeps_till_rest()
		return
	end
	check_text("elide_sleep: location", location)
	options = check_options("elide_sleep", options, elide_options)
	if is_return(location) then
		failf("elide_sleep: nothing is left to execute at %s", location)
	end
	core.step_elide(core.place(false, location, options))
end

-- ---- order ---------------------------------------------------------------------------------------

function order(text)
	loading("order")
	core.order(check_text("order", text))
end

-- ---- log ---------------------------------------------------------------------------------------

-- Names of expressions in addition to the globals: fields of the hit and, while a text is built, `hit`.
local known = {
	thread = true, count = true, file = true, line = true, func = true, var = true, arg = true, ret = true,
}

local scope = setmetatable({}, {
	__index = core.log_index(known),
	__newindex = function(_, key, value)
		globals[key] = value
	end,
	__metatable = false,
})

-- Compiles the expression after the brace at `from`; it ends at the first } that makes it complete.
local function compile_expression(text, from)
	local stop, problem = from, nil
	while true do
		stop = find(text, "}", stop + 1, true)
		if not stop then
			fail(problem and "log: " .. problem or "log: a { is not closed by } (write {{ for a brace)")
		end
		local source = sub(text, from + 1, stop - 1)
		if find(source, "^%s*$") then
			fail("log: there is no expression between { and }")
		end
		local f, message = load("return " .. source, "=(log)", "t", scope)
		if f then
			return f, stop
		end
		problem = problem or format("{%s}: %s", source, match(message, "^%(log%):%d+: (.*)$") or message)
	end
end

local compiled = {}

function compile(text)
	if compiled[text] then
		return compiled[text]
	end
	local parts, position = {}, 1
	while true do
		local brace = find(text, "[{}]", position)
		parts[#parts + 1] = sub(text, position, (brace or 0) - 1)
		if not brace then
			break
		end
		local char = sub(text, brace, brace)
		if sub(text, brace + 1, brace + 1) == char then -- {{ and }}
			parts[#parts + 1], position = char, brace + 2
		elseif char == "}" then
			parts[#parts + 1], position = char, brace + 1
		else
			parts[#parts + 1], position = compile_expression(text, brace)
			position = position + 1
		end
	end
	compiled[text] = parts
	return parts
end

local function log(text, hit)
	local out = {}
	known.hit = hit
	for i, part in ipairs(compile(text)) do
		out[i] = type(part) == "function" and tostring((part())) or part
	end
	known.hit = nil
	return concat(out)
end

-- ---- backtraces --------------------------------------------------------------------------------

local frame = {}

function frame.__tostring(f)
	if f.signal then
		return "<signal handler called>"
	end
	local text = f.func and tostring(f.func) or format("0x%x", f.address)
	if f.file then
		text = text .. " at " .. tostring(f.file) .. (f.line and ":" .. tostring(f.line) or "")
	elseif f.object then
		text = text .. " in " .. tostring(f.object)
	end
	return f.inlined and text .. " (inlined)" or text
end

local backtrace = {}

function backtrace.__tostring(frames)
	local lines = {}
	for i, f in ipairs(frames) do
		lines[i] = format("#%-2d %s", i - 1, tostring(f))
	end
	if frames.cut then
		lines[#lines + 1] = "(" .. tostring(frames.cut) .. ")"
	end
	return concat(lines, "\n")
end

-- ------------------------------------------------------------------------------------------------

-- Called after a script has been loaded.
local function loaded()
	for _, gate in ipairs(made) do
		if not gate[1].ready then
			fail(format("%s: Gate.type '%s' has no function ready", gate[3], gate[2]))
		end
	end
end

return { log = log, loaded = loaded, frame = frame, backtrace = backtrace }
