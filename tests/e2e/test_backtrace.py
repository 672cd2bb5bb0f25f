"""hit:backtrace() and hit:frame(): frames written down by hand; and gdb's, where there is gdb.

Also what reading costs: system calls for each hit, and units of DWARF that are read.
"""

import os
import re
import shutil
import subprocess
import sys

import backtrace_vs_gdb
from harness import Process, Skip, compile_text, params, timeout, wait_until

C, CXX = backtrace_vs_gdb.STACKS_C, backtrace_vs_gdb.STACKS_CC
SIGNAL = "<signal handler called>"

# Mark, arrival, frames from the innermost outward: a function, with * when it is an inlined copy,
# with the text of the line where it is behind @; "..." is any number of frames.
STACKS_OF_C = [
    ("tip", 1, ["tip", "at_start @gate: constructor", "..."]),
    ("bottom", 1, ["recurse", "recurse @r += recurse(", "recurse", "recurse", "recurse",
                   "main @sink += recurse(4)", "..."]),
    ("even", 1, ["even", "main @sink += even(5)", "..."]),
    ("compare", 1, ["compare", "...", "sorted @qsort(v", "main @sink += sorted()", "..."]),
    ("inner", 1, ["inner*", "middle* @int r = inner(", "outer @int r = middle(",
                  "main @sink += outer(2)", "..."]),
    ("outer", 1, ["outer", "main @sink += outer(2)", "..."]),
    ("alloca", 1, ["with_alloca", "main @with_alloca(3)", "..."]),
    ("vla", 1, ["with_vla", "with_vla @sink += with_vla", "with_vla @sink += with_vla",
                "main @with_vla(4)", "..."]),
    ("variadic", 1, ["variadic", "main @variadic(\"abc\"", "..."]),
    ("floats", 1, ["floats", "main @floats(2.5", "..."]),
    ("by-value", 1, ["by_value", "main @by_value(w)", "..."]),
    ("many", 1, ["many", "main @gate: main", "..."]),
    ("handler", 1, ["on_signal", SIGNAL, "...", "raised @raise(SIGUSR1)", "main @raised(0)", "..."]),
    ("handler", 2, ["on_signal", SIGNAL, "...", "raised @raise(SIGUSR1)", "main @raised(SA_ON",
                    "..."]),
    ("fault", 1, ["on_fault", SIGNAL, "faulting @return *p + 1", "faults @faulting((int",
                  "main @\tfaults();", "..."]),
    ("noreturn", 1, ["never_back", "calls_noreturn @\t\tnever_back(n)", "main @calls_noreturn(sink",
                     "..."]),
    ("thread", 1, ["thread", "..."]),
    ("through", 1, ["through", "main @through(recurse", "..."]),
    ("walk", 1, ["walk", "...", "tree @twalk(root", "main @tree();", "..."]),
    ("atexit", 1, ["at_end", "..."]),
    ("main", 1, ["main", "..."]),
]
STACKS_OF_CXX = [
    ("hidden", 1, ["shop::(anonymous namespace)::hidden", "Worker::run @gate: worker", "..."]),
    ("twice", 1, ["shop::Shape::twice", "main @shape->twice()", "..."]),
    ("scaled", 1, ["shop::Square<int>::scaled<long>", "main @square.scaled(2L)", "..."]),
    ("constructor", 2, ["shop::Square<int>::Square", "main @square(3)", "..."]),
    ("destructor", 1, ["shop::Square<double>::~Square", "..."]),
    ("call-operator", 1, ["shop::Counter::operator()", "...", "functions @return f(1)", "..."]),
    ("plus-operator", 1, ["shop::Counter::operator+=", "functions @counter += 3", "..."]),
    ("throw", 1, ["thrower", "...", "guarded @thrower(0)", "caught @return guarded", "main @caught()", "..."]),
    ("catch", 1, ["caught", "main @caught()", "..."]),
    ("extern-c", 1, ["plain_c", "main @gate: main", "..."]),
    ("worker", 1, ["Worker::run", "..."]),
    ("main", 1, ["main", "..."]),
]
SCRIPT = """at("//%s", {hit = %d}):run(function(h)
	for i, f in ipairs(h:backtrace()) do
		print("%s/%d", f.signal and "<signal handler called>" or f.func or "-", f.file or "-", f.line or 0, f.inlined)
	end
end)
"""


def frames_of(r, mark, arrival):
    found = []
    for line in r.err.splitlines():
        words = line.split("\t")
        if words[0] == "%s/%d" % (mark, arrival):
            found.append((words[1], os.path.basename(words[2]), int(words[3]), words[4] == "true"))
    return found


def fits(text, frames, expected):
    """Do the frames fit the expected ones?"""
    if not expected:
        return not frames
    if expected[0] == "...":
        return any(fits(text, frames[i:], expected[1:]) for i in range(len(frames) + 1))
    name, _, where = expected[0].partition(" @")
    if not frames or (name.rstrip("*"), name.endswith("*")) != (frames[0][0], frames[0][3]):
        return False
    if where and where not in text.splitlines()[frames[0][2] - 1]:
        return False
    return fits(text, frames[1:], expected[1:])


# Optimised, one address may carry several lines: the gate's is not always the one that debuggers say.

def check_stacks(t, name, text, stacks, compiler, flags):
    program = compile_text(name, text, "-g " + flags, compiler=compiler)
    r = t.clean(t.run_gated(program, "".join(SCRIPT % (m, n, m, n) for m, n, _ in stacks)))
    wrong = []
    for mark, arrival, expected in stacks:
        frames = frames_of(r, mark, arrival)
        at_mark = frames and re.search(r"gate: %s\b" % mark, text.splitlines()[frames[0][2] - 1])
        if not (at_mark or "-O0" not in flags) or not fits(text, frames, expected):
            wrong.append("%s/%d: %s, expected %s" % (mark, arrival, "".join(
                "\n    %s at %s:%d%s" % (f[0], f[1], f[2], " (inlined)" if f[3] else "")
                for f in frames), expected))
    t.equal(len(wrong), 0, "\n".join(wrong) + "\nwrong stacks")


@params("gcc -O0", "gcc -O2", "gcc -O2 -static", "gcc -Os", "gcc -O2 -fno-asynchronous-unwind-tables",
        "gcc -O2 -gdwarf-4", "clang -O0", "clang -O2")
def test_c(t, options):
    compiler, flags = options.split(" ", 1)
    check_stacks(t, "stacks.c", C, STACKS_OF_C, compiler, flags)


@params("gcc -O0", "gcc -O2", "clang -O0", "clang -O2")
def test_cxx(t, options):
    compiler, flags = options.split(" ", 1)
    check_stacks(t, "stacks.cc", CXX, STACKS_OF_CXX, {"gcc": "g++", "clang": "clang++"}[compiler],
                 flags)


@timeout(300)
def test_like_gdb(t):
    """Stacks at random gates; all builds in full runs only."""
    if not shutil.which("gdb"):
        raise Skip("gdb is not installed")
    said = []
    total, wrong = backtrace_vs_gdb.run(t.gatectl, 40, 1, t.tmp, quick=not t.full, out=said.append)
    t.check(total >= 200, "only %d stacks were compared" % total)
    t.check(not wrong, "\n".join(said[:5] + said[-3:]))


# ---- code without call frame information -------------------------------------------------------

NO_CFI = r"""
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__asm__(".text\n"
	".type leaf, @function\nleaf:\n\tmov %rdi, %rax\nin_leaf:\n\tnop\n\tret\n.size leaf, . - leaf\n"
	/* with the address of another call on top of its stack, as calls leave them there */
	".type pushes, @function\npushes:\n\tmov (%rsp), %rax\n\tpush %rax\n"
	"in_pushes:\n\tnop\n\tpop %rax\n\tret\n.size pushes, . - pushes\n");
long leaf(long a);
long pushes(long a);
static int child(void *arg)
{
	_exit(*(int *)arg);
}
__attribute__((noinline)) static long calls(long (*through)(long), long a)
{
	return through(a) + 1;
}
int main(void)
{
	static char stack[65536];
	int status = 3;
	long sum = leaf(1) + calls(leaf, 2) + calls(pushes, 3);
	pid_t pid = clone(child, stack + sizeof(stack), SIGCHLD, &status);
	waitpid(pid, &status, 0);
	return status == 3 << 8 && sum ? 0 : 1;
}
"""


def behind_syscall_of_clone():
    """The address in libc where a thread is that has just called clone(2), and what that has made."""
    libc = re.search(r"=> (\S*libc\.so\.6)", subprocess.run(["ldd", sys.executable], capture_output=True, text=True).stdout).group(1)
    symbols = subprocess.run(["nm", "-D", libc], capture_output=True, text=True).stdout
    address = int(re.search(r"^(\w+) \w clone@", symbols, re.M).group(1), 16)
    with open(libc, "rb") as f:
        code = f.read()[address:address + 256]  # the first segments stand in the file as in memory
    return address + code.index(b"\x0f\x05") + 2


@params("gcc -O0", "gcc -O2", "clang -O0", "clang -O2")
def test_without_call_frame_information(t, options):
    """Where nothing has moved the stack pointer, the return address is on top of the stack: by the code,
    not by what looks like one. What clone has made has no caller."""
    compiler, flags = options.split(" ")
    program = compile_text("nocfi.c", NO_CFI, "-g -no-pie " + flags, compiler=compiler)
    symbols = dict(reversed(line.split()[::2]) for line in
                   subprocess.run(["nm", program], capture_output=True, text=True).stdout.splitlines() if len(line.split()) == 3)
    tell = ':run(function(h) local n = {} for _, f in ipairs(h:backtrace()) do n[#n + 1] = f.func end print(table.concat(n, " ")) end)\n'
    script = "".join('at("%s%s")%s' % (where, at, tell) for where, at in (
        ("*0x", symbols["in_leaf"]), ("*0x", symbols["in_pushes"]), ("libc.so.6!*0x", "%x" % behind_syscall_of_clone())))
    r = t.run_gated(program, script)
    t.equal(r.status, 0, "status", r)
    said = [re.sub(r" __libc_start.*", "", line) for line in r.err.splitlines()]
    # at -O0 there is a frame pointer: of the caller's
    t.equal(said[:3], ["leaf main", "leaf calls main", "pushes" if flags == "-O2" else "pushes main"], "leaves", r)
    t.equal(sorted(said[3:]), ["clone", "clone main"], "clone", r)


# ---- frames ------------------------------------------------------------------------------------

FRAMES = """at("//bottom", {hit = 1}):run(function(h)
	local bt = h:backtrace()
	for i, f in ipairs(bt) do
		local g = h:frame(i - 1)
		assert(g.func == f.func and g.file == f.file and g.line == f.line, i)
	end
	assert(h:frame(#bt) == nil and h:frame(100000) == nil)
	print(h:frame(0).var.n, h:frame(1).var.n, h:frame(4).var.n, h:frame(1).arg[0])
	print(pcall(h.frame, h, -1))
	print(pcall(function() return h:frame(1).var.no_such end))
	print((tostring(bt):gsub("at %S*/", "at ")))
end)
"""


def test_frames(t):
    r = t.clean(t.run_gated(compile_text("stacks.c", C, "-g -O0"), FRAMES))
    lines = r.err.splitlines()
    t.equal(lines[0], "0\t1\t4\t1", "variables", r)
    t.check(lines[1].startswith("false\t"), "frame(-1)", r)
    t.check(re.match("false\t.*no_such", lines[2]), "unknown variable", r)
    t.check(re.match(r"#0 +recurse at stacks\.c:\d+$", lines[3]), "text of a backtrace", r)
    t.check(re.match(r"#5 +main at stacks\.c:\d+$", lines[8]), "text of a backtrace", r)


DEEP = r"""
#include <stdio.h>
volatile int sink;
static __attribute__((noinline)) int down(int n)
{
	if (n == 0)
		return sink++; /* gate: bottom */
	return down(n - 1) + 1;
}
int main(void)
{
	printf("%d\n", down(1000));
	return 0;
}
"""


def test_deep(t):
    r = t.clean(t.run_gated(compile_text("deep.c", DEEP, "-g -O0"),
                            'at "//bottom":run(function(h) local bt = h:backtrace()'
                            ' print(#bt >= 1002, bt[1001].func, bt[1002].func) end)\n'))
    t.equal(r.err, "true\tdown\tmain\n", "stderr", r)


def test_very_deep(t):
    """A second is enough for 20,000 calls: they are not followed from the beginning again and again."""
    r = t.clean(t.run_gated(compile_text("very_deep.c", DEEP.replace("down(1000)", "down(20000)"), "-g -O0"),
                            'at "//bottom":run(function(h) print(#h:backtrace() >= 20002) end)\n'))
    t.equal(r.err, "true\n", "stderr", r)


LOST = r"""
#include <stdio.h>
volatile long sink;
/* No frame information, and nothing but rubbish on the stack. */
__asm__(".text\n.type lost, @function\nlost:\nmov %rsp, %rax\nlea room+2048(%rip), %rsp\n"
	"mov $-1, %rbp\n.globl lost_here\nlost_here: nop\nmov %rax, %rsp\nret\n.size lost, .-lost\n"
	".type around, @function\naround:\npush %rbp\nmov %rsp, %rax\nlea circle(%rip), %rbp\n"
	".globl around_here\naround_here: nop\npop %rbp\nret\n.size around, .-around\n.previous\n");
long room[512], circle[2] = {(long)circle, (long)circle};
void lost(void);
void around(void);
int main(void)
{
	for (int i = 0; i < 512; i++)
		room[i] = (long)room + i * 8;
	long saved;
	__asm__ volatile("mov %%rbp, %0\ncall lost\nmov %0, %%rbp" : "=b"(saved) : : "rax", "memory");
	around();
	puts("end");
	return 0;
}
"""


def test_lost(t):
    """A stack that cannot be followed ends; nothing hangs and nothing crashes."""
    program = compile_text("lost.c", LOST, "-g -O0 -no-pie")
    out = subprocess.run(["nm", program], capture_output=True, text=True).stdout
    address = {l.split()[2]: l.split()[0] for l in out.splitlines() if len(l.split()) == 3}
    r = t.clean(t.run_gated(program, "".join('at "*0x%s":run(function(h) local bt = h:backtrace()'
                            ' print(bt[1].func, #bt < 2000) end)\n' % address[n]
                            for n in ("lost_here", "around_here"))))
    t.equal(r.err, "lost\ttrue\naround\ttrue\n", "stderr", r)
    t.equal(r.stdout, "end\n", "stdout", r)


EVENTS = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static pthread_t first;
static void count(int sig) { }
static void *sender(void *arg)
{
	usleep(30000);
	pthread_kill(first, SIGUSR1);
	return arg;
}
static __attribute__((noinline)) void blocked(void)
{
	struct timespec t = {5, 0};
	nanosleep(&t, NULL);
}
int main(void)
{
	pthread_t t;
	first = pthread_self();
	signal(SIGUSR1, count);
	pthread_create(&t, NULL, sender, NULL);
	blocked();
	pthread_join(t, NULL);
	exit(0);
}
"""


@params(("signal", "blocked main"), ("exit", "main"), ("thread-start", ""))
def test_at_events(t, case):
    event, functions = case
    r = t.clean(t.run_gated(compile_text("events.c", EVENTS), script="""on("%s"):run(function(h)
	local names = {}
	for _, f in ipairs(h:backtrace()) do names[#names + 1] = f.func end
	print("STACK " .. table.concat(names, " "))
end)
""" % event))
    found = [l for l in r.err.splitlines() if l.startswith("STACK")]
    t.check(found, "no stack", r)
    for name in functions.split():
        t.check(any(name in l.split() for l in found), "%s is not in it" % name, r)


# ---- cost --------------------------------------------------------------------------------------

COST = r"""
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
struct node { long value; };
static volatile long total;
static __attribute__((noinline)) void step(struct node *n)
{
	long local = n->value;
	total += local; /* gate: step */
}
int main(int argc, char **argv)
{
	/* in the middle of a page, as step's frame is then: memory is read by the page */
	struct node *n = alloca((size_t)__builtin_frame_address(0) % 4096 + 2048);
	n->value = 1;
	getchar();
	for (int i = 0; i < atoi(argv[1]); i++)
		step(n);
	printf("%ld\n", total);
	return 0;
}
"""
HITS = 20000


def number_in_status(pid, word):
    with open("/proc/%s/status" % pid) as f:
        return int(re.search(word + r":\t(\d+)", f.read()).group(1))


def tracer_of(program, gatectl):
    """The process that traces the program: gatectl itself, or a child of it."""
    def look():
        for task in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink("/proc/%s/exe" % task) == os.path.realpath(program):
                    tracer = number_in_status(task, "TracerPid")
                    if tracer and gatectl in (tracer, number_in_status(tracer, "PPid")):
                        return tracer
            except OSError:
                pass
        return 0
    return wait_until(look, "somebody traces the program")


def calls_made(t, program, body, hits):
    """System calls that gatectl makes while the program, which waits for a word, hits its gate."""
    counts = t.path("counts")
    script = t.file("cost.lua", 'at "//step":run(function(h) %s end)\n' % body)
    env = dict(t.env, ASAN_OPTIONS="detect_leaks=0")  # no leak is looked for under strace
    p = Process([t.gatectl, "run", "-g", script, program, str(hits)], env=env,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    s = Process(["strace", "-c", "-U", "calls,name", "-o", counts, "-p",
                          str(tracer_of(program, p.pid))], env=t.env, stderr=subprocess.PIPE)
    said = s.stderr.readline().decode()
    if "attached" not in said:
        p.communicate(b"go\n")
        raise Skip("strace cannot attach: " + said.strip())
    out, err = p.communicate(b"go\n", timeout=100)
    s.communicate()
    t.equal((p.returncode, err), (0, b""), "outcome")
    with open(counts) as f:
        return sum(int(l.split()[0]) for l in f if re.match(r" *\d+ \w+$", l) and "total" not in l)


@params("local x = h.var.n.value", "local x = h.var['local']")
@timeout(240)
def test_read_of_a_local_costs(t, body):
    """Under 1.5 system calls a hit."""
    if not shutil.which("strace"):
        raise Skip("strace is not installed")
    program = compile_text("cost.c", COST, "-g -O0")
    hits = HITS if t.full else HITS // 10
    without = calls_made(t, program, "", hits)
    reading = calls_made(t, program, body, hits)
    t.check(without > hits, "the calls were not counted: %d" % without)
    t.check((reading - without) / hits < 1.5, "%.2f system calls a hit without, %.2f with a read" % (
        without / hits, reading / hits))
