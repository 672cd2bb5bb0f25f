#!/usr/bin/env python3
"""hit:backtrace() says in every frame what gdb says: function, file and line, inlined copies too.

usage: backtrace_vs_gdb.py [GATECTL [LINES [SEED]]]

Gates are put at LINES lines chosen at random of each program below, built in many ways; both look at the
first executions of each address. Without address space randomization both see the same addresses.
What differs and is known is in the table KNOWN, with its reason; everything else fails.
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FIRST = 3  # executions of one address that are looked at

STACKS_C = r"""
#include <alloca.h>
#include <pthread.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NOINLINE __attribute__((noinline))
#define ALWAYS static inline __attribute__((always_inline))
volatile int sink;
static jmp_buf back;

static NOINLINE int tip(int a, int b)
{
	sink += a * b; /* gate: tip */
	return a + b;
}
static NOINLINE int recurse(int n)
{
	int r = 1;
	if (n > 0)
		r += recurse(n - 1);
	else
		r += tip(n, 3); /* gate: bottom */
	sink += r; /* gate: unwound */
	return r;
}
static NOINLINE int odd(int n);
static NOINLINE int even(int n)
{
	sink = n; /* gate: even */
	return n == 0 ? 1 : odd(n - 1);
}
static NOINLINE int odd(int n)
{
	sink = n + 1;
	return n == 0 ? 0 : even(n - 1);
}
static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	sink += x; /* gate: compare */
	return x < y ? -1 : x > y;
}
static NOINLINE int sorted(void)
{
	int v[] = {5, 3, 9, 1, 7, 2}, key = 7;
	qsort(v, 6, sizeof(*v), compare);
	return *(int *)bsearch(&key, v, 6, sizeof(*v), compare) + tip(v[0], v[5]);
}
ALWAYS int inner(int n)
{
	sink += n; /* gate: inner */
	return n * 3;
}
ALWAYS int middle(int n)
{
	int r = inner(n + 1);
	sink ^= r; /* gate: middle */
	return r + inner(r);
}
static NOINLINE int outer(int n)
{
	int r = middle(n) + middle(n + 5);
	return r + tip(r, n); /* gate: outer */
}
static NOINLINE int with_alloca(int n)
{
	char *p = alloca(n * 16 + 16);
	memset(p, n, n * 16 + 16);
	sink += tip(p[n], n); /* gate: alloca */
	return p[0];
}
static NOINLINE int with_vla(int n)
{
	volatile int v[n + 1];
	v[n] = n;
	if (n > 2)
		sink += with_vla(n - 1);
	return tip(v[n], n); /* gate: vla */
}
static NOINLINE int variadic(const char *f, ...)
{
	va_list ap;
	int r = 0;
	va_start(ap, f);
	while (*f++)
		r += tip(va_arg(ap, int), 2); /* gate: variadic */
	va_end(ap);
	return r;
}
static NOINLINE double floats(double a, long double b)
{
	sink += (int)a; /* gate: floats */
	return a * 2 + (double)b + tip((int)a, 1);
}
struct wide { long v[20]; };
static NOINLINE struct wide by_value(struct wide w)
{
	w.v[3] += tip((int)w.v[1], 4); /* gate: by-value */
	return w;
}
static NOINLINE int many(int a, int b, int c, int d, int e, int f, int g, int h, int i)
{
	return tip(a + b + c + d, e + f + g + h + i); /* gate: many */
}
static void on_signal(int sig)
{
	sink += tip(sig, 1); /* gate: handler */
}
static NOINLINE void raised(int flags)
{
	struct sigaction a = {.sa_handler = on_signal, .sa_flags = flags};
	sigaction(SIGUSR1, &a, NULL);
	raise(SIGUSR1);
	sink++; /* gate: raised */
}
static void on_fault(int sig)
{
	sink += sig; /* gate: fault */
	longjmp(back, 1);
}
static NOINLINE int faulting(volatile int *p)
{
	return *p + 1;
}
static NOINLINE void faults(void)
{
	struct sigaction a = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK | SA_NODEFER};
	sigaction(SIGSEGV, &a, NULL);
	if (!setjmp(back))
		sink += faulting((int *)8);
}
static NOINLINE __attribute__((noreturn)) void never_back(int n)
{
	sink += tip(n, 9); /* gate: noreturn */
	longjmp(back, 1);
}
static NOINLINE void calls_noreturn(int n)
{
	if (n > 0)
		never_back(n);
	sink++;
}
static void *thread(void *arg)
{
	sink += recurse(2) + (arg != NULL); /* gate: thread */
	return arg;
}
static NOINLINE int through(int (*f)(int), int n)
{
	return f(n) + 1; /* gate: through */
}
static void walk(const void *node, VISIT which, int level)
{
	sink += level + (which == tip(level, 2)) + (node != NULL); /* gate: walk */
}
static NOINLINE void tree(void)
{
	static int v[] = {4, 2, 6};
	void *root = NULL;
	for (int i = 0; i < 3; i++)
		tsearch(&v[i], &root, compare);
	twalk(root, walk);
}
static void at_end(void)
{
	sink += tip(1, 1); /* gate: atexit */
}
__attribute__((constructor)) static void at_start(void)
{
	sink += tip(2, 2); /* gate: constructor */
}
int main(void)
{
	static char stack[65536];
	stack_t alt = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct wide w = {{1, 2, 3, 4}};
	pthread_t t;
	sigaltstack(&alt, NULL);
	atexit(at_end);
	sink += recurse(4);
	sink += even(5);
	sink += sorted();
	sink += outer(2);
	sink += with_alloca(3);
	sink += with_vla(4);
	sink += variadic("abc", 1, 2, 3);
	sink += (int)floats(2.5, 1.5L);
	sink += (int)by_value(w).v[3];
	sink += many(1, 2, 3, 4, 5, 6, 7, 8, 9); /* gate: main */
	raised(0);
	raised(SA_ONSTACK);
	faults();
	if (!setjmp(back))
		calls_noreturn(sink != 0);
	pthread_create(&t, NULL, thread, &t);
	pthread_join(t, NULL);
	sink += through(recurse, 1) + through(outer, 1);
	tree();
	return sink == 12345;
}
"""

STACKS_CC = r"""
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#define NOINLINE __attribute__((noinline))
volatile int sink;
namespace shop {
static NOINLINE int touch(int n)
{
	sink = sink + n; // gate: touch
	return n + 1;
}
namespace {
NOINLINE int hidden(int n)
{
	return touch(n) + 2; // gate: hidden
}
}
struct Shape {
	virtual ~Shape() { sink = sink + 1; } // gate: base-destructor
	virtual int area() const = 0;
	NOINLINE int twice() const
	{
		return 2 * area(); // gate: twice
	}
};
template <class T> struct Square final : Shape {
	T side;
	NOINLINE explicit Square(T s) : side(s)
	{
		sink = sink + touch(static_cast<int>(s)); // gate: constructor
	}
	NOINLINE ~Square() override
	{
		sink = sink + touch(3); // gate: destructor
	}
	int area() const override
	{
		return touch(static_cast<int>(side * side)); // gate: area
	}
	template <class U> NOINLINE U scaled(U by) const
	{
		return by * static_cast<U>(touch(4)); // gate: scaled
	}
};
class Counter {
public:
	NOINLINE int operator()(int n)
	{
		count_ += touch(n); // gate: call-operator
		return count_;
	}
	NOINLINE Counter &operator+=(int n)
	{
		count_ += touch(n); // gate: plus-operator
		return *this;
	}
	NOINLINE operator int() const
	{
		return touch(count_); // gate: conversion
	}

private:
	int count_ = 0;
};
}
static NOINLINE int thrower(int n)
{
	if (n > 2)
		throw std::runtime_error("deep"); // gate: throw
	return thrower(n + 1) + 1;
}
struct Guard {
	~Guard() { sink = sink + shop::touch(5); } // gate: cleanup
};
static NOINLINE int guarded()
{
	Guard g;
	return thrower(0) + 1;
}
static NOINLINE int caught()
{
	try {
		return guarded();
	} catch (const std::exception &e) {
		return shop::touch(e.what()[0]); // gate: catch
	}
}
static NOINLINE int sorts()
{
	std::vector<int> v{5, 2, 8, 1, 9, 3};
	std::sort(v.begin(), v.end(), [](int a, int b) {
		sink = sink + 1; // gate: lambda
		return a < b;
	});
	return std::count_if(v.begin(), v.end(), [&](int i) { return shop::touch(i) > 3; }); // gate: count-if
}
static NOINLINE int functions()
{
	shop::Counter counter;
	std::function<int(int)> f = std::ref(counter);
	int local = 3;
	auto nested = [&local](int n) {
		auto again = [&local, n](int m) {
			return shop::touch(local + n + m); // gate: nested-lambda
		};
		return again(1) + again(2);
	};
	counter += 3;
	return f(1) + nested(2) + counter;
}
static struct Static {
	NOINLINE Static() { sink = sink + shop::touch(7); } // gate: static-init
	NOINLINE ~Static() { sink = sink + shop::touch(8); } // gate: static-destroy
} at_start;
struct Worker {
	NOINLINE void run(int n)
	{
		sink = sink + shop::hidden(n); // gate: worker
	}
};
extern "C" NOINLINE int plain_c(int (*f)(int))
{
	return f(3); // gate: extern-c
}
int main()
{
	std::unique_ptr<shop::Shape> shape = std::make_unique<shop::Square<double>>(2.0);
	shop::Square<int> square(3);
	std::map<std::string, int> words;
	Worker worker;
	sink = sink + shape->twice() + square.twice();
	sink = sink + square.scaled(2L) + static_cast<int>(square.scaled(1.5f));
	sink = sink + caught() + sorts() + functions();
	std::thread t(&Worker::run, &worker, 4);
	t.join();
	std::thread u([&] { worker.run(5); });
	u.join();
	words["one"] = plain_c(shop::hidden); // gate: main
	shape.reset();
	return sink == 12345;
}
"""

LIBRARY_C = r"""
extern volatile int lib_sink;
volatile int lib_sink;
static __attribute__((noinline)) int deeper(int (*f)(int), int n)
{
	lib_sink += n; /* gate: deeper */
	return n > 0 ? deeper(f, n - 1) + 1 : f(n) + 1;
}
int lib_each(int (*f)(int), int n)
{
	int r = 0;
	for (int i = 0; i < n; i++)
		r += deeper(f, i); /* gate: each */
	return r;
}
"""
USES_C = r"""
extern int lib_each(int (*f)(int), int n);
volatile int sink;
static __attribute__((noinline)) int called_back(int n)
{
	sink += n; /* gate: called-back */
	return n;
}
int main(void)
{
	sink += lib_each(called_back, 3); /* gate: main */
	return 0;
}
"""

SOURCES = {"stacks.c": STACKS_C, "stacks.cc": STACKS_CC, "libeach.c": LIBRARY_C, "uses.c": USES_C}
C_FLAGS = ["-O0", "-O1", "-O2", "-O3", "-Os", "-Og", "-O2 -fno-omit-frame-pointer", "-O2 -gdwarf-4",
           "-O2 -static", "-O2 -no-pie", "-O2 -fno-optimize-sibling-calls",
           "-O2 -fno-asynchronous-unwind-tables"]
CXX_FLAGS = ["-O0", "-O1", "-O2", "-O3", "-O2 -gdwarf-4"]


# ---- what is known to differ -------------------------------------------------------------------

# Each makes of our frames what gdb would have said of them.

def without_begun(ours, theirs):
    """Copies that begin at the very address, of which gdb hides those that it calls not entered."""
    hidden, begins = 0, [name_of({"func": name}) for name in theirs[0]["begins"]]
    while (ours[hidden]["inlined"] and name_of(ours[hidden]) in begins
           and shown(ours[hidden]) != shown(theirs[0])):
        hidden += 1
    return ours[hidden:]


def place(frame):
    return frame["file"] and os.path.basename(frame["file"]), frame["line"]


def without_empty(ours, theirs):
    """A copy without an instruction: gdb has no block of it, but the line of its row."""
    if (ours[0]["inlined"] and name_of(ours[0]) not in map(name_of, theirs[0]["blocks"])
            and place(ours[0]) == place(theirs[0])):
        return [dict(ours[1], file=theirs[0]["file"], line=theirs[0]["line"])] + ours[2:]
    return ours


def tail_as_gdb(ours, theirs):
    """A function that has ended in a jump, with copies inside of it: gdb shows the innermost copy."""
    result, i = [], 0
    for frame in theirs:
        if (frame["tail"] and i < len(ours) and ours[i]["inlined"]
                and shown(dict(frame, inlined=True)) == shown(ours[i])):
            result.append(frame)
            while i < len(ours) and ours[i]["inlined"]:
                i += 1
        elif i < len(ours):
            result.append(ours[i])
        i += 1
    return result + ours[i:]


def with_guessed(ours, theirs):
    """A function of another object that has ended in a jump: nothing on the stack tells of it."""
    result, i = [], 0
    for frame in theirs:
        if frame["tail"] and (i >= len(ours) or shown(ours[i]) != shown(frame)):
            result.append(frame)
        elif i < len(ours):
            result.append(ours[i])
            i += 1
    return result + ours[i:]


def inside(ours, theirs):
    """Copies inside of the function that the gate's line is in: the instruction is one of theirs."""
    more = len(theirs) - len(ours)
    if more > 0 and all(f["inlined"] for f in theirs[:more]) and (
            shown(theirs[more]) == shown(ours[0]) or
            (name_of(theirs[more]) == name_of(ours[0]) and ours[0]["line"] in theirs[more].get("here", ()))):
        return theirs[:more + 1] + ours[1:]
    return ours


def of_statement(ours, theirs):
    """A row that begins no statement: gdb gives the line of the statement that begins at the same address."""
    if len(ours) != len(theirs):
        return ours
    return [dict(a, line=b["line"]) if a["line"] in b.get("beside", ()) else a for a, b in zip(ours, theirs)]


def with_longer(ours, theirs):
    """A copy that is over: gdb 18 lets it go on until the next line begins, so it is where its caller is."""
    result, i = [], 0
    for frame, caller in zip(theirs, theirs[1:] + [None]):
        if (frame["inlined"] and caller and place(frame) == place(caller)
                and (i >= len(ours) or shown(ours[i]) != shown(frame))):
            result.append(frame)
        elif i < len(ours):
            result.append(ours[i])
            i += 1
    return result + ours[i:]


def of_header(ours, theirs):
    """A row of a copy without instructions: gdb gives the header's line, gatectl that of the user's statement."""
    if len(ours) != len(theirs):
        return ours
    return [dict(a, file=b["file"], line=b["line"])
            if (b["file"] or "").startswith("/usr/") and not (a["file"] or "/usr/").startswith("/usr/") and not a["inlined"] else a
            for a, b in zip(ours, theirs)]


KNOWN = [
    (without_begun, "gdb shows a thread at the first instruction of an inlined copy as not there "
     "yet when it was stopped by an address; a gate on the copy's line is in the copy"),
    (without_empty, "gdb knows no inlined copy that has no instruction; a gate on the copy's line is in the copy"),
    (tail_as_gdb, "gdb shows no inlined frames in a function that has ended in a jump"),
    (with_guessed, "gdb guesses from call sites which function has ended in a jump, in other objects "
     "too; gatectl within one object"),
    (of_statement, "gdb gives the line of a statement also for code of another line that begins at its address"),
    (of_header, "gdb gives the line of a header's copy that has no instruction, in the user's function"),
    (with_longer, "gdb 18 takes code behind an inlined copy for a part of it, up to the next line"),
    (inside, "gdb shows the copy that the instruction is in; a gate on a line of the function around it is in that one"),
]


# ---- gdb ---------------------------------------------------------------------------------------

GDB_SCRIPT = r"""
import gdb, json, os, re
gdb.execute("set pagination off")
gdb.execute("set confirm off")
gdb.execute("set backtrace past-main on")
gdb.execute("set backtrace past-entry on")
gdb.execute("set debuginfod enabled off")
gdb.execute("set print thread-events off")
gdb.execute("set startup-with-shell off")
for s in ("SIGUSR1", "SIGSEGV"):
    gdb.execute("handle %s nostop noprint pass" % s, to_string=True)
found, tables = [], {}

def rows(name):
    # address -> lines of the rows there; gdb 13 ends itself where a script goes through symtab.linetable()
    if name not in tables:
        tables[name] = {}
        text = gdb.execute("maint info line-table " + name.split("/")[-1] + "$", to_string=True)
        for words in (line.split() for line in text.split(chr(10))):
            if len(words) > 3 and words[0].isdigit() and words[1].isdigit():
                tables[name].setdefault(int(words[2], 16), []).append(int(words[1]))
    return tables[name]

def chain(pc):
    block, result = gdb.block_for_pc(pc), []
    while block is not None and not block.is_static and not block.is_global:
        if block.function is not None:
            result.append((block.start, block.end, block.function.print_name))
        block = block.superblock
    return result

def begins():
    # functions of which an inlined copy, or a part of one, begins at this address
    pc = gdb.newest_frame().pc()
    before = chain(pc - 1)
    return [b[2] for b in chain(pc) if b not in before]

def blocks():
    pc = gdb.newest_frame().pc()
    return [{"func": b[2]} for b in chain(pc) + chain(pc - 1)]

def frames():
    result, f = [], gdb.newest_frame()
    while f is not None and len(result) < 200:
        sal, signal = f.find_sal(), f.type() == gdb.SIGTRAMP_FRAME
        result.append({"func": None if signal else f.name(), "inlined": f.type() == gdb.INLINE_FRAME,
                       "tail": f.type() == gdb.TAILCALL_FRAME,
                       "file": sal.symtab.filename if sal.symtab and not signal else None,
                       "line": sal.line if sal.symtab and not signal else None,
                       "signal": signal, "address": f.pc()})
        if sal.symtab and not signal:
            result[-1]["here"] = rows(sal.symtab.filename).get(result[0]["address"], [])
        if f.type() == gdb.INLINE_FRAME and sal.symtab:
            result[-1]["beside"] = rows(sal.symtab.filename).get(sal.pc if len(result) > 1 else f.pc(), [])
        f = f.older()
    result[0]["begins"] = begins()
    result[0]["blocks"] = blocks()
    return result

class At(gdb.Breakpoint):
    def __init__(self, address, called):
        super().__init__("*0x%x" % address, internal=True)
        self.at, self.count = called, 0
    def stop(self):
        self.count += 1
        if self.count <= FIRST:
            found.append([self.at, self.count, frames()])
        else:
            self.enabled = False
        return False

gdb.execute("starti", to_string=True)
for a in ADDRESSES:
    At(a, a)
if LATE:
    gdb.execute("tbreak main", to_string=True)
    gdb.execute("continue", to_string=True)
    moved = int(gdb.parse_and_eval("(long)&lib_sink")) - LIBRARY
    for a in LATE:
        At(a + moved, a)
gdb.execute("continue", to_string=True)
with open(OUT, "w") as f:
    json.dump(found, f)
"""


def gdb_stacks(program, addresses, late, library, directory):
    out, script = os.path.join(directory, "gdb.json"), os.path.join(directory, "gdb.py")
    head = "FIRST, ADDRESSES, LATE, LIBRARY, OUT = %r, %r, %r, %r, %r\n" % (
        FIRST, addresses, late, library, out)
    with open(script, "w") as f:
        f.write(head + GDB_SCRIPT)
    if os.path.exists(out):
        os.unlink(out)
    p = subprocess.run(["gdb", "-nx", "-batch", "-x", script, program], cwd=directory, timeout=600,
                       stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if not os.path.exists(out):
        raise RuntimeError("gdb: " + p.stderr[-2000:] + p.stdout[-2000:])
    with open(out) as f:
        return {(a, n): frames for a, n, frames in json.load(f)}


# ---- gatectl -----------------------------------------------------------------------------------

GATES = r"""
local function text(v) return v == nil and "-" or tostring(v) end
local function look()
	local count = {}
	return function(h)
		local bt = h:backtrace()
		local at = bt[1].address
		count[at] = (count[at] or 0) + 1
		if count[at] > FIRST then return end
		local ok, library = pcall(function() return h:eval "&lib_sink":address() end)
		print("STACK", at, count[at], ok and library or 0)
		for _, f in ipairs(bt) do
			print("FRAME", text(f.func), text(f.file), text(f.line), text(f.inlined), text(f.signal), f.address)
		end
		if bt.cut then print("CUT", bt.cut) end
	end
end
"""


def gatectl_stacks(gatectl, program, locations, directory):
    script = os.path.join(directory, "gates.lua")
    with open(script, "w") as f:
        f.write(GATES.replace("FIRST", str(FIRST)))
        for location in locations:
            f.write('at("%s", {optional = true}):run(look())\n' % location)
    p = subprocess.run(["setarch", "-R", gatectl, "run", "-g", script, program], cwd=directory,
                       stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    if p.returncode:
        raise RuntimeError("gatectl: status %d: %s" % (p.returncode, p.stderr[-2000:]))
    stacks, frames, library = {}, [], 0
    for line in p.stderr.splitlines():
        words = line.split("\t")
        if words[0] == "STACK":
            frames, library = [], int(words[3])
            stacks.setdefault((int(words[1]), int(words[2])), []).append(frames)
        elif words[0] == "FRAME":
            func, file, number, inlined, signal, address = words[1:]
            frames.append({"func": None if func == "-" or signal == "true" else func,
                           "file": None if file == "-" or signal == "true" else file,
                           "line": None if number == "-" or signal == "true" else int(number),
                           "inlined": inlined == "true", "signal": signal == "true",
                           "address": int(address)})
        elif words[0] == "CUT":
            frames.append({"func": "cut: " + words[1], "file": None, "line": None,
                           "inlined": False, "signal": False, "address": 0})
    return stacks, library


# ---- comparing ---------------------------------------------------------------------------------

def without_arguments(name):
    """gdb leaves the arguments away as well, but not where it stumbles over their types."""
    if not name or not re.search(r"\)( const)?$", name) or name.endswith("operator()"):
        return name
    depth = 0
    for i in range(name.rindex(")"), -1, -1):
        depth += (name[i] == ")") - (name[i] == "(")
        if depth == 0:
            return name[:i]
    return name


def name_of(frame):
    """For gdb the function of a lambda is in no class and no function."""
    name = without_arguments(frame["func"])
    name = name and re.sub(r"\.(part|isra|constprop|cold)(\.\d+)*$", "", name)
    name = name and re.sub(r"(?<=\w) \((?=.*>)", "(", name)  # gdb 15 writes int(int) for the compiler's int (int)
    return name and re.sub(r"^.*(\{unnamed\}|\$_\d+|\{lambda\(.*\)#\d+\})::(?=operator\(\)$)", "",
                           name)


def shown(frame):
    if frame["signal"]:
        return "<signal handler called>"
    return "%s at %s:%s%s" % (name_of(frame), frame["file"] and os.path.basename(frame["file"]),
                              frame["line"], " (inlined)" if frame["inlined"] else "")


def marked(frames, at):
    return "".join("\n    %s#%d %s%s" % (">" if i == at else " ", i, shown(f),
                                        " (tail call)" if f.get("tail") else "")
                   for i, f in enumerate(frames)) + (
                       "\n    begins: %s" % frames[0]["begins"] if frames[0].get("begins") else "")


def same(ours, theirs):
    return [shown(f) for f in ours] == [shown(f) for f in theirs]


def libraries(program):
    out = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    return re.findall(r"(/\S+) \(0x", out)


def aliases(program):
    """Of each symbol all the names of its address: the program's, and what its libraries export."""
    names = {}
    for command in [["nm", program], *(["nm", "-D", lib] for lib in libraries(program))]:
        at = {}
        out = subprocess.run(command, capture_output=True, text=True).stdout
        for words in map(str.split, out.splitlines()):
            if len(words) == 3:
                name = words[2].split("@")[0]
                same_place = at.setdefault(words[0], set())
                same_place.add(name)
                names.setdefault(name, same_place)
    return names


def one_name(frames, names):
    """Where there is no DWARF, an address may have several names: any is right."""
    return [f if f["file"] or f["func"] not in names else dict(f, func=min(names[f["func"]]))
            for f in frames]


def difference(ours, theirs):
    """None, or which frame differs and how; and the reasons of what is known."""
    reasons, before = [], ours
    for as_gdb, reason in KNOWN:
        if same(ours, theirs):
            return None, reasons
        changed = as_gdb(ours, theirs)
        if not same(changed, ours):
            ours, reasons = changed, reasons + [reason]
    if same(ours, theirs):
        return None, reasons
    ours = before
    a, b = [shown(f) for f in ours], [shown(f) for f in theirs]
    i = next((i for i in range(min(len(a), len(b))) if a[i] != b[i]), min(len(a), len(b)))
    return "frame %d\n  gatectl:%s\n  gdb:%s" % (i, marked(ours, i), marked(theirs, i)), None


def lines_of(name, rng, most):
    """Lines of a source text in random order: marks first, for they are where it is difficult."""
    text = SOURCES[name].splitlines()
    marked = [i for i, l in enumerate(text, 1) if "gate: " in l]
    others = [i for i, l in enumerate(text, 1) if re.search(r"[;{}]", l) and i not in marked]
    rng.shuffle(marked)
    rng.shuffle(others)
    return (marked[:most * 2 // 3] + others)[:most]


def with_code(gatectl, program, locations):
    """Those of the locations that mean something in this program."""
    good = []
    for location in locations:
        p = subprocess.run([gatectl, "lines", program, location], capture_output=True, text=True)
        if p.returncode == 0:
            good.append(location)
    return good


def compare(gatectl, label, program, names, rng, most, directory):
    """How many stacks were compared, and what differs."""
    locations = ["%s:%d" % (n, line) for n in names for line in lines_of(n, rng, most // len(names))]
    ours, library = gatectl_stacks(gatectl, program, with_code(gatectl, program, locations),
                                   directory)
    names = aliases(program)
    addresses = sorted({a for a, _ in ours})
    early = [a for a in addresses if a < 0x7f0000000000]
    late = [a for a in addresses if a >= 0x7f0000000000]
    theirs = gdb_stacks(program, early, late, library, directory)
    compared, wrong, known = 0, [], {}
    for key, stack in [(key, s) for key, stacks in sorted(ours.items()) for s in stacks]:
        if key not in theirs:
            wrong.append("%s: gdb did not come to 0x%x for the %d. time\n    %s" % (
                label, key[0], key[1], "\n    ".join(shown(f) for f in stack)))
            continue
        compared += 1
        text, reasons = difference(one_name(stack, names), one_name(theirs[key], names))
        for reason in reasons or []:
            known[reason] = known.get(reason, 0) + 1
        if text:
            wrong.append("%s: at 0x%x, %d. time: %s" % (label, key[0], key[1], text))
    return compared, wrong, known


def build(compiler, flags, sources, out, directory):
    command = [compiler, "-g", "-w", "-D_GNU_SOURCE", "-pthread", *flags.split(), *sources, "-o", out]
    p = subprocess.run(command, cwd=directory, capture_output=True, text=True)
    if p.returncode:
        print("SKIP %s: %s" % (" ".join(command), p.stderr.strip().splitlines()[-1:]))
    return p.returncode == 0


def recipes():
    """Label, compiler, flags, source, and whether it is built for a quick run too."""
    for compiler, cxx in (("gcc", "g++"), ("clang", "clang++")):
        if not shutil.which(compiler):
            continue
        for flags in C_FLAGS:
            yield compiler, flags, "stacks.c", flags in ("-O0", "-O2")
        for flags in CXX_FLAGS:
            yield cxx, flags, "stacks.cc", flags == "-O2"
        for flags in ("-O0", "-O2"):
            yield compiler, flags, "uses.c", flags == "-O2"


def programs(directory, quick):
    """Label, path and source names of each program, built one by one."""
    for name, text in SOURCES.items():
        with open(os.path.join(directory, name), "w") as f:
            f.write(text)
    path, library = os.path.join(directory, "program"), os.path.join(directory, "libeach.so")
    for compiler, flags, source, is_quick in recipes():
        names, link = [source], []
        if quick and not is_quick:
            continue
        if source == "uses.c":
            names, link = [source, "libeach.c"], [library, "-Wl,-rpath," + directory]
            if not build(compiler, flags + " -shared -fPIC", ["libeach.c"], library, directory):
                continue
        if build(compiler, flags, [source, *link], path, directory):
            yield "%s %s %s" % (compiler, flags, source), path, names


def run(gatectl, locations, seed, directory, quick=False, out=print):
    """How many stacks were compared, and what differs."""
    rng = random.Random(seed)
    total, wrong, known, count = 0, [], {}, 0
    for label, path, names in programs(directory, quick):
        try:
            n, w, k = compare(gatectl, label, path, names, rng, locations, directory)
        except (RuntimeError, subprocess.TimeoutExpired) as e:
            n, w, k = 0, ["%s: %s" % (label, e)], {}
        total, count, wrong = total + n, count + 1, wrong + w
        for reason, times in k.items():
            known[reason] = known.get(reason, 0) + times
        for text in w:
            out("FAIL " + text)
    for reason, times in known.items():
        out("known: %d times: %s" % (times, reason))
    out("%d programs, %d stacks compared, %d differ (seed %d)" % (count, total, len(wrong), seed))
    return total, wrong


def main():
    gatectl = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/gatectl")
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 12
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    if not shutil.which("gdb"):
        print("SKIP: gdb is not installed (apt-get install gdb)")
        return 0
    with tempfile.TemporaryDirectory() as directory:
        total, wrong = run(gatectl, most, seed, directory)
    return 1 if wrong or not total else 0


if __name__ == "__main__":
    sys.exit(main())
