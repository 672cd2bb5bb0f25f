"""The table of variables that test_variables.py and vars_vs_gdb.py share.

It is made from programs/vars.c and vars.cc themselves: see programs/vars.h. Each line K(EXPRESSION);
below a line marked `gate: NAME` is an entry: the program prints it there, a gate script prints
hit.var's answer in the same form, gdb's answer is brought into that form, too.
"""

import functools
import itertools
import os
import re
import subprocess

from harness import HERE, compile_text

PROGRAMS = os.path.join(HERE, "programs")
BUILDS = list(itertools.product(("c", "c++"), ("gcc", "clang"), ("-gdwarf-4", "-gdwarf-5"),
                                ("-O0", "-Og", "-O2")))
ARGUMENTS = ("hello",)
GONE = "optimised out at this line"

# Where the compiler's debug information is wrong: build, gate, label (patterns that match whole), why.
# gdb is told the same. A build is named with the compiler's version: "c clang 19 -gdwarf-5 -O2".
LIES = [
    ("c gcc .* -O[g2]", "floats", "ldthird", "in st(0), it says, which has been stored and popped already"),
    ("c gcc 16 .* -O2", "floats", "infinite", "in its slot on the stack, it says, one instruction before it is stored there"),
    ("c gcc 16 .* -O2", "inner", "outer|value|doubled",
     "the line begins at an instruction of the loop, which is outside of the blocks that declare them"),
    ("c clang (19|21) -gdwarf-5 -O[g2]", "integers", "minus",
     "it subtracts a number of the generic type from a converted one, against DWARF 5 2.5.1.4"),
    ("c clang 21 -gdwarf-5 -O[g2]", "structs", "bits\\..*",
     "it combines a number of the generic type with a converted one, against DWARF 5 2.5.1.4"),
    ("c clang (19|21) -gdwarf-4 -O[g2]", "integers", "wide|uwide", "it describes 16 bytes by a number of 8"),
    ("c clang 14 .* -O[g2]", "integers", "minus|wide|uwide",
     "it calculates with the address of the slot where a register was spilled, not with what is there"),
    ("c\\+\\+ gcc .* -O2", "bindings", "same_number|same_point.y",
     "in the pair in memory, it says, but the pair is in registers and was never written there"),
    ("c\\+\\+ clang 14 .* -O2", "containers", "points.size\\(\\)",
     "it adds to the address of the slot where a register was spilled, not to what is there"),
    ("c\\+\\+ gcc 1[4-9] .* -O2", "containers", "\\(\\*pointer\\)\\[1\\]", "the vector that it points to is an older one, of one element"),
    ("c\\+\\+ clang 19 .* -O[g2]", "globals", "truth|lie", "it compares to equal with 0 where the program does not"),
    ("c\\+\\+ clang 21 -gdwarf-5 -O2", "globals", "lie", "it inverts a truth value with DW_OP_not, which makes -2 of 1"),
]

LUA = {
    "I": '("%%d"):format(%s)', "D": '("%%d"):format(%s)', "U": '("0x%%x"):format(%s)',
    "B": "yes_or_no(%s)", "F": '("%%.17g"):format(%s)', "N": "tostring(%s)",
    "S": "'\"' .. %s:string() .. '\"'", "T": "'\"' .. %s:string() .. '\"'",
    "P": '("0x%%x"):format(%s:address())',
}
PRELUDE = """
local function yes_or_no(v)
	assert(type(v) == "boolean", type(v))
	return tostring(v)
end
local function show(label, read)
	local ok, answer = pcall(read)
	print(label .. (ok and " = " or " ! ") .. tostring(answer))
end
"""


class Entry:
    """One line K(EXPRESSION); of a program."""

    def __init__(self, gate, kind, label, lua, gdb):
        self.gate, self.kind, self.label = gate, kind, label
        self.lua = lua_expression(lua or label)
        self.gdb = gdb or label

    def script(self, by_eval):
        read = "hit:eval [==[%s]==]" % self.label if by_eval else self.lua
        if self.kind == "E":  # .name is asked of what was read just before
            return '("%%d %%s"):format(%s, (%s).name or "-")' % (read, read)
        return LUA[self.kind] % ("(%s)" % read if by_eval else read)


def lua_expression(text):
    """hit.var's spelling of a C expression made of names, ., -> and []."""
    if text.startswith(("#", "utf8.")):
        return text
    name = re.match(r"[\w:]+", text)
    if not name:
        raise ValueError("no way to say %s in Lua" % text)
    return 'hit.var["%s"]%s' % (name.group(), text[name.end():].replace("->", "."))


@functools.lru_cache(None)
def version(compiler):
    return subprocess.run([compiler, "-dumpversion"], capture_output=True, text=True).stdout.split(".")[0].strip()


def named(case):
    language, compiler, *flags = case
    return " ".join((language, compiler, version(compiler), *flags))


def is_lie(case, gate, label, lie=None):
    return any(all(re.fullmatch(p, s) for p, s in zip(l, (named(case), gate, label)))
               for l in ([lie] if lie else LIES))


def source(name):
    """Of one file: a header would not be looked at when it is asked whether all is built already."""
    with open(os.path.join(PROGRAMS, name)) as f:
        text = f.read()
    with open(os.path.join(PROGRAMS, "vars.h")) as f:
        return text.replace('#include "vars.h"\n', f.read())


PRINT = re.compile(r"\s*([IUBFESTPND])\((.*)\);\s*(?:/[/*]\s*(.*?)\s*(?:\*/)?)?$")
MARK = re.compile(r"gate: ([\w-]+)")
NOTES = re.compile(r"(?:lua: (?P<lua>.*?))?\s*(?:gdb: (?P<gdb>.*))?$")


def entries(text):
    """Of all gates of a program, in the order of its lines."""
    gate, found = None, []
    for line in text.splitlines():
        m = PRINT.match(line)
        if MARK.search(line):
            gate = MARK.search(line).group(1)
        elif m:
            kind, label, notes = m.groups()
            if kind == "D":
                label = label.rpartition(",")[0]
            notes = NOTES.match(notes or "")
            found.append(Entry(gate, kind, label, notes["lua"], notes["gdb"]))
    return found


def can_eval(entry):
    """Is it an expression without calls?"""
    return not re.search(r"[\w>]\(|\"", entry.label)


def script(table, by_eval=False):
    """A gate script that prints each entry's value at its gate."""
    text = [PRELUDE]
    for gate, group in itertools.groupby(table, lambda e: e.gate):
        text.append('at "//%s":run(function(hit)\n\tprint "@%s"' % (gate, gate))
        for e in group:
            label = "[==[%s]==]" % e.label
            text.append("\tshow(%s, function() return %s end)" % (label, e.script(by_eval)))
        text.append("end)")
    return "\n".join(text) + "\n"


def build(case):
    """The program of one build: its path and its text."""
    language, compiler, dwarf, optimise = case
    flags = "-g %s %s" % (dwarf, optimise)
    if language == "c++":
        text = source("vars.cc")
        path = compile_text("vars.cc", text, flags + " -std=c++17",
                            compiler={"gcc": "g++", "clang": "clang++"}[compiler])
        return path, text
    library = compile_text("libvars.c", source("vars_lib.c"), flags + " -fPIC -shared",
                           compiler=compiler)
    second = compile_text("vars_second.c", source("vars_second.c"), flags + " -c",
                          compiler=compiler)
    text = source("vars.c")
    path = compile_text("vars.c", text, flags, compiler=compiler,
                        libs="%s %s -Wl,-rpath,%s -lm" % (second, library, os.path.dirname(library)))
    return path, text


def answers(text):
    """The lines of a program or a script: (gate, label, sign, value) in the order they came."""
    found, gate = [], None
    for line in text.splitlines():
        if line.startswith("@"):
            gate = line[1:]
            continue
        m = re.match(r"(.*?) ([=!]) (.*)$", line)
        if m:
            found.append((gate, *m.groups()))
    return found
