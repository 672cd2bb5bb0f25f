"""gatectl's own errors: one first line, the right status, FILE:LINE where a script is at fault."""

import os
import re
import subprocess

from harness import Skip, compile_text, params
from patience import wall

PROGRAM = r"""
#include <stdio.h>
static volatile int n;
static int helper(int x)
{
	n += x; /* gate: helped */
	return n;
}
int main(void)
{
	printf("started\n");
	fflush(stdout);
	for (int i = 0; i < 3; i++)
		helper(i);

	/* a line without code: gate: nothing */
	return 0;
}
"""


def program():
    return compile_text("victim.c", PROGRAM)


# (name, script, line at fault): the fault is there at load, nothing runs
LOAD_FAULTS = [
    ("syntax", "local a = 1\nat \"//helped\" wait(g)\n", 2),
    ("unfinished string", "local a = 1\n\nat \"//helped:wait(g)\n", 3),
    ("unfinished block", "at \"//helped\":run(function()\n", None),
    ("unknown gate", "local g = SimpleGate 'g'\nat '//helped':wait(gg)\n", 2),
    ("not a gate", "at '//helped':wait('g')\n", 1),
    ("open nothing", "\nat '//helped':open()\n", 2),
    ("unknown option", "\nat('//helped', {thraed = 'main'}):run(function() end)\n", 2),
    ("option of wrong type", "\n\nat('//helped', {hit = 'x'}):run(function() end)\n", 3),
    ("hit zero", "at('//helped', {hit = 0}):run(function() end)\n", 1),
    ("hit backwards", "at('//helped', {hit = {5, 2}}):run(function() end)\n", 1),
    ("unknown verb", "\nat('//helped'):hold()\n", 2),
    ("unknown event", "on('thread-begin'):run(function() end)\n", 1),
    ("location no string", "at(42):run(function() end)\n", 1),
    ("empty location", "at(''):run(function() end)\n", 1),
    ("unknown function", "\n\n\nplace '//helped'\n", 4),
    ("unknown signal", "at('//helped'):kill('SIGNOTHING')\n", 1),
    ("gate without name", "\nlocal g = SimpleGate()\n", 2),
    ("barrier without number", "local b = BarrierGate('b')\n", 1),
    ("type without ready", "local T = Gate.type 'T'\nlocal t = T 't'\nat('//helped'):wait(t)\n", None),
    ("unknown expectation", "expect { exitt = 0 }\n", 1),
    ("expect no table", "expect(0)\n", 1),
    ("unknown limit", "\nlimits { gates = 5 }\n", 2),
    ("negative limit", "limits { gate = -1 }\n", 1),
    ("order without arrow", "\norder 'a, b'\n", 2),
    ("order empty", "order ''\n", 1),
    ("error at load", "local x = nil\n\nprint(x.y)\n", 3),
    ("error called", "error 'my own words'\n", 1),
    ("io", "local f = io.open('/etc/passwd')\n", 1),
    ("os", "\nos.exit(0)\n", 2),
    ("missing module", "\nlocal m = require 'no_such_module'\n", 2),
    ("unknown location", "local g = SimpleGate 'g'\nat('helpr'):open(g)\n", 2),
    ("unknown file", "\n\nat('nofile.c:3'):run(function() end)\n", 3),
    ("unknown mark", "\nat('//helpd'):run(function() end)\n", 2),
    ("line without code", "at('victim.c:15'):run(function() end)\n", 1),
    ("line behind the end", "at('victim.c:1500'):run(function() end)\n", 1),
    ("mark without code", "at('//nothing'):run(function() end)\n", 1),
    ("text not there", "at('helper;no such text'):run(function() end)\n", 1),
    ("text twice", "at('victim.c;n'):run(function() end)\n", 1),
    ("offset outside", "at('helper:+500'):run(function() end)\n", 1),
    ("nonsense location", "at('%%%;;'):run(function() end)\n", 1),
    ("bad address", "at('*0xzz'):run(function() end)\n", 1),
    ("address outside", "at('*0xffffffff0000'):run(function() end)\n", 1),
    ("match number", "at('helper#7'):run(function() end)\n", 1),
    ("after a return", "at('helper%return', {after = true}):run(function() end)\n", 1),
    ("runaway", "\nwhile true do end\n", 2),
    ("runaway in a message handler", "\nxpcall(error, function() while true do end end)\n", 2),
    ("runaway in pcall", "while true do pcall(function() while true do end end) end\n", 1),
]


@params(*[f[0] for f in LOAD_FAULTS])
def test_fault_at_load(t, name):
    script, line = next(f[1:] for f in LOAD_FAULTS if f[0] == name)
    r = t.run_gated(program(), script=script)
    t.error(r, 125, r"gates\d+\.lua:%s: ." % (line if line else r"\d+"))
    t.check("started" not in r.stdout, "the program was not started", r)


# the fault is there when a thread arrives
ARRIVAL_FAULTS = [
    ("error", "at('//helped'):run(function(hit)\n  local x = hit.nothing.more\nend)\n", 2),
    ("error called", "at('//helped'):run(function()\n\n  error 'my own words'\nend)\n", 3),
    ("error with a table", "at('//helped'):run(function()\n  error {}\nend)\n", None),
    ("runaway in run", "at('//helped'):run(function()\n  while true do end\nend)\n", 2),
    ("runaway in pcall", "at('//helped'):run(function()\n  while true do pcall(function() while true do end end) end\nend)\n", 2),
    ("runaway in when", "at('//helped'):when(function()\n  while true do end\nend)\n", 2),
    ("runaway in a message handler", "at('//helped'):when(function()\n  xpcall(error, function() while true do end end)\nend)\n", 2),
    ("runaway in __close", "at('//helped'):run(function()\n  local x <close> = setmetatable({}, {__close = function() while true do end end})\n  while true do end\nend)\n", None),
    ("runaway in nested coroutines", "local function nest(n)\n  for i = 1, n > 0 and 900 or 0 do coroutine.wrap(nest)(n - 1) end\nend\nat('//helped'):run(function() nest(5) end)\n", None),
    ("runaway in comparisons", "at('//helped'):run(function()\n  local a, b = ('x'):rep(6e7), ('x'):rep(6e7) ; while a <= b do end\nend)\n", 2),
    ("runaway in a coroutine", "at('//helped'):run(function()\n  coroutine.wrap(function() while true do end end)()\nend)\n", 2),
    ("runaway in string", "at('//helped'):run(function()\n  local s = ('a'):rep(50) ; s:find(('a*'):rep(40) .. 'b')\nend)\n", None),
    ("error in when", "at('//helped'):when(function()\n  return nil + 1\nend)\n", 2),
    ("gate of no gate", "at('//helped'):run(function()\n  local g; g:wait()\nend)\n", 2),
    ("error in ready", "local T = Gate.type 'T'\nfunction T:ready()\n  return self.a.b\nend\nat('//helped'):wait(T 't')\n", 3),
    ("error in the log", "at('//helped'):log('{nothing.at_all}')\n", 1),
    ("error in a child's hit", "at('//helped', {hit = 2}):run(function()\n  error 'second'\nend)\n", 2),
    ("new place at a hit", "at('//helped'):run(function()\n  at('helper'):run(function() end)\nend)\n", 2),
    ("error in opened", "local T = Gate.type 'T'\nfunction T:ready() return true end\nfunction T:opened()\n  error 'x'\nend\nat('//helped'):open(T 't')\n", 4),
    ("side effect in when", "local g = SimpleGate 'g'\nat('//helped'):when(function()\n  g:open(); return true\nend)\n", 3),
]


@params(*[f[0] for f in ARRIVAL_FAULTS])
def test_fault_at_arrival(t, name):
    script, line = next(f[1:] for f in ARRIVAL_FAULTS if f[0] == name)
    r = t.run_gated(program(), script=script)
    t.error(r, 125, r"gates\d+\.lua:%s: ." % (line if line else r"\d+"))


INT_80 = """
asm(".globl _start\\n_start: mov $1, %eax\\n xor %ebx, %ebx\\n int $0x80");
"""


def test_first_exec_fails(t):
    """Nothing is known of the program when the session ends at once, and who is where is told all the same."""
    script = 'on("exit"):event "x"\norder "x -> main"\n'
    i386 = compile_text("i386.c", INT_80, flags="-m32 -static -nostdlib")
    try:
        t.run([i386])
        status = 125
    except OSError:  # this kernel executes none such: it is not started at all
        status = 126
    t.error(t.run_gated(i386, script='on("exit"):event "x"\n'), status, r"built for 32-bit i386")
    whole = compile_text("whole.c", "int main(void) { return 0; }\n", flags="-g -static")
    with open(whole, "rb") as f:
        data = f.read()
    cut = t.path("cut")
    with open(cut, "wb") as f:
        f.write(data[:int.from_bytes(data[40:48], "little") + 200])
    os.chmod(cut, 0o755)
    t.error(t.run_gated(cut, script='on("exit"):event "x"\n'), 125, r"truncated ELF file")
    t.error(t.run_gated(cut, script=script), 125, r"truncated ELF file")


def test_print_while_loading_uses_memory(t):
    """What is printed before the program starts is kept until then, and counts."""
    r = t.run_gated(program(), script="while true do print(('x'):rep(1e5)) end\n")
    t.check(r.status == 125 and "started" not in r.stdout, "it is an error", r)
    t.check(re.search(r"^gatectl: error: .*lua:1: the (script uses more than 256 MB|function computed)", r.err, re.M), "of the script", r)


def test_fault_in_required_module(t):
    t.file("bad.lua", "local m = {}\nm.x = = 1\nreturn m\n")
    script = t.file("s.lua", "\nrequire 'bad'\n")
    t.error(t.gate("run", "-g", script, "--", program()), 125, r"bad\.lua:2: ")


def test_runaway_is_not_slow_work(t):
    """A function that works for a tenth of a second is no runaway."""
    r = t.run_gated(program(), script='''
at("//helped"):run(function() local s = 0; for i = 1, 2000000 do s = s + i end end)
''')
    t.clean(r)


def test_missing_script(t):
    t.error(t.gate("run", "-g", t.path("no.lua"), "--", program()), 125, r"no\.lua")


def test_script_is_a_directory(t):
    t.error(t.gate("run", "-g", t.tmp, "--", program()), 125)


def test_script_is_binary(t):
    t.error(t.gate("run", "-g", program(), "--", program()), 125)


def test_empty_script(t):
    t.clean(t.run_gated(program(), script=""))


def test_ambiguous_function(t):
    """Two different functions of one name: an error that lists both, never a choice."""
    other = compile_text("other.c", "static int twin(void) { return 1; }\nint other(void);\n"
                         "int other(void) { return twin(); }\n", "-g -O0 -c")
    main = compile_text("twins.c", "int other(void);\nstatic int twin(void) { return 2; }\n"
                        "int main(void) { return twin() + other(); }\n", libs=other)
    r = t.error(t.run_gated(main, script='\nat "twin":run(function() end)\n'), 125, r"gates\d+\.lua:2: ")
    t.check("twins.c" in r.err and "other.c" in r.err, "lists both", r)
    t.clean(t.run_gated(main, script='at "twin#1":run(function() end)\n'), 3)


def test_line_without_code_names_neighbours(t):
    r = t.error(t.run_gated(program(), script="at('victim.c:15'):run(function() end)\n"))
    t.check("14" in r.err and "17" in r.err, "the nearest lines with code", r)


def test_misspelling_says_what_is_near(t):
    r = t.error(t.run_gated(program(), script="at('helpre'):run(function() end)\n"))
    t.check("helper" in r.err, "the nearest name", r)


def test_bad_order_option(t):
    for order in ("//helped", "//helped ->", "-> //helped", "a -> -> b", "nofunc -> //helped", "[//helped"):
        r = t.run_gated(program(), options=["--order", order])
        t.error(r, 125)
        t.check("started" not in r.stdout, "the program was not started", r)


# ---- programs --------------------------------------------------------------------------------------

def test_no_debug_info(t):
    """Without DWARF lines and marks are an error that says so; functions still work."""
    stripped = compile_text("nodebug.c", PROGRAM.replace("static int helper", "int helper"), "-g0 -O0")
    for location in ("nodebug.c:6", "//helped", "helper;n +=", "helper:+1"):
        r = t.error(t.run_gated(stripped, script='at "%s":run(function() end)\n' % location), 125,
                    r"gates\d+\.lua:1: ")
        t.check("debug" in r.err.lower(), "says that there is no debug info", r)
    r = t.clean(t.run_gated(stripped, script='at "helper":run(function() end)\nat "helper%return":run(function() end)\n'))
    t.arrivals(r, "helper", 3)
    t.arrivals(r, "helper%return", 3)


THREADS = """#include <pthread.h>
static int total;
static void *work(void *arg) { total += 2; return arg; }
int main(int argc, char **argv)
{
	int here = 0;
	if (argc > 1)
		*(volatile int *)0 = 1;
	pthread_t t;
	pthread_create(&t, NULL, work, &here);
	total++;
	pthread_join(t, NULL);
	return here;
}
"""
WITHOUT = {
    "run": (["run", "--order", "bare.c:9 -> bare.c:3"], 125),
    "lines": (["lines", "PROG", "bare.c:9"], 125),
    "convert": (["convert", "-o", "made.lua"], 125),
    "points": (["explore", "--runs", "9", "--points", "bare.c"], 125),
    "explore": (["explore", "--runs", "9"], 0),
    "races": (["races", "--runs", "9"], 116),
    "harness": (["harness", "--object", "thing", "-o", "made", "LIBRARY"], 125),
    "crash": (["run", "PROG", "crash"], 139),
    "condition": ('at "main":when "here == 0"', 125),
    "value": ('at "main":run(function(hit) print(hit.var.here) end)', 125),
}


@params(*WITHOUT)
def test_reasons_name_g(t, name):
    """What a command cannot know without debug information it gives -g as the reason for."""
    program = compile_text("bare.c", THREADS, "-g0 -O0")
    library = compile_text("bare.c", THREADS, "-g0 -O0 -fPIC -shared")
    what, status = WITHOUT[name]
    if isinstance(what, str):
        r = t.run_gated(program, script=what + "\n")
    else:
        words = [{"PROG": program, "LIBRARY": library}.get(w, w) for w in what]
        r = t.gate(*words, *([] if words != what else ["--", program]), cwd=t.tmp)
    t.equal(r.status, status, "status", r)
    t.check("debug information" in r.err and re.search(r" -g\b", r.err), "-g is named", r)


def test_repl_reasons_name_g(t):
    program = compile_text("bare.c", THREADS, "-g0 -O0")
    for command in ("print main here", "list main", "next main", "locals main"):
        r = t.gate("repl", program, stdin=("until main main\n%s\n" % command).encode())
        said = r.stdout + r.err
        t.check("debug information" in said and re.search(r" -g\b", said), command, r)


def test_one_thread(t):
    """No order of threads can be searched, which explore and races say; with two threads they do not."""
    one = compile_text("one.c", "int main(void) { return 0; }\n", "-g -O0")
    two = compile_text("two.c", THREADS, "-g -O0")
    for command in ("explore", "races"):
        r = t.gate(command, "--runs", "9", "--", one, cwd=t.tmp)
        t.check("\nthe program had one thread: " in "\n" + r.err, command, r)
        r = t.gate(command, "--runs", "9", "--", two, cwd=t.tmp)
        t.check("one thread" not in r.err, command + " of two", r)
    r = t.gate("explore", "-j2", "--strategy", "random", "--points", "sync", "--runs", "9", "--", one, cwd=t.tmp)
    t.check("the program had one thread: " in r.err, "of several processes", r)


def test_order_faults_name_orders(t):
    """A fault in --order is not in a script: its advice is about the order."""
    for order in ("//helped -> //helped", "a -> ", "helper;p->q -> main"):
        r = t.error(t.run_gated(program(), options=["--order", order]))
        t.check("\ntry: " in r.err and "the script" not in r.err and "gatectl-gates" not in r.err, order, r)
        r = t.error(t.gate("repl", "--order", order, program()), 125, "error: --order: ")
        t.check("\ntry: " in r.err and "the script" not in r.err and "gatectl-gates" not in r.err, "repl: " + order, r)


def damaged(t, name, change):
    with open(program(), "rb") as f:
        data = bytearray(f.read())
    path = t.path(name)
    with open(path, "wb") as f:
        f.write(change(data))
    os.chmod(path, 0o755)
    return path


def not_run(t, path, script="at 'main':run(function() end)\n"):
    r = t.run_gated(path, script=script)
    t.check(r.status in (125, 126), "status", r)
    t.error(r, r.status)
    t.equal(r.stdout, "", "stdout", r)


def test_wrong_architecture(t):
    def aarch64(data):
        data[18:20] = (183).to_bytes(2, "little")
        return data
    not_run(t, damaged(t, "foreign", aarch64))


def test_truncated(t):
    for size in (0, 3, 20, 64, 200, 1000):
        not_run(t, damaged(t, "cut%d" % size, lambda data: data[:size]))


@params(*range(12))
def test_damaged_debug_info(t, seed):
    """Random bytes in the debug sections: an error or an answer, never a crash or a hang."""
    import random
    rng = random.Random(seed)
    out = subprocess.run(["readelf", "-SW", program()], capture_output=True, text=True).stdout
    spans = []
    for line in out.splitlines():
        words = line.replace("[", " ").replace("]", " ").split()
        if len(words) > 6 and words[1].startswith(".debug_"):
            spans.append((int(words[4], 16), int(words[5], 16)))
    if not spans:
        raise Skip("no debug sections in readelf's output")

    def spoil(data):
        for offset, size in spans:
            for _ in range(max(1, size // 40)):
                data[offset + rng.randrange(size)] = rng.randrange(256)
        return data
    path = damaged(t, "spoilt", spoil)
    for location in ("victim.c:6", "helper", "helper%return", "//helped", "helper;n +="):
        r = t.run_gated(path, script='at("%s", {optional = true}):run(function() end)\n' % location,
                        options=["--time-limit", wall(10)])
        t.check(r.status in (0, 125), "an answer or an error", r)
        if r.status == 125:
            t.error(r)


def test_directory_as_program(t):
    r = t.error(t.gate("run", "--", t.tmp), 126, "%s: a directory, not a program$" % t.tmp)
    t.check("\ntry: name the program in it" in r.err, "it says what to do", r)


def test_no_interpreter(t):
    """execve(2) says that there is no such file, but the script is there."""
    script = t.file("script", "#! /no/such/shell -e\ntrue\n")
    os.chmod(script, 0o755)
    r = t.error(t.gate("run", "--", script), 127, "%s: a script for /no/such/shell, which does not exist$" % script)
    t.check("\ntry: correct its first line" in r.err, "it says what to do", r)


def test_few_files(t):
    """It is not memory that there is none of. How many are enough depends on the libraries that gatectl is linked with."""
    script = t.file("few.lua", 'at("main"):run(function() end)\n')
    for most in range(5, 20):
        r = t.run(["sh", "-c", 'ulimit -n %d; exec "$@"' % most, "sh", t.gatectl, "run", "-g", script, "--", program()])
        if r.status == 0:
            break
        t.error(r, 125, "Too many open files$")
        t.check("\ntry: " in r.err and "`ulimit -n`" in r.err, "it says what to do", r)
    t.check(7 < most < 19, "%d files are enough" % most)


# ---- command line ----------------------------------------------------------------------------------

def test_unwritable_report(t):
    """Refused before the program starts."""
    for path in ("/no/such/dir/r.json", t.tmp + "/no/r.json", "/proc/r.json"):
        r = t.gate("run", "--report", path, "--", program())
        t.error(r)
        t.equal(r.stdout, "", "the program was not started", r)


def test_report_of_unknown_kind(t):
    r = t.gate("run", "--report", t.path("r.txt"), "--", program())
    t.error(r)
    t.equal(r.stdout, "", "the program was not started", r)


@params(["run"], [], ["nonsense"], ["run", "--nonsense", "true"], ["run", "-z", "true"],
        ["run", "--gate-limit", "x", "true"], ["run", "--gate-limit", "-1", "true"],
        ["run", "--gate-limit", "", "true"], ["run", "--time-limit", "5s", "true"],
        ["run", "--repeat", "0", "true"], ["run", "--repeat", "-3", "true"], ["run", "--repeat", "99999999999999999999", "true"],
        ["run", "--repeat", "many", "true"], ["run", "-g"], ["run", "--color=blue", "true"],
        ["check", "true"], ["lines"])
def test_usage(t, args):
    r = t.gate(*args)
    t.error(r)


def test_query_errors(t):
    r = t.gate("lines", program(), "helper", "nosuch")
    t.equal(r.status, 125, "status", r)
    t.check("helper" in r.stdout, "the good one is answered", r)
    t.check(r.err.startswith("gatectl: error: "), "first line", r)
    script = t.file("s.lua", "at('helper'):run(function() end)\n\nat('nosuch'):run(function() end)\n")
    r = t.gate("check", "-g", script, program())
    t.equal(r.status, 125, "status", r)
    t.check("s.lua:3: " in r.err, "FILE:LINE", r)
    r = t.gate("lines", t.path("absent"), "main")
    t.check(r.status in (125, 127), "no such program", r)
    t.check(r.err.startswith("gatectl: error: "), "first line", r)


def test_misspelt_mark_is_called_so(t):
    """A mark that is nowhere: said of the mark, not of some library's source that is not installed."""
    r = t.error(t.gate("lines", program(), "//helpd"))
    t.check("helpd" in r.first and "mark" in r.err and "cannot be searched, since it does not exist here" not in r.first,
            "says that no line carries the mark", r)


@params("-fsanitize=undefined", "-fsanitize=address")
def test_mark_without_code_beside_a_library(t, flags):
    """Said of the mark, not of the sanitizer's library, whose source is not installed."""
    text = "int main(int c, char **v)\n{\n#if 0\n\tc++; /* gate: nothing */\n#endif\n\treturn c - 1;\n}\n"
    built = compile_text("beside_library.c", text, "-g " + flags)
    t.error(t.gate("lines", built, "//nothing"), where="beside_library.c:4 has no code of its own")


def test_all_faulty_locations(t):
    """One run names every one of them, of all scripts; the first with what to do, at most twenty."""
    first = t.file("first.lua", 'at "nowhere":log "a"\nat "helper":log "b"\nat "victim.c:900":log "c"\n')
    second = t.file("second.lua", "".join('at "none%d":log "x"\n' % i for i in range(30)))
    r = t.error(t.gate("run", "-g", first, "-g", second, program()), 125, "first.lua:1: nowhere: ")
    lines = r.err.split("\n")
    t.check("first.lua:3: victim.c:900 " in lines[1], "the second", r)
    t.check("second.lua:1: none0: " in lines[2] and "second.lua:18: none17: " in lines[19], "those of the other script", r)
    t.equal(lines[20], "and 12 more", "the rest", r)
    t.equal(r.stdout, "", "nothing has run", r)
    for command in ("prove", "repl"):
        r = t.error(t.gate(command, "-g", first, program(), stdin=b""), 125, "first.lua:1: ")
        t.check("first.lua:3: victim.c:900 " in r.err, command, r)
    script = t.file("words.lua", 'at "a:":log "x"\nat "%return":log "y"\n')
    r = t.error(t.gate("run", "-g", script, program()), 125, "words.lua:1: ")
    t.check("\n%s:2: " % script in r.err, "what is no location at all", r)


def test_misspelt_names_of_an_order(t):
    """Each is named once, with no other doubtful name as a suggestion; of many, twenty."""
    script = t.file("order.lua", 'at("helper", {optional = true}):event "stored"\norder "sored -> sorec -> helpe"\n')
    r = t.error(t.gate("run", "-g", script, program()), 125, "sored: no event or location has this name; did you mean stored?")
    lines = r.err.split("\n")
    t.check("sorec: no event or location has this name; did you mean stored?" in lines[1], "no faulty name is suggested", r)
    t.check("helpe: no function helpe in victim" in lines[2] and "did you mean helper?" in lines[2], "a function is", r)
    t.check(lines[3].startswith("try: write stored"), "each once", r)
    many = t.file("many.lua", 'local t = {} for i = 1, 500 do t[i] = "helpe" .. i end order(table.concat(t, " -> "))')
    r = t.error(t.gate("run", "-g", many, program()), 125, "did you mean helper?")
    t.equal(r.err.count("did you mean"), 20, "suggestions", r)
    t.equal(r.err.split("\n")[20], "and 480 more", "the rest", r)
