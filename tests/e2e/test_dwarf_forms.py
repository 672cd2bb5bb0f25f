"""The same program in every form that debug information is kept in: all questions have the same answers."""

import itertools
import os
import random
import re
import resource
import shutil
import subprocess

import variables
from harness import Skip, params, timeout

HERE = os.path.dirname(os.path.abspath(__file__))
FORMS = ["plain", "split", "types", "split types", "partial", "alternate", "zstd", "split zstd", "package",
         "types package"]
QUICK = [("c", "gcc", "-gdwarf-5", "-O0"), ("c", "gcc", "-gdwarf-4", "-O2"),
         ("c", "clang", "-gdwarf-5", "-O0")]


def run(t, *command):
    p = subprocess.run(command, cwd=t.tmp, capture_output=True, text=True)
    t.equal(p.returncode, 0, "%s\n%s" % (" ".join(command), p.stderr))


def need(*tools):
    for tool in tools:
        if not shutil.which(tool):
            raise Skip("no " + tool)


def sources(t, language):
    names = ["vars.c", "vars.h", "vars_second.c", "vars_lib.c"] if language == "c" else ["vars.cc", "vars.h"]
    for name in names:
        shutil.copy(os.path.join(HERE, "programs", name), t.tmp)
    return [n for n in names if not n.endswith(".h")]


def build(t, case, form):
    """Makes t.tmp/prog and returns its path; its .dwo files stay where they are, or are in a package beside it.
    None: nobody here can make this form."""
    language, compiler, dwarf, optimise = case
    cc = {("c++", "gcc"): "g++", ("c++", "clang"): "clang++"}.get((language, compiler), compiler)
    flags = ["-D_GNU_SOURCE", "-w", "-g", dwarf, optimise]
    flags += ["-std=c++17"] if language == "c++" else []
    flags += ["-gsplit-dwarf"] if "split" in form or "package" in form else []
    flags += ["-fdebug-types-section"] if "types" in form else []
    objects = []
    for name in sources(t, language):
        objects.append(os.path.splitext(name)[0] + ".o")
        run(t, cc, *flags, *(["-fPIC"] if "lib" in name else []), "-c", "-o", objects[-1], name)
    library = [o for o in objects if "lib" in o]
    if library:
        run(t, cc, "-shared", "-o", "libvars.so", *library)
    run(t, cc, "-pthread", "-o", "prog", *[o for o in objects if o not in library],
        *(["-L.", "-lvars", "-Wl,-rpath,$ORIGIN"] if library else []), "-lm")
    return t.path("prog") if finish(t, form, [o[:-2] + ".dwo" for o in objects if o not in library], dwarf) else None


def package(t, dwos, dwarf):
    """False: nobody here can do it. llvm-dwp 14 does not end on some files of gcc, by their unit's number;
    binutils' dwp knows DWARF 4 only."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (2, 2))
    done = shutil.which("llvm-dwp") and \
        subprocess.run(["llvm-dwp", "-o", "prog.dwp", *dwos], cwd=t.tmp, preexec_fn=limit).returncode == 0
    if not done and dwarf == "-gdwarf-4" and shutil.which("dwp"):
        run(t, "dwp", "-o", "prog.dwp", *dwos)
        done = True
    for name in dwos if done else []:
        os.unlink(t.path(name))
    return done


def finish(t, form, dwos, dwarf):
    if "package" in form and not package(t, dwos, dwarf):
        return False
    if form == "partial":
        need("dwz")
        run(t, "dwz", "prog")
    if form == "alternate":
        need("dwz")
        for copy in ("second", "third"):
            shutil.copy(t.path("prog"), t.path(copy))
        run(t, "dwz", "-m", "common.debug", "prog", "second", "third")
        t.check(os.path.exists(t.path("common.debug")), "dwz has found nothing in common")
    if "zstd" in form:
        for name in ["prog"] + (dwos if "split" in form else []):
            p = subprocess.run(["objcopy", "--compress-debug-sections=zstd", name], cwd=t.tmp)
            if p.returncode:
                return False
    return True


def answers(t, program, table):
    r = t.run_gated(program, script=variables.script(table) + '''
at "//%s":run(function(hit)
  for _, f in ipairs(hit:backtrace()) do print("frame", f.func, f.line) end
end)
''' % table[0].gate, args=variables.ARGUMENTS)
    t.equal(r.status, 0, "status", r)
    text = re.sub(re.escape(t.tmp), "DIR", r.err)
    return re.sub(r"gates\d+", "gates", re.sub(r"0x(7f|55|56)[0-9a-f]{10}", "ADDRESS", text))


@timeout(600)
@params(*QUICK)
def test_forms(t, case):
    """Variables and backtraces of programs/vars.c and vars.cc in all forms, against the plain one."""
    forms(t, case)


@timeout(600)
@params(*[c for c in variables.BUILDS if c not in QUICK])
def test_forms_more(t, case):
    if t.full:
        forms(t, case)


# What compilers do in one form only: build, form, gate, label (patterns that match whole), answer.
ONLY_THERE = [
    # it does not name what a dropped pointer points to: DW_OP_implicit_pointer is not written to .dwo files
    ("c gcc .* -O2", "split.*|.*package", "structs", r"ptr(->|\[1\]\.)x", "ptr: optimised out at this line"),
]


def is_known(case, form, gate, label, got):
    """Locations that lie (variables.LIES) do so in every form, and say something else each time."""
    return variables.is_lie(case, gate, label) or any(
        all(re.fullmatch(p, s) for p, s in zip(one, (" ".join(case), form, gate, label))) and one[4] in got
        for one in ONLY_THERE)


def unexplained(case, form, plain, got):
    """Pairs of lines that differ."""
    gate, found = None, []
    for a, b in zip(plain.splitlines(), got.splitlines()):
        if a == b:
            gate = a[a.index("@") + 1:] if "@" in a else gate
            continue
        label = re.search(r"(?:^|: )(\S.*?) [=!] ", b)
        if not label or not is_known(case, form, gate, label.group(1), b):
            found.append((a, b))
    return found


def forms(t, case):
    table = variables.entries(variables.source("vars.cc" if case[0] == "c++" else "vars.c"))
    t.check(len(table) > 90, "a table of %d" % len(table))
    plain = answers(t, build(t, case, "plain"), table)
    for form in FORMS[1:]:
        if form in ("partial", "alternate") and case[1:3] == ("clang", "-gdwarf-5"):
            continue  # dwz 0.15 does not know .debug_addr
        program = build(t, case, form)
        if not program:
            continue
        got = answers(t, program, table)
        different = unexplained(case, form, plain, got)
        t.check(not different, "%s: %d lines differ, the first: %s" % (form, len(different), different[:3]))
        t.equal(len(plain.splitlines()), len(got.splitlines()), "lines")
        for name in ("prog.dwp", "common.debug"):
            if os.path.exists(t.path(name)):
                os.unlink(t.path(name))


TWO = {"main.c": """
#include <stdio.h>
struct item { int id; struct item *next; };
int other(struct item *it, int n);
int main(int argc, char **argv)
{
	struct item a = {argc, NULL}, b = {2, &a};
	int n = other(&b, 3);
	printf("%d\\n", n);
	return 0;
}
""", "other.c": """
struct item { int id; struct item *next; };
int other(struct item *it, int n)
{
	int local = it->id + n;
	return local; /* gate: here */
}
double ratio = 0.75;
"""}


def two(t, *flags):
    for name, text in TWO.items():
        t.file(name, text)
        run(t, "gcc", "-g", "-gsplit-dwarf", *flags, "-c", name)
    run(t, "gcc", "-o", "prog", "main.o", "other.o")
    return t.path("prog")


@params("-gdwarf-4", "-gdwarf-5")
def test_dwo_is_missing(t, version):
    """Lines, functions and addresses are there; what needs DIEs says which file is not."""
    program = two(t, version)
    os.unlink(t.path("other.dwo"))
    r = t.clean(t.run_gated(program, script='''
at "//here":run(function(hit) assert(hit.line == 6) end)
at "other":run(function() end)
at "other%return":run(function(hit) end)
at "main;printf":run(function(hit) assert(hit.var.b.next.id == 1) end)
'''))
    t.equal([p["arrivals"] for p in r.report["places"]], [1, 1, 1, 1], "arrivals", r)
    missing = re.escape(t.path("other.dwo")) + " is missing"
    for script in ('at "//here":run(function(hit) print(hit.var.it) end)\n',
                   'at "//here":run(function(hit) print(hit.var.ratio) end)\n',
                   'at "main;printf":run(function(hit) print(hit.var.ratio) end)\n',
                   'at "other;int local":run(function() end)\n', 'at "other:+3":run(function() end)\n'):
        r = t.error(t.run_gated(program, script=script), 125, r"gates\d+\.lua:1: ")
        t.check(re.search(missing, r.err), "names the file", r)
        t.check("restore the .dwo files" in r.err, "says what to do", r)


def shared(t, *dwz):
    """A program whose types are in common.debug, by dwz -m."""
    need("dwz")
    for name, text in TWO.items():
        t.file(name, text)
    run(t, "gcc", "-gdwarf-5", "-o", "prog", "main.c", "other.c")
    for copy in ("second", "third"):
        shutil.copy(t.path("prog"), t.path(copy))
    run(t, "dwz", *dwz, "-m", "common.debug", "prog", "second", "third")
    return t.path("prog")


SHARED = [[], ["--dwarf-5"]]  # .gnu_debugaltlink, and .debug_sup


@params(*SHARED)
def test_alternate(t, dwz):
    program = shared(t, *dwz)
    t.clean(t.run_gated(program, script='at "//here":run(function(hit) assert(hit.var.it.next.id == 1) end)\n'))


@params(*SHARED)
def test_alternate_is_missing(t, dwz):
    """Lines and functions are there; a variable whose type is not says which file is missing."""
    program = shared(t, *dwz)
    os.unlink(t.path("common.debug"))
    t.clean(t.run_gated(program, script='at "//here":run(function(hit) assert(hit.line == 6) end)\n'
                        'at "other%return":run(function() end)\n'))
    r = t.error(t.run_gated(program, script='at "//here":run(function(hit) print(hit.var.it.next.id) end)\n'),
                125, r"gates\d+\.lua:1: ")
    t.check("common.debug is missing" in r.err, "names the file", r)


@params("-gdwarf-4", "-gdwarf-5")
def test_dwo_of_another_build(t, version):
    program = two(t, version)
    good = t.path("good.dwo")
    shutil.copy(t.path("other.dwo"), good)
    shutil.copy(t.path("main.dwo"), t.path("other.dwo"))
    r = t.error(t.run_gated(program, script='at "//here":run(function(hit) print(hit.var.n) end)\n'), 125)
    t.check("other.dwo: this file is of another build" in r.err, "says so", r)


def test_moved_beside_the_program(t):
    """The .dwo files lie beside the program, wherever they were when it was built."""
    program = two(t)
    os.mkdir(t.path("away"))
    for name in ("prog", "main.dwo", "other.dwo"):
        os.rename(t.path(name), t.path("away/" + name))
    t.clean(t.run_gated(t.path("away/prog"), script='at "//here":run(function(hit) assert(hit.var.n == 3) end)\n'))


@params("split -gdwarf-4", "split -gdwarf-5", "package -gdwarf-4", "package -gdwarf-5", "alternate", "zstd")
def test_damaged(t, form):
    """Random bytes changed: an answer or an error, no crash and no hang."""
    kind, _, version = form.partition(" ")
    program = two(t, *([version, "-fdebug-types-section"] if version else []))
    victim = "other.dwo"
    if kind == "package":
        need("llvm-dwp")
        run(t, "llvm-dwp", "-o", "prog.dwp", "main.dwo", "other.dwo")
        victim = "prog.dwp"
    elif kind in ("alternate", "zstd"):
        run(t, "gcc", "-g", "-o", "prog", "main.c", "other.c")
        finish(t, kind, [], "-gdwarf-5")
        victim = "common.debug" if kind == "alternate" else "prog"
    with open(t.path(victim), "rb") as f:
        whole = f.read()
    script = t.file("look.lua", 'at "//here":run(function(hit) print(hit.var.it.next.id) end)\n')
    rng = random.Random(form)
    for _ in range(300 if t.full else 25):
        bad = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            # of a program only what is not loaded: its code shall run
            bad[rng.randrange(len(bad) // 2 if victim == "prog" else 64, len(bad))] = rng.randrange(256)
        with open(t.path(victim), "wb") as f:
            f.write(bad)
        r = t.gate("check", "-g", script, program) if victim == "prog" else \
            t.gate("run", "-g", script, "--", program)
        t.check(r.status in (0, 125, 126), "status %d" % r.status, r)


SHRINKS = """
#include <stdio.h>
#include <unistd.h>
struct item { int id; struct item *next; };
int other(struct item *it, int n);
int main(int argc, char **argv)
{
	struct item a = {argc, NULL}, b = {2, &a};
	int n = truncate(argv[1], 0); /* gate: before */
	return other(&b, 3) + n; /* gate: after */
}
"""


@params("apart", "split", "package", "alternate")
def test_becomes_shorter(t, form):
    """A file that is mapped is cut while the program runs, by the program: one error that names it."""
    t.file("main.c", SHRINKS)
    t.file("other.c", TWO["other.c"])
    split = ["-gsplit-dwarf"] if form in ("split", "package") else []
    run(t, "gcc", "-gdwarf-4", *split, "-c", "main.c", "other.c")
    run(t, "gcc", "-o", "prog", "main.o", "other.o")
    victim = {"apart": "prog.debug", "split": "main.dwo", "package": "prog.dwp", "alternate": "common.debug"}[form]
    if form == "apart":
        run(t, "objcopy", "--only-keep-debug", "prog", victim)
        run(t, "objcopy", "--strip-debug", "--add-gnu-debuglink=" + victim, "prog")
    else:
        t.check(finish(t, form, ["main.dwo", "other.dwo"], "-gdwarf-4"), "made")
    script = '''at "//before":run(function(hit) assert(hit.var.b.id == 2) end)
at "//after":run(function(hit) print(hit:eval "((struct item *)&a)->id", hit.var.argc) end)
'''
    r = t.run_gated(t.path("prog"), script=script, args=[t.path(victim)])
    t.equal(r.status, 125, "status", r)
    lines = r.err.splitlines()
    t.equal([l.startswith(s) for l, s in zip(lines, ("gatectl: error: %s: cannot be read any more" % t.path(victim),
                                                     "try: "))], [True, True], "one error", r)
    t.equal(len(lines), 2, "lines", r)


COMMON = """
namespace app {
struct Pair { int first, second; };
enum limits { limit = -5 };
extern limits used;
struct Limits { static double factor; static constexpr int least = 3; static void reset(); };
}
#define KEEP __attribute__((noinline, used))
"""
ONE = """
#include "common.h"
namespace app { static double share = %d.5; static const char *label = "%s"; }
KEEP int %s(int by)
{
	app::Pair p = {by, app::Limits::least};
	app::share += by;
	return p.first + *app::label; /* gate: %s */
}
"""
IN_TWO = """
at "//one":run(function(hit)
  print(hit.var["app::share"], hit.var["app::label"]:string(), hit.var["app::Limits::factor"], hit.var["app::Limits::least"])
  print(hit.var["'two.cc'::app::share"], hit:eval "sizeof(app::Pair)", hit:eval "app::limit")
end)
at "//two":run(function(hit) print(hit.var["app::share"], hit.var["app::label"]:string(), hit:eval "app::Limits::factor") end)
at "app::Limits::reset":run(function(hit) print(hit.func, hit.var.factor) end)
"""
IN_TWO_SAY = ["2.5\tone\t0.75\t3", "2.5\t8\t-5", "3.5\ttwo\t0.75", "app::Limits::reset\t0.75"]


@timeout(300)
@params(*itertools.product(("g++", "clang++"), ("-gdwarf-4", "-gdwarf-5"), FORMS))
def test_in_two_units(t, case):
    """Two units declare the same: each has its own static variables; a class is known everywhere."""
    compiler, version, form = case
    if form in ("partial", "alternate") and case[:2] == ("clang++", "-gdwarf-5"):
        return  # dwz 0.15 does not know .debug_addr
    t.file("common.h", COMMON)
    t.file("one.cc", ONE % (1, "one", "one", "one"))
    t.file("two.cc", ONE % (2, "two", "two", "two") +
           "app::limits app::used = app::limit;\ndouble app::Limits::factor = 0.75;\n"
           "void app::Limits::reset() { share = 0; }\n")
    t.file("main.cc", "#include \"common.h\"\nint one(int), two(int);\n"
           "int main() { int n = one(1) + two(1); app::Limits::reset(); return n != 'o' + 't' + 2; }\n")
    flags = ["-w", "-g", version] + (["-gsplit-dwarf"] if "split" in form or "package" in form else []) + \
        (["-fdebug-types-section"] if "types" in form else [])
    names = ["main", "one", "two"]
    for name in names:
        run(t, compiler, *flags, "-c", name + ".cc")
    run(t, compiler, "-o", "prog", *[n + ".o" for n in names])
    if not finish(t, form, [n + ".dwo" for n in names], version):
        return
    r = t.run_gated(t.path("prog"), script=IN_TWO)
    t.equal(r.status, 0, "status", r)
    t.equal([l for l in r.err.splitlines() if not l.startswith("gatectl: note")], IN_TWO_SAY, "answers", r)
