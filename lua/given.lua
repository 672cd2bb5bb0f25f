-- Environment, arguments and standard input of PROG: env, args, stdin.

local core, check = ...
local fail, loading, failf, what, is_integer = core.fail, core.loading, check.failf, check.what, check.is_integer
local type, tostring, next, ipairs = type, tostring, next, ipairs
local find, gsub, concat, math_type = string.find, string.gsub, table.concat, math.type

local function check_variable(name, value)
	if type(name) == "string" and find(name, "\0", 1, true) then
		failf("env: %s: the name has a zero byte in it", (gsub(name, "\0", "\\0")))
	elseif type(name) ~= "string" or not find(name, "^[^=]+$") then
		failf("env: expected NAME = value, got %s", type(name) == "string" and ("the name '%s'"):format(name)
			or what(name) .. " for a name")
	elseif value == false then
		return value -- the variable is unset
	elseif math_type(value) then
		value = tostring(value)
	elseif type(value) ~= "string" then
		failf('env: %s: expected a string, or false to unset it, got %s', name, what(value))
	end
	if find(value, "\0", 1, true) then
		failf("env: %s: the value has a zero byte in it", name)
	end
	return value
end

local variables = {} -- value by name

function env(t)
	loading("env")
	if type(t) ~= "table" or core.is_gate(t) then
		failf("env: expected a table { NAME = \"value\" }, got %s", what(t))
	elseif next(t) == nil then
		fail("env: the table is empty")
	end
	for name, value in next, t do
		value = check_variable(name, value)
		if variables[name] ~= nil and variables[name] ~= value then
			failf("env: %s is set to two values: %s and %s", name, tostring(variables[name]), tostring(value))
		elseif variables[name] == nil then
			core.env(name, value)
		end
		variables[name] = value
	end
end

local given = {} -- args and stdin: FILE:LINE, and the value

local function check_once(who, text)
	if given[who] and given[who][2] ~= text then
		failf("%s: was set before, to another value, at %s", who, given[who][1])
	end
	given[who] = { core.where(), text }
end

function args(t)
	loading("args")
	if type(t) ~= "table" or core.is_gate(t) then
		failf("args: expected a table of strings, got %s", what(t))
	end
	local list = {}
	for key in next, t do
		if not is_integer(key) or key < 1 or key > #t then
			failf("args: expected a list of strings, got a table with %s", tostring(key))
		end
	end
	for i, value in ipairs(t) do
		if math_type(value) then
			value = tostring(value)
		elseif type(value) ~= "string" then
			failf("args: %d: expected a string, got %s", i, what(value))
		elseif find(value, "\0", 1, true) then
			failf("args: %d: the string has a zero byte in it", i)
		end
		list[i] = value
	end
	check_once("args", concat(list, "\0") .. "\0" .. #list)
	core.args(list)
end

function stdin(text)
	loading("stdin")
	if type(text) ~= "string" then
		failf("stdin: expected the name of a file, or a text, got %s", what(text))
	end
	check_once("stdin", text)
	core.stdin(text)
end
