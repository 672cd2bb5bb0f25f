-- Checks of values in scripts. A wrong value is an error at the script's line, with the expected and the
-- given value. Each check returns the converted value.

local core = ...
local fail, kind, like = core.fail, core.kind, core.like
local type, tostring, next = type, tostring, next
local rawget, setmetatable = rawget, setmetatable
local format, concat, upper = string.format, table.concat, string.upper
local find, sub = string.find, string.sub
local to_integer, math_type = math.tointeger, math.type

local types = setmetatable({}, { __mode = "k" }) -- tables returned by Gate.type

local function what(value)
	return types[value] and "a gate type (call it to make a gate)" or kind(value)
end

local function failf(...)
	fail(format(...))
end

local function is_integer(value)
	return math_type(value) and to_integer(value) ~= nil
end

-- Checks t against the known names, each with a function that checks and converts its value.
local function check_table(who, t, known, word)
	if type(t) ~= "table" or core.is_gate(t) then
		failf("%s: expected a table of %ss, got %s", who, word, what(t))
	end
	local result = {}
	for key, value in next, t do
		local check = known[key]
		if not check or key == 1 then
			failf("%s: unknown %s '%s'; known are %s%s", who, word, tostring(key), concat(known[1], ", "),
				like(tostring(key), known[1]))
		end
		result[key] = check(who .. ": " .. key, value)
	end
	return result
end

local function check_text(who, value)
	if type(value) ~= "string" then
		failf("%s: expected a string, got %s", who, what(value))
	elseif value == "" then
		failf("%s: the string is empty", who)
	elseif find(value, "\0", 1, true) then
		failf("%s: the string has a zero byte in it", who)
	end
	return value
end

local function check_flag(who, value)
	if type(value) ~= "boolean" then
		failf("%s: expected true or false, got %s", who, what(value))
	end
	return value
end

local function check_count(who, value)
	if not is_integer(value) or value < 1 then
		failf("%s: expected an integer greater than 0, got %s", who, math_type(value) and tostring(value) or what(value))
	end
	return to_integer(value)
end

local function check_range(who, value)
	if type(value) ~= "table" then
		if not math_type(value) then
			failf("%s: expected a number or {first, last}, got %s", who, what(value))
		end
		value = check_count(who, value)
		return { value, value }
	end
	for key in next, value do
		if key ~= 1 and key ~= 2 then
			failf("%s: expected {first, last}, got a table with %s", who, tostring(key))
		end
	end
	local first, last = check_count(who, rawget(value, 1)), check_count(who, rawget(value, 2))
	if first > last then
		failf("%s: first (%d) is greater than last (%d)", who, first, last)
	end
	return { first, last }
end

local signals = { "ABRT", "ALRM", "BUS", "CHLD", "CONT", "FPE", "HUP", "ILL", "INT",
	"KILL", "PIPE", "QUIT", "SEGV", "STOP", "TERM", "TSTP", "USR1", "USR2" }

local function check_signal(who, value)
	if is_integer(value) and value >= 1 and value <= 64 then
		return to_integer(value)
	elseif type(value) ~= "string" then
		failf("%s: expected a signal, got %s", who, math_type(value) and tostring(value) or what(value))
	end
	local name = upper(value)
	name = sub(name, 1, 3) == "SIG" and sub(name, 4) or name
	local number = core.signal(name)
	return number or failf("%s: no such signal '%s'%s", who, value, like(name, signals))
end

local function check_function(who, value)
	if type(value) ~= "function" then
		failf("%s: expected a function, got %s", who, what(value))
	end
	return value
end

local function check_condition(who, value)
	if type(value) ~= "function" and type(value) ~= "string" then
		failf("%s: expected a function or a string, got %s", who, what(value))
	end
	return type(value) == "string" and check_text(who, value) or value
end

local function check_gate(who, value)
	if not core.is_gate(value) then
		local got = what(value)
		local hint = got == "nil" and " (misspelt name?)" or ""
		if type(value) == "string" then
			hint = ("; make one first: local g = SimpleGate %q"):format(value)
		end
		failf("%s: expected a gate, got %s%s", who, got, hint)
	end
	return value
end

return {
	types = types,
	what = what,
	failf = failf,
	is_integer = is_integer,
	table = check_table,
	text = check_text,
	flag = check_flag,
	count = check_count,
	range = check_range,
	signal = check_signal,
	func = check_function,
	condition = check_condition,
	gate = check_gate,
}
