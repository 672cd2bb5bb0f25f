"""What editors know of gate scripts (annotations, luacheck) is what the sandbox has, no more, no less."""

import glob
import os
import re
import shutil

from harness import ROOT, Skip, compile_text, params

ANNOTATIONS = os.path.join(ROOT, "lua", "annotations", "gatectl.d.lua")
CONFIG = os.path.join(ROOT, ".luacheckrc")
LIBRARIES = ("coroutine", "math", "string", "table", "utf8")
OF_LUA = set("""_G _VERSION assert collectgarbage error getmetatable ipairs load next pairs pcall print
    rawequal rawget rawlen rawset require select setmetatable tonumber tostring type warn xpcall""".split())
# Debian's Lua has these for old programs
OLD_MATH = set("atan2 cosh frexp ldexp log10 pow sinh tanh".split())

PROGRAM = r"""
#include <pthread.h>
static volatile int n;
static void *worker(void *arg)
{
	n++; /* gate: here */
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	return 0;
}
"""


def said(t, script):
    """What a script prints, by its first word: a set of the others."""
    r = t.run_gated(compile_text("editors.c", PROGRAM), script=script, report=False)
    t.equal(r.status, 0, "status", r)
    found = {}
    for line in r.err.splitlines():
        first, *rest = line.split()
        found.setdefault(first, set()).update(rest)
    return found


def sandbox(t):
    return said(t, '''
for name, value in pairs(_G) do
    print("globals", name)
    if type(value) == "table" and name ~= "_G" then
        for field in pairs(value) do print(name, field) end
    end
end
''')


def annotated():
    """Globals, and the members of each class, of the annotations."""
    with open(ANNOTATIONS) as f:
        text = f.read()
    globals_ = set(re.findall(r"^(?:function )?(\w+)(?:\(| = )", text, re.M))
    classes, alias, current = {}, {}, None
    for line in text.splitlines():
        m = re.match(r"---@class (\w+)(?:: (\w+))?", line)
        if m:
            current = m.group(1)
            classes[current] = set(classes.get(m.group(2), ()))
        m = re.match(r"---@field (\w+)", line)
        if m:
            classes[current].add(m.group(1))
        m = re.match(r"local (\w+) = \{\}", line)
        if m:
            alias[m.group(1)] = current
        m = re.match(r"function (\w+)[.:](\w+)\(", line)
        if m and m.group(1) in alias:
            classes[alias[m.group(1)]].add(m.group(2))
        elif m:
            classes.setdefault("global " + m.group(1), set()).add(m.group(2))
    return globals_, classes


def test_globals(t):
    real = sandbox(t)
    names = annotated()[0]
    t.equal(names | OF_LUA | set(LIBRARIES), real["globals"], "globals")
    t.equal(annotated()[1]["global Gate"], real["Gate"], "Gate")


def listed(t, script):
    """The names that a complaint lists behind 'are'."""
    r = t.run_gated(compile_text("editors.c", PROGRAM), script=script, report=False)
    t.error(r, 125)
    return set(re.split(r", ", re.search(r" are ([\w, ]+)", r.first).group(1)))


def test_members(t):
    classes = annotated()[1]
    hit = listed(t, 'at("//here"):run(function(hit) print(hit.nonsense) end)\n')
    t.equal(classes["Hit"] - {"index"}, hit, "Hit")
    frame = listed(t, 'at("//here"):run(function(hit) print(hit:frame(1).nonsense) end)\n')
    t.equal(classes["Frame"], frame, "Frame")
    t.equal(classes["Place"], listed(t, 'at("//here"):nonsense()\n'), "verbs")
    t.equal(classes["Thread"], listed(t, 'at("//here"):run(function(hit) print(hit.thread.nonsense) end)\n'),
            "Thread")
    t.equal(classes["AtOptions"], listed(t, 'at("//here", {nonsense = 1})\n'), "options of at")
    t.equal(classes["OnOptions"], listed(t, 'on("fork", {nonsense = 1})\n'), "options of on")


def test_fields_are_there(t):
    """Each field that has no list can be asked for."""
    classes = annotated()[1]
    script = "local names = { %s }\n" % ", ".join(
        "%s = { %s }" % (c, ", ".join('"%s"' % f for f in sorted(fields)))
        for c, fields in classes.items() if c in ("Gate", "Thread", "BacktraceFrame", "Object"))
    found = said(t, script + '''
local g = SimpleGate "g"
for _, name in ipairs(names.Gate) do if g[name] ~= nil then print("Gate", name) end end
at("//here"):run(function(hit)
    for _, name in ipairs(names.Thread) do if hit.thread[name] ~= nil then print("Thread", name) end end
    local frame = hit:backtrace()[1]
    for _, name in ipairs(names.BacktraceFrame) do
        if frame[name] ~= nil then print("BacktraceFrame", name) end
    end
    for key in pairs(frame) do print("all", key) end
end)
''')
    t.equal(found["Gate"], classes["Gate"], "Gate")
    t.equal(found["Thread"], classes["Thread"], "Thread")
    t.equal(found["BacktraceFrame"], classes["BacktraceFrame"], "BacktraceFrame")
    t.equal(found["all"], classes["BacktraceFrame"], "all that a frame of a backtrace has")


def test_annotations_are_lua(t):
    shutil.copy(ANNOTATIONS, t.path("annotations.lua"))
    t.file("s.lua", 'local own = { at = at }\nrequire "annotations"\nprint(own.at ~= at)\n')
    r = t.gate("run", "-g", t.path("s.lua"), compile_text("editors.c", PROGRAM))
    t.equal((r.status, r.err), (0, "true\n"), "outcome", r)


# ---- luacheck --------------------------------------------------------------------------------------

def luacheck(t, *files):
    if not shutil.which("luacheck"):
        raise Skip("no luacheck")
    return t.run(["luacheck", "--no-color", "--no-cache", "--codes", "--config", CONFIG, *files], cwd=t.tmp)


def test_luacheck_knows_what_there_is(t):
    real = sandbox(t)
    lines = []
    real["math"] -= OLD_MATH
    for library in (*LIBRARIES, "Gate"):
        lines += ["print(%s.%s)" % (library, f) for f in sorted(real[library])]
    lines += ["print(%s)" % name for name in sorted(real["globals"])]
    lines += ["program.var.n = 1", "own = 1"]
    r = luacheck(t, t.file("all.lua", "\n".join(lines) + "\n"))
    t.equal(r.status, 0, "all that there is", r)


@params("io.open('x')", "os.exit()", "print(debug)", "string.dumb(print)", "SimpelGate 'x'", "Gate.kind 'x'",
        "program.vars = 1", "dofile 'x'", "loadfile 'x'", "package.path = ''")
def test_luacheck_finds(t, line):
    r = luacheck(t, t.file("bad.lua", line + "\n"))
    t.check(r.status in (1, 2) and "bad.lua:1:" in r.stdout, "a complaint about %s" % line, r)


def test_luacheck_of_examples(t):
    files = sorted(glob.glob(os.path.join(ROOT, "examples", "*", "*.lua")))
    t.check(len(files) >= 9, "examples are there")
    r = luacheck(t, *files)
    t.equal(r.status, 0, "outcome", r)
