-- Expectations and limits of the run: expect, fail, limits.

local core, check = ...
local fail, loading, failf, what = core.fail, core.loading, check.failf, check.what
local check_table, check_text, check_flag, check_signal = check.table, check.text, check.flag, check.signal
local check_gate = check.gate
local is_integer = check.is_integer
local type, tostring, next, ipairs = type, tostring, next, ipairs
local gsub, to_integer, math_type, huge = string.gsub, math.tointeger, math.type, math.huge
local globals = _G

local function check_exit(who, value)
	if not is_integer(value) or value < 0 or value > 255 then
		failf("%s: expected an exit status from 0 to 255, got %s", who,
			math_type(value) and tostring(value) or what(value))
	end
	return to_integer(value)
end

local expectations = {
	{ "exit", "signal", "stdout", "stderr", "deadlock", "gate_deadlock", "livelock", "time_limit", "never_reached", "at" },
	exit = check_exit,
	signal = check_signal,
	at = check_text,
	stdout = check_text,
	stderr = check_text,
	deadlock = check_flag,
	gate_deadlock = function(who, value)
		if type(value) ~= "boolean" then
			check_gate(who, value)
		end
		return value
	end,
	livelock = check_flag,
	time_limit = check_flag,
	never_reached = check_text,
}

local expected = {} -- value by field; for `texts` the list of values
local texts = { stdout = true, stderr = true, never_reached = true }

-- Expected ends, with the text for messages; a run ends in one way only.
local ends = {
	{ "exit", "ends with an exit status" },
	{ "signal", "is ended by a signal" },
	{ "deadlock", "ends in a deadlock" },
	{ "gate_deadlock", "ends in a deadlock with a gate in it" },
	{ "livelock", "ends in a livelock" },
	{ "time_limit", "runs until the time limit" },
}

local function check_ends()
	local first
	for _, how in ipairs(ends) do
		if expected[how[1]] then
			if first then
				failf("expect: a program that %s cannot be one that also %s: expect %s or %s",
					first[2], how[2], first[1], how[1])
			end
			first = how
		end
	end
end

local function shown(key, value)
	return key == "signal" and "SIG" .. core.signal_name(value) or tostring(value)
end

local function line_of(who, value) -- the text on one line, for messages
	return (gsub(check_text(who, value), "%c+", " "))
end

function expect(t, meaning)
	loading("expect")
	if type(t) == "function" then
		core.expect_function(t, meaning == nil and "what the script checks at the end"
			or line_of("expect: what it means", meaning))
		return
	elseif meaning ~= nil then
		fail("expect: a second value, what it means, goes with a function only")
	end
	t = check_table("expect", t, expectations, "field")
	if next(t) == nil then
		fail("expect: the table is empty")
	end
	for key, value in next, t do
		if not texts[key] and expected[key] ~= nil and expected[key] ~= value then
			failf("expect: %s is expected to be %s and %s", key, shown(key, expected[key]), shown(key, value))
		end
		expected[key] = value
	end
	check_ends()
	if expected.at and not expected.signal then
		fail('expect: `at` is where a signal ends the program: say which, signal = "SIGSEGV" or another')
	end
	for key, value in next, t do
		core.expect(key, value, key == "never_reached" and core.place(false, value, { optional = true })
			or key == "at" and core.where())
	end
end

globals.fail = function(text)
	core.fail_run(line_of("fail", text))
end

local function check_seconds(who, value)
	if not math_type(value) or not (value >= 0 and value < huge) then
		failf("%s: expected a number of seconds, 0 or greater, got %s", who,
			math_type(value) and tostring(value) or what(value))
	end
	return value
end

local limit_names = { { "gate", "run" }, gate = check_seconds, run = check_seconds }

function limits(t)
	loading("limits")
	for key, value in next, check_table("limits", t, limit_names, "field") do
		core.limits(key, value)
	end
end
