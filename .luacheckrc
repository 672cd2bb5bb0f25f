-- For luacheck: what gate scripts can use. `luacheck --config FILE SCRIPT.lua...`

local function names(...)
	local fields = {}
	for _, name in ipairs { ... } do
		fields[name] = {}
	end
	return { fields = fields }
end

stds.gatectl = {
	read_globals = {
		-- Lua 5.4, without what a gate script has not
		"_G", "_VERSION", "assert", "collectgarbage", "error", "getmetatable", "ipairs", "load",
		"next", "pairs", "pcall", "print", "rawequal", "rawget", "rawlen", "rawset", "require",
		"select", "setmetatable", "tonumber", "tostring", "type", "warn", "xpcall",
		coroutine = names("close", "create", "isyieldable", "resume", "running", "status", "wrap",
			"yield"),
		math = names("abs", "acos", "asin", "atan", "ceil", "cos", "deg", "exp", "floor", "fmod",
			"huge", "log", "max", "maxinteger", "min", "mininteger", "modf", "pi", "rad", "random",
			"randomseed", "sin", "sqrt", "tan", "tointeger", "type", "ult"),
		string = names("byte", "char", "dump", "find", "format", "gmatch", "gsub", "len", "lower", "match",
			"pack", "packsize", "rep", "reverse", "string", "sub", "unpack", "upper"),
		table = names("concat", "insert", "move", "pack", "remove", "sort", "unpack"),
		utf8 = names("char", "charpattern", "codepoint", "codes", "len", "offset"),

		-- gates and places
		"SimpleGate", "BarrierGate", "at", "on", "order", "expect", "fail", "limits", "env",
		"args", "stdin",
		"elide_sleep", "wait_until",
		Gate = names("type"),
		program = { fields = { var = { read_only = false, other_fields = true } } },
	},
}

std = "gatectl"
allow_defined_top = true -- a script may have globals of its own ...
ignore = { "131" } -- ... for the scripts that it requires
max_line_length = 120
exclude_files = { "lua/*.lua", "lua/annotations" }
