"""A crash is located: signal, address, thread, calls with arguments, what the others did; in every form of report."""

import json
import re
import signal
import subprocess
import xml.etree.ElementTree as ElementTree

from harness import BUILDS, COMPILERS, compile_text, line_of, params, timeout

CRASH = r"""
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline))
struct node {
	long value;
	struct node *next;
	long other;
};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t waiting;
static volatile int zero;
static volatile char *volatile where;
static void (*volatile function)(int);
static volatile int sink;

NOINLINE static int store(struct node *node, int number, const char *name)
{
	node->next->other = number + name[0]; /* STORE */
	sink++;
	return number;
}
NOINLINE static int deep(struct node *node, int number, int left)
{
	int result = left ? deep(node, number, left - 1) : store(node, number, "hello"); /* DEEP */
	sink++;
	return result + 1;
}
NOINLINE static int overflow(int depth)
{
	volatile char room[2000];
	room[0] = (char)depth;
	return overflow(depth + 1) + room[0];
}
NOINLINE static void stop(int number)
{
	abort(); /* ABORT */
	sink = number;
}
NOINLINE static void check(int number)
{
	assert(number == 7); /* ASSERT */
	sink = number;
}
static void *reader(void *arg)
{
	sem_post(&waiting);
	pthread_mutex_lock(&mutex); /* READER */
	return arg;
}
static void *writer(void *arg)
{
	struct node node = {1, NULL, 3};
	deep(&node, 42, 8);
	return arg;
}
static void *runs_over(void *arg)
{
	sink = overflow(0);
	return arg;
}
static void on_signal(int number, siginfo_t *info, void *context)
{
	signal(number, SIG_DFL);
	raise(number); /* AGAIN */
}
static void on_fault(int number, siginfo_t *info, void *context)
{
	struct node node = {1, NULL, 3};
	store(&node, number, "x");
}
static sigjmp_buf back;
static void jumps(int number)
{
	siglongjmp(back, number);
}
static void alternate(int number, void (*handler)(int, siginfo_t *, void *))
{
	static char memory[65536];
	stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_ONSTACK | SA_SIGINFO};
	sigaltstack(&stack, NULL);
	sigaction(number, &action, NULL);
}
static void threads(void)
{
	pthread_t r, w;
	sem_init(&waiting, 0, 0);
	pthread_mutex_lock(&mutex);
	pthread_create(&r, NULL, reader, NULL);
	sem_wait(&waiting);
	pthread_create(&w, NULL, writer, NULL);
	pthread_join(w, NULL); /* JOIN */
}
static int faults(void)
{
	struct sigaction action = {.sa_handler = jumps, .sa_flags = SA_NODEFER};
	volatile int n = 0;
	sigaction(SIGSEGV, &action, NULL);
	if (sigsetjmp(back, 1) && n == 100)
		return 3;
	n++;
	where = NULL;
	*where = 1;
	return 1;
}
int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	struct node node = {1, NULL, 3};
	pthread_t t;
#define IS(word) if (strcmp(what, word) == 0)
	IS("threads") threads();
	IS("null") deep(&node, 42, 8);
	IS("assert") check(argc);
	IS("abort") stop(argc);
	IS("overflow") sink = overflow(0);
	IS("overflow-thread") {
		pthread_create(&t, NULL, runs_over, NULL);
		pthread_join(t, NULL);
	}
	IS("call-null") function(3); /* CALL */
	IS("call-wild") {
		function = (void (*)(int))0x4141414141414141;
		function(3); /* WILD */
	}
	IS("call-data") {
		function = (void (*)(int))(void *)&mutex;
		function(3); /* DATA */
	}
	IS("readonly") {
		where = (char *)"text" + zero;
		*where = 1; /* READONLY */
	}
	IS("unmapped") {
		where = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		munmap((void *)where, 4096);
		sink = *where; /* UNMAPPED */
	}
	IS("guard") {
		where = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		sink = *where; /* GUARD */
	}
	IS("advised") { /* MADV_GUARD_INSTALL: Linux 6.13 */
		where = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (madvise((void *)where, 4096, 102) != 0) mprotect((void *)where, 4096, PROT_NONE);
		sink = *where; /* ADVISED */
	}
	IS("bus") {
		int fd = open("/proc/self/exe", O_RDONLY);
		where = mmap(NULL, 1 << 24, PROT_READ, MAP_PRIVATE, fd, 0);
		sink = where[(1 << 24) - 1]; /* BUS */
	}
	IS("divide") sink = argc / zero; /* DIVIDE */
	IS("trap") __builtin_trap(); /* TRAP */
	IS("int3") __asm__ volatile("int3"); /* INT3 */
	IS("freed") {
		struct node *volatile p = malloc(sizeof(*p));
		p->next = p;
		free(p);
		sink = (int)p->next->other; /* FREED */
	}
	IS("twice") {
		char *volatile p = malloc(100);
		free(p);
		free(p); /* TWICE */
	}
	IS("raise") raise(SIGSEGV); /* RAISE */
	IS("again") {
		struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_NODEFER};
		sigaction(SIGSEGV, &action, NULL);
		store(&node, 1, "x");
	}
	IS("handler") {
		alternate(SIGUSR1, on_fault);
		raise(SIGUSR1); /* SENDS */
	}
	IS("overflow-caught") {
		struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
		sigaction(SIGSEGV, &action, NULL);
		sink = overflow(0);
	}
	IS("blocked") {
		sigset_t all;
		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, NULL);
		deep(&node, 42, 8);
	}
	IS("ignored") {
		signal(SIGSEGV, SIG_IGN);
		deep(&node, 42, 8);
	}
	IS("faults") return faults();
	IS("term") {
		kill(getpid(), SIGTERM);
		pause();
	}
	IS("child") {
		pid_t pid = fork();
		int status;
		if (!pid)
			deep(&node, 42, 8);
		waitpid(pid, &status, 0);
		return WIFSIGNALED(status) ? WTERMSIG(status) : 77;
	}
	IS("child-then") {
		pid_t pid = fork();
		if (!pid)
			deep(&node, 42, 8);
		waitpid(pid, NULL, 0);
		abort(); /* THEN */
	}
	IS("exits") {
		pthread_create(&t, NULL, reader, NULL);
		_exit(4);
	}
	return 0;
}
"""


def lines(word):
    return line_of(CRASH, "/* %s */" % word)


def program(build, extra=""):
    compiler, opt = build.split("-")
    return compile_text("crash.c", CRASH, flags=("-g -fno-optimize-sibling-calls -" + opt + " " + extra).strip(),
                        compiler=COMPILERS[compiler][0])


def crash_of(t, r, number):
    """The record of a crash that nobody expected."""
    t.equal(r.status, 128 + number, "status", r)
    name = signal.Signals(number).name
    t.check(re.search("^gatectl: crashed: %s" % name, r.err, re.M), "first line", r)
    t.equal((r.report["verdict"], r.report["status"]), ("crashed", 128 + number), "report", r)
    t.equal(r.report["crash"]["signal"], name, "signal", r)
    t.equal(len(re.findall("^try: ", r.err, re.M)), 1, "one line says what to do next", r)
    return r.report["crash"]


def functions(crash):
    return [f["func"] for f in crash["backtrace"]]


@params(*BUILDS)
def test_threads(t, build):
    """Who crashed, by what, how it came there with which arguments, and what the others did."""
    order = "order \"['reader;pthread_mutex_lock'] -> 'writer;deep', ['threads;pthread_join'] -> 'writer;deep'\"\n"
    r = t.run_gated(program(build), args=("threads",), script=order)
    c = crash_of(t, r, signal.SIGSEGV)
    t.equal((c["thread"], c["func"], c["line"]), ("writer#1", "store", lines("STORE")), "place", r)
    t.equal((c["address"], c["where"]), ("0x10", None), "address", r)
    t.equal(c["what"], "writes NULL + 0x10", "what", r)
    t.equal(functions(c)[:10], ["store"] + ["deep"] * 9, "calls", r)
    t.check(c["backtrace"][10]["func"] == "writer", "and the outermost of the tester's", r)
    t.check(len(c["backtrace"]) >= 8 and not c["cut"], "all of them", r)
    t.equal([f["line"] for f in c["backtrace"][1:10]], [lines("DEEP")] * 9, "lines", r)
    if build.endswith("O0"):
        t.check(re.fullmatch(r'node=0x[0-9a-f]+, number=42, name=0x[0-9a-f]+ "hello"', c["backtrace"][0]["args"]),
                "arguments", r)
        t.equal([re.sub("0x[0-9a-f]+", "X", f["args"]) for f in c["backtrace"][1:4]],
                ["node=X, number=42, left=%d" % n for n in range(3)], "arguments further out", r)
    else:
        t.check(all(re.fullmatch(r"node=[^,]+, number=(42|<optimised out>)(, name=.*)?(, left=.*)?", f["args"])
                    for f in c["backtrace"][:10]), "arguments, or that there are none", r)
    others = {o["thread"]: o for o in c["others"]}
    t.equal(sorted(others), ["main", "reader#1"], "the others", r)
    t.check(re.search(r"waits for mutex mutex held by main.* in reader at crash.c:%d" % lines("READER"),
                      others["reader#1"]["text"]), "who waits", r)
    t.check(re.search(r"joins writer#1.* in (threads|main) at crash.c:%d" % lines("JOIN"), others["main"]["text"]),
            "who joins", r)
    for text in ("writer#1 writes NULL + 0x10", "#0  store (", "#9  deep (", "reader#1 waits for mutex mutex"):
        t.check(text in r.err, "in words: " + text, r)


def test_events(t):
    """The signal and the crash have a place."""
    r = t.run_gated(program("gcc-O0"), args=("null",), options=("-v",))
    crash_of(t, r, signal.SIGSEGV)
    for what in ("signal", "crash"):
        events = [e for e in r.report["events"] if e["what"] == what]
        t.equal([(e["thread"], e["func"], e["line"]) for e in events], [("main", "store", lines("STORE"))], what, r)
        t.check(events[0]["file"].endswith("crash.c"), "file", r)
    t.check(re.search(r"crash.c:%d: gatectl: \S+ main gets signal SEGV" % lines("STORE"), r.err), "-v", r)


KINDS = {
    "null": (signal.SIGSEGV, "STORE", r"writes NULL \+ 0x10"),
    "assert": (signal.SIGABRT, "ASSERT", r"aborts: Assertion `number == 7' failed\."),
    "abort": (signal.SIGABRT, "ABORT", r"aborts"),
    "overflow": (signal.SIGSEGV, None, r"has overflowed its stack \(at 0x[0-9a-f]+\)"),
    "overflow-thread": (signal.SIGSEGV, None, r"has overflowed its stack \(at 0x[0-9a-f]+\)"),
    "overflow-caught": (signal.SIGSEGV, None, r"has overflowed its stack"),
    "call-null": (signal.SIGSEGV, "CALL", r"calls NULL"),
    "call-wild": (signal.SIGSEGV, "WILD", r"calls 0x4141414141414141 \(no address at all.*\)"),
    "call-data": (signal.SIGSEGV, "DATA", r"calls 0x[0-9a-f]+ \(in crash, which is no code\)"),
    "readonly": (signal.SIGSEGV, "READONLY", r"writes 0x[0-9a-f]+ \(in crash, read-only\)"),
    "unmapped": (signal.SIGSEGV, "UNMAPPED", r"reads 0x[0-9a-f]+ \(nothing is mapped there\)"),
    "guard": (signal.SIGSEGV, "GUARD", r"reads 0x[0-9a-f]+ \(.*where no access is permitted\)"),
    "advised": (signal.SIGSEGV, "ADVISED", r"reads 0x[0-9a-f]+ \(in a guard page or reserved memory, where no access is permitted\)"),
    "bus": (signal.SIGBUS, "BUS", r"reads 0x[0-9a-f]+ \(in crash, beyond the end of the file\)"),
    "divide": (signal.SIGFPE, "DIVIDE", r"divides by zero, or the quotient is too large"),
    "trap": (signal.SIGILL, "TRAP", r"executes ud2, .*"),
    "int3": (signal.SIGTRAP, None, r"runs into a trap instruction \(int3\)"),
    "freed": (signal.SIGSEGV, "FREED", r"reads 0x[0-9a-f]+ \(.*it comes from freed memory.*\)"),
    "twice": (signal.SIGABRT, "TWICE", r"aborts: free\(\): double free detected in tcache 2"),
    "raise": (signal.SIGSEGV, "RAISE", r"gets SIGSEGV from its own process"),
    "blocked": (signal.SIGSEGV, "STORE", r"writes NULL \+ 0x10"),
    "ignored": (signal.SIGSEGV, "STORE", r"writes NULL \+ 0x10"),
    "again": (signal.SIGSEGV, "AGAIN", r"gets SIGSEGV from its own process"),
    "handler": (signal.SIGSEGV, "STORE", r"writes NULL \+ 0x10"),
}


@params(*[(k, b) for k in sorted(KINDS) for b in BUILDS])
def test_kinds(t, case):
    kind, build = case
    number, word, deed = KINDS[kind]
    r = t.run_gated(program(build), args=(kind,))
    c = crash_of(t, r, number)
    said = r.first if r.first.startswith("gatectl") else [l for l in r.err.split("\n") if "gatectl: crashed" in l][0]
    t.check(re.search(r": (main|runs_over#1) %s$" % deed, said), "what it did: %s" % deed, r)
    if word:
        at = [f["line"] for f in c["backtrace"] if f["file"] and f["file"].endswith("crash.c")]
        t.equal(at[0], lines(word), "the line", r)
        t.equal(c["line"], lines(word), "the place", r)
    if kind.startswith("overflow"):
        t.equal(functions(c)[:8], ["overflow"] * 8, "calls", r)
        t.check(c["frames"] >= 100 and c["cut"] and len(c["backtrace"]) < 40, "bounded", r)
    if kind in ("again", "handler"):
        i = functions(c).index("<signal handler called>")
        t.check(("store" if kind == "again" else "main") in functions(c)[i:], "through the signal's frame", r)


@params(*[(k, b) for k in ("null", "assert", "overflow", "freed", "call-null") for b in ("-static", "-s", "-static -s", "-pie", "-no-pie")])
def test_other_links(t, case):
    """Static and stripped programs: less is known, nothing is wrong."""
    kind, extra = case
    r = t.run_gated(program("gcc-O0", extra), args=(kind,))
    c = crash_of(t, r, KINDS[kind][0])
    t.check(c["frames"] >= 2, "calls", r)
    if "-s" not in extra.split() and KINDS[kind][1]:
        t.equal(c["line"], lines(KINDS[kind][1]), "the place", r)


CXX = r"""
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#define NOINLINE __attribute__((noinline))
namespace shop {
struct Full : std::runtime_error {
	int count;
	Full(const std::string &text, int n) : std::runtime_error(text), count(n) {}
};
}
struct Plain {
	int n;
};
struct Queue {
	std::vector<int> items;
	NOINLINE int push(int n)
	{
		if (n > 2)
			throw shop::Full("queue of " + std::to_string(n), n); // PUSH
		items.push_back(n);
		return n;
	}
};
NOINLINE static int fill(Queue &q, int n)
{
	int result = q.push(n);
	return result + 1;
}
int main(int argc, char **argv)
{
	std::string what = argc > 1 ? argv[1] : "";
	Queue q;
	if (what == "throw")
		return fill(q, 5);
	if (what == "thread") {
		std::thread t([&q] { fill(q, 5); });
		t.join();
	}
	if (what == "int")
		throw 42;
	if (what == "text")
		throw "a text";
	if (what == "plain")
		throw Plain{3};
	if (what == "range")
		return q.items.at(10);
	if (what == "joinable")
		std::thread([] {}).swap(*new std::thread([] {}));
	if (what == "null")
		return static_cast<Queue *>(nullptr)->push(1);
	if (what == "caught") {
		int n = 0;
		for (int i = 0; i < 100; i++)
			try {
				fill(q, 5);
			} catch (const shop::Full &) {
				n++;
			}
		return n == 100 ? 6 : 7;
	}
	return 0;
}
"""
EXCEPTIONS = {
    "throw": r'uncaught exception shop::Full "queue of 5"',
    "thread": r'uncaught exception shop::Full "queue of 5"',
    "int": r"uncaught exception int 42",
    "text": r'uncaught exception char const\* "a text"',
    "plain": r"uncaught exception Plain",
    "range": r'uncaught exception std::out_of_range "vector::_M_range_check: .*"',
}


def cxx(build):
    compiler, opt = build.split("-")
    return compile_text("shop.cc", CXX, flags="-g -" + opt, compiler=COMPILERS[compiler][1])


@params(*[(k, b) for k in sorted(EXCEPTIONS) for b in BUILDS])
def test_exceptions(t, case):
    """An exception that nobody catches: its type, what it says, and the calls to where it was thrown."""
    kind, build = case
    r = t.run_gated(cxx(build), args=(kind,))
    c = crash_of(t, r, signal.SIGABRT)
    t.check(re.fullmatch(EXCEPTIONS[kind], c["said"]), "what was thrown", r)
    if kind in ("throw", "thread"):
        t.check("Queue::push" in functions(c) and "fill" in functions(c), "the calls", r)
    if kind == "throw" and build.endswith("O0"):
        t.equal((c["func"], c["line"]), ("Queue::push", line_of(CXX, "// PUSH")), "where", r)
        t.check(re.fullmatch(r"this=0x[0-9a-f]+, n=5", [f for f in c["backtrace"] if f["func"] == "Queue::push"][0]["args"]),
                "arguments", r)


@params(*BUILDS)
def test_no_crash(t, build):
    """Faults and exceptions that are dealt with are none."""
    r = t.run_gated(program(build), args=("faults",))
    t.equal((r.status, r.err, r.report["verdict"], r.report["crash"]), (3, "", "ok", None), "faults", r)
    r = t.run_gated(cxx(build), args=("caught",))
    t.equal((r.status, r.err, r.report["crash"]), (6, "", None), "exceptions", r)


# ---- expect -----------------------------------------------------------------------------------

@params("store", "deep", "main", "crash.c:%d" % lines("STORE"), "crash.c:%d" % lines("DEEP"), "store;next->other",
        "crash!deep", "//STORE-none", "store:+2")
def test_expected_at(t, at):
    if at.startswith("//"):
        at = "crash.c;node->next->other = number"
    for build in BUILDS:
        r = t.run_gated(program(build), args=("null",), script='expect { signal = "SIGSEGV", at = "%s" }\n' % at)
        t.equal((r.status, r.report["verdict"]), (0, "ok"), "as expected at %s" % at, r)
        t.equal(r.err, "gatectl: crashed as expected: SIGSEGV in store at crash.c:%d\n" % lines("STORE"), "one line", r)
        t.equal(r.report["crash"]["expected"], True, "expected", r)


@params("stop", "crash.c:%d" % lines("ABORT"), "check;assert", "overflow")
def test_not_there(t, at):
    r = t.run_gated(program("gcc-O0"), args=("null",), script='expect { signal = "SIGSEGV", at = "%s" }\n' % at)
    t.verdict(r, 119)
    t.equal(r.first, "gatectl: not-as-expected: ended by signal SIGSEGV in store at crash.c:%d, expected it at %s" % (
        lines("STORE"), at), "first line", r)
    t.check("#0  store (" in r.err, "the calls are told", r)


# glibc gives its functions such names, and g++ adds its tag to functions that return a string.
RENAMED = r"""
#include <stdlib.h>
int outer(int number) __asm__("inner_outer");
__attribute__((noinline)) int outer(int number)
{
	abort();
	return number;
}
int main(int argc, char **argv) { return outer(argc) + (argv != NULL); }
"""
TAGGED = r"""
#include <cstdlib>
#include <string>
namespace shop {
__attribute__((noinline)) std::string label(int number)
{
	if (number)
		abort();
	return "label";
}
}
int main(int argc, char **argv) { return (int)shop::label(argc).size() + (argv != nullptr); }
"""


@params(*BUILDS)
def test_expected_at_renamed(t, build):
    """A function is meant by the name that locations give it, also where a backtrace shows what the linker calls it."""
    compiler, opt = build.split("-")
    for name, text, places in (("renamed.c", RENAMED, ("outer", "inner_outer")),
                               ("tagged.cc", TAGGED, ("label", "shop::label"))):
        cc = COMPILERS[compiler][name.endswith(".cc")]
        program = compile_text(name, text, flags="-g -" + opt, compiler=cc)
        for at in places:
            r = t.run_gated(program, script='expect { signal = "SIGABRT", at = "%s" }\n' % at)
            t.equal((r.status, r.report["verdict"]), (0, "ok"), "as expected at %s" % at, r)


def test_place_behind_the_crash(t):
    """The crash that is expected comes before a place: that is what the advice is about."""
    crash = 'expect { signal = "SIGSEGV", at = "store" }\n'
    for place in ('on "exit"', 'at "stop"', 'at "crash.c:%d"' % lines("ABORT")):
        r = t.run_gated(program("gcc-O0"), args=("null",), script=crash + place + ' :log "there"\n')
        t.verdict(r, 120)
        t.check(re.search(r"^try: optional = true at \S*:2, if the expected crash may come before it", r.err, re.M), "advice", r)
    r = t.run_gated(program("gcc-O0"), args=("faults",), script='on "fork" :log "there"\n')
    t.verdict(r, 120)
    t.check("try: remove the line, or make it optional" in r.err, "an event is no location", r)


@params(("nosuch", "nosuch"), ("crash.c:99999", "no code"), ("", "empty"))
def test_bad_location(t, case):
    """A misspelling is an error, before the program runs."""
    at, word = case
    r = t.run_gated(program("gcc-O0"), args=("null",), script='\nexpect { signal = "SIGSEGV", at = "%s" }\n' % at)
    t.equal(r.status, 125, "status", r)
    t.check(re.match(r"gatectl: error: \S*gates\d+.lua:2: .*%s" % word, r.first), "first line", r)
    r = t.run_gated(program("gcc-O0"), args=("null",), script='expect { at = "main" }\n')
    t.equal(r.status, 125, "status", r)
    t.check("signal" in r.first, "`at` needs a signal", r)


def test_other_expectations(t):
    """A crash where something else was expected, and where a place was never reached."""
    p = program("gcc-O0")
    r = t.run_gated(p, args=("null",), script="expect { exit = 0 }\n")
    t.verdict(r, 119)
    t.check("ended by signal SIGSEGV in store at crash.c:%d, expected exit status 0" % lines("STORE") in r.first, "first", r)
    r = t.run_gated(p, args=("null",), script='at "stop":run(function() end)\n')
    t.verdict(r, 120)
    t.check("SIGSEGV in store at crash.c:%d: main writes NULL + 0x10" % lines("STORE") in r.err, "why", r)
    r = t.run_gated(p, args=("null",), script='expect { signal = "SIGABRT" }\n')
    t.verdict(r, 119)


LAMBDAS = r"""
#include <thread>
#include <map>
#include <string>
#include <vector>
template <typename Key, typename Value> struct Table {
	struct Row { Key key; Value value; Row *next; };
	Row *volatile first = nullptr;
	template <typename Use> long walk(Use use) { return use(first->next); } /* WALK */
};
static int *volatile nowhere;
static volatile long sink;
typedef std::map<std::string, std::vector<std::string>> Names;
int main(int argc, char **argv)
{
	Table<Names, std::map<std::string, Names>> t;
	auto none = [](int n) { return n + 1; };
	std::thread runner([&t, argc] {
		if (argc > 1)
			*nowhere = 1; /* LAMBDA */
		sink = t.walk([](void *row) { return row ? 1L : 0L; });
	});
	runner.join();
	return none(argc);
}
"""


@params(*BUILDS)
def test_long_names(t, build):
    """Template arguments do not bury what was called; whole names are in the record."""
    compiler, opt = build.split("-")
    p = compile_text("lambdas.cc", LAMBDAS, flags="-g -fno-inline -" + opt, compiler=COMPILERS[compiler][1])
    r = t.run_gated(p)
    c = crash_of(t, r, signal.SIGSEGV)
    calls = [line for line in r.err.splitlines() if line.startswith("  #")]
    t.check(re.match(r"  #0  Table<\.\.\.>::walk<?.*at \S*lambdas.cc:%d" % line_of(LAMBDAS, "/* WALK */"), calls[0]), "brief", r)
    t.check(r.first.startswith("gatectl: crashed: SIGSEGV in Table<...>::walk"), "first line", r)
    t.check("std::vector<std::" in c["backtrace"][0]["func"], "whole", r)


@params(*BUILDS)
def test_try_lambda(t, build):
    """Two lambdas of one function have one name: what `try:` says means one of them."""
    compiler, opt = build.split("-")
    p = compile_text("lambdas.cc", LAMBDAS, flags="-g -fno-inline -" + opt, compiler=COMPILERS[compiler][1])
    r = t.run_gated(p, args=("x",))
    crash_of(t, r, signal.SIGSEGV)
    said = re.search(r"try: a test of the crash says `(expect \{.*\})`", r.err)
    t.check(said, "try", r)
    r = t.run_gated(p, args=("x",), script=said.group(1) + "\n")
    t.equal(r.status, 0, "as expected", r)
    name = re.search(r"SIGSEGV in (\S+) at", r.err).group(1)
    if "{" not in name: # clang numbers them
        r = t.run_gated(p, args=("x",), script='expect { signal = "SIGSEGV", at = "%s" }\n' % name)
        t.equal(r.status, 0, "by the name that was told", r)


LOOSE = r"""
#include <pthread.h>
#include <unistd.h>
static volatile int pipe_ends[2];
static void *worker(void *arg)
{
	char c;
	read(pipe_ends[0], &c, 1); /* READ */
	*(volatile int *)arg = c;  /* CRASH */
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	pipe((int *)pipe_ends);
	pthread_create(&t, NULL, worker, NULL);
	argc += (int)(argv != NULL); /* GO */
	if (argc > 5)
		write(pipe_ends[1], "x", 1);
	return 0;
}
"""


def test_loose_end(t):
    """What was to happen was let go, but nothing keeps the program until it has happened."""
    p = compile_text("loose.c", LOOSE, flags="-g -O0 -pthread")
    script = ('local there, go = SimpleGate "there", SimpleGate "go"\nat "worker;read(" :open(there) :wait(go)\n'
              'at "main;argc > 5" :wait(there) :open(go)\nexpect { %s }\n')
    r = t.run_gated(p, script=script % 'signal = "SIGSEGV"')
    t.verdict(r, 119)
    t.equal(r.err.splitlines()[-1], 'try: on("exit", { optional = true }):wait(GATE), with GATE opened after worker;read(: the program ended before '
            "worker#1, released there, made another step", "try", r)
    r = t.run_gated(p, script=script % "exit = 1")
    t.verdict(r, 119)
    t.check("GATE" not in r.err, "it was to end", r)


def test_killed_by_script(t):
    """A :kill is no crash; it may be one that was expected."""
    r = t.run_gated(program("gcc-O0"), args=("null",), script='at "store":kill "SIGABRT"\n')
    t.equal((r.status, r.err, r.report["verdict"]), (134, "", "ok"), "the script has done it", r)


def test_quiet_and_verbose(t):
    p, expects = program("gcc-O0"), 'expect { signal = "SIGSEGV" }\n'
    r = t.run_gated(p, args=("null",), options=("-q",))
    t.equal(r.err, "gatectl: crashed: SIGSEGV in store at crash.c:%d: main writes NULL + 0x10\n" % lines("STORE"), "-q", r)
    t.equal(len(r.report["crash"]["backtrace"]) >= 8, True, "the report has all", r)
    r = t.run_gated(p, args=("null",), options=("-q",), script=expects)
    t.equal((r.status, r.err), (0, ""), "-q, expected", r)
    r = t.run_gated(p, args=("null",), options=("-v",), script=expects)
    t.check(r.status == 0 and "#0  store (" in r.err and "crashed as expected: SIGSEGV in store" in r.err, "-v", r)
    r = t.run_gated(p, args=("null",), options=("--repeat", "5"), script=expects)
    t.equal(r.err.count("crashed as expected"), 1, "told once", r)
    t.check("5 of 5 runs agreed" in r.err, "all of them", r)
    r = t.run_gated(p, args=("null",), options=("--repeat", "5"))
    t.check(r.status == 139 and "0 of 1 runs agreed" in r.err, "the first that is not as it should be ends it", r)


def test_silent(t):
    """Somebody's SIGTERM is no crash; the report knows where the program was."""
    r = t.run_gated(program("gcc-O0"), args=("term",))
    t.equal((r.status, r.err, r.report["verdict"]), (143, "", "ok"), "outcome", r)
    t.equal((r.report["crash"]["signal"], r.report["crash"]["func"]), ("SIGTERM", "main"), "the report", r)


# ---- children, attach, REPL --------------------------------------------------------------------

def test_child(t):
    """A crash of a child: the status is the program's; the report, -v and a verdict tell of it."""
    p = program("gcc-O0")
    r = t.run_gated(p, args=("child",))
    t.equal((r.status, r.err, r.report["verdict"], r.report["crash"]), (11, "", "ok", None), "outcome", r)
    c = r.report["child_crashes"]
    t.equal([(x["thread"], x["func"], x["what"]) for x in c], [("p1/main", "store", "writes NULL + 0x10")], "the child", r)
    r = t.run_gated(p, args=("child",), options=("-v",))
    t.check("p1/main crashes: writes NULL + 0x10" in r.err and "#1  deep (" in r.err, "-v", r)
    r = t.run_gated(p, args=("child-then",))
    crash_of(t, r, signal.SIGABRT)
    t.check("before that a child process crashed: SIGSEGV in store at crash.c:%d: p1/main writes NULL + 0x10" % lines("STORE")
            in r.err, "the verdict", r)


def test_core_and_status(t):
    """Whoever waits for the program sees the same death: the kernel's."""
    text = r"""
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	int status;
	if (!fork())
		abort();
	wait(&status);
	printf("%d %d\n", WIFSIGNALED(status), WTERMSIG(status));
	return 0;
}
"""
    r = t.run_gated(compile_text("core.c", text))
    t.equal((r.status, r.stdout, r.err), (0, "1 6\n", ""), "outcome", r)


def test_held_at_gate(t):
    """Another thread is held at a gate: that is no fault of the gate."""
    text = r"""
#include <pthread.h>
#include <stddef.h>
static volatile int n;
static void *held(void *arg) { n++; return arg; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, held, NULL);
	*(volatile int *)0 = 1;
	return 0;
}
"""
    r = t.run_gated(compile_text("heldcrash.c", text), script='''
local g, there = SimpleGate "g", SimpleGate "there"
at "held":open(there):wait(g)
at "main;*(volatile int *)0 = 1":wait(there)
''')
    c = crash_of(t, r, signal.SIGSEGV)
    t.equal([o["text"] for o in c["others"]][0][:25], "held#1 is held at gate g ", "who is held", r)


# ---- the forms of the report --------------------------------------------------------------------

def test_reports(t):
    p = program("gcc-O0")
    for script, failures in ((None, "1"), ('expect { signal = "SIGSEGV" }\n', "0")):
        html, xml = t.path("r.html"), t.path("r.xml")
        t.run_gated(p, args=("null",), script=script, options=("--report", html, "--report", xml))
        suite = ElementTree.parse(xml).getroot().find("testsuite")
        t.equal(suite.get("failures"), failures, "failures")
        case = suite.find("testcase")
        text = case.find("system-err").text
        t.check("#0  store (" in text and "SIGSEGV in store at crash.c:%d" % lines("STORE") in text, "JUnit: %s" % text)
        if failures == "1":
            f = case.find("failure")
            t.equal(f.get("type"), "crashed", "type")
            t.equal(f.get("message"), "SIGSEGV in store at crash.c:%d: main writes NULL + 0x10" % lines("STORE"), "message")
        with open(html) as f:
            page = f.read()
        for words in ("SIGSEGV in store at crash.c", '"what":"crash"', "#0  store ("):
            t.check(words in page.replace('": "', '":"'), "the page has %s" % words)
        t.check(("crashed as expected: SIGSEGV in store" in page) == (failures == "0"), "as expected")


# ---- many of them ---------------------------------------------------------------------------------

MANY = r"""
#include <pthread.h>
#include <stdlib.h>
#include <signal.h>
enum { THREADS = 6 };
static pthread_barrier_t all;
static volatile long work;
static void *crashes(void *arg)
{
	pthread_barrier_wait(&all);
	*(volatile int *)(long)arg = 1; /* HERE */
	return arg;
}
static void *spins(void *arg)
{
	pthread_barrier_wait(&all);
	for (;;)
		work++;
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_barrier_init(&all, NULL, THREADS);
	for (long i = 1; i < THREADS; i++)
		pthread_create(&t, NULL, i % 2 ? crashes : spins, (void *)i);
	pthread_barrier_wait(&all);
	for (;;)
		work++;
}
"""


@timeout(300)
@params(*BUILDS)
def test_many(t, build):
    """Several threads crash at once while others run: one of them is told of, and the status is the kernel's."""
    compiler, opt = build.split("-")
    p = compile_text("many.c", MANY, flags="-g -" + opt, compiler=COMPILERS[compiler][0])
    for _ in range(200 if t.full else 20):
        r = t.run_gated(p)
        c = crash_of(t, r, signal.SIGSEGV)
        t.check(re.fullmatch(r"crashes#[123]", c["thread"]), "thread", r)
        t.equal((c["func"], c["line"]), ("crashes", line_of(MANY, "/* HERE */")), "place", r)
        t.equal(c["address"], "0x%d" % (2 * int(c["thread"][-1]) - 1), "its own address", r)
        t.equal(len(c["others"]), 5, "the others", r)


RACE = r"""
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static void *other(void *arg)
{
	if (arg)
		_exit(0);
	kill(getpid(), SIGKILL);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	pthread_create(&t, NULL, other, argc > 1 ? argv : NULL);
	*(volatile int *)0 = 1;
}
"""


@timeout(300)
@params((), ("exits",))
def test_races(t, args):
    """A crash and another end at once: what is told is what the kernel says."""
    p = compile_text("racecrash.c", RACE, flags="-g -O1")
    for _ in range(200 if t.full else 25):
        r = t.run_gated(p, args=args)
        if r.status == 139:
            crash_of(t, r, signal.SIGSEGV)
        else:
            t.equal((r.status, r.err, r.report["verdict"], r.report["crash"]),
                    (0 if args else 137, "", "ok", None), "the other end", r)


# ---- attach, check, the REPL ----------------------------------------------------------------------

LATE = r"""
#include <unistd.h>
static volatile int turns;
static void turn(int n)
{
	if (n < 0)
		*(volatile int *)0x20 = n; /* LATE */
	turns++;
}
int main(void)
{
	for (;;) {
		turn(turns);
		usleep(1000);
	}
}
"""


@params(("", 139, "crashed: SIGSEGV in turn at late.c:%d: main writes NULL + 0x20"),
        ('expect { signal = "SIGSEGV", at = "turn" }', 0, "crashed as expected: SIGSEGV in turn at late.c:%d"))
def test_attach(t, case):
    """A program that runs already."""
    expects, status, first = case
    program = compile_text("late.c", LATE, flags="-g -O0")
    p = subprocess.Popen([program], env=t.env, stderr=subprocess.DEVNULL)
    try:
        script = 'at("turn", {hit = 3}):run(function(hit) hit.var.n = -1 end)\n' \
                 'at("turn", {hit = 1000000, optional = true}):log "never"\n'
        r = t.gate("attach", "-g", t.file("late.lua", script + expects + "\n"), str(p.pid), leftover=False)
        t.equal(p.wait(20), -signal.SIGSEGV, "the program", r)
        t.equal(r.status, status, "status", r)
        t.check(r.first == "gatectl: " + first % line_of(LATE, "/* LATE */"), "first line", r)
    finally:
        p.kill()
        p.wait()


def test_check(t):
    """check looks at the location of an expect, too."""
    p = program("gcc-O0")
    for at, status in (("deep", 0), ("deap", 125)):
        r = t.gate("check", "-g", t.file("check.lua", 'expect { signal = "SIGSEGV", at = "%s" }\n' % at), p)
        t.equal(r.status, status, at, r)
        t.check(at in r.stdout + r.err, "it is named", r)


def test_repl_on_a_pipe(t):
    r = t.gate("repl", program("gcc-O0"), "null", stdin=b"run\nthreads\n")
    t.equal(r.status, 139, "status", r)
    t.check("gatectl: crashed: SIGSEGV in store" in r.stdout and "was ended by SIGSEGV" in r.stdout, "told", r)


CONTAINERS = r"""
#include <map>
#include <memory>
#include <stdlib.h>
#include <string>
#include <vector>
template <class K, class V> struct Cache {
	std::map<K, V> all;
	void put(const K &key, V value)
	{
		all[key] = value;
		abort();
	}
};
static void deep(std::map<std::string, int> copy, std::string text)
{
	Cache<std::string, std::shared_ptr<std::vector<int>>> cache;
	cache.put(text, nullptr);
}
int main()
{
	deep({{"a", 1}}, std::string(300, 'x'));
}
"""


def test_frames_of_templates_are_short(t):
    """What the library adds to every name is left out, long values are cut; and the name is a location."""
    program = compile_text("containers.cpp", CONTAINERS)
    r = t.gate("run", program)
    name = "Cache<std::string, std::shared_ptr<std::vector<int>>>::put"
    t.check(r.first.startswith("gatectl: crashed: SIGABRT in %s at containers.cpp:" % name), "the name", r)
    frames = [l for l in r.err.split("\n") if "containers.cpp" in l and "#" in l]
    t.check(re.search(r'%s \(this=0x\w+, key="x{59}"\.\.\., value=0x\w+\) at' % re.escape(name), frames[0]), "a text is cut", r)
    t.check(re.search(r'deep \(copy=\{\["a"\] = 1\}, text="x{59}"\.\.\.\) at', frames[1]), "a map as its keys and values", r)
    t.check(all(len(l) < 300 for l in frames), "lines", r)
    r = t.gate("lines", program, name)
    t.check(r.status == 0 and ": 1 site\n" in r.stdout, "it is a location", r)


HELD_AT_ITS_END = """#include <pthread.h>
#include <stdlib.h>
static void die(void)
{
	if (WHO == 1)
		abort();
	*(volatile int *)8 = 1;
}
static void *ends(void *x) { return x; }
static void *dies(void *x)
{
	if (WHO < 2)
		die();
	return x;
}
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, ends, 0);
	pthread_create(&u, 0, dies, 0);
	pthread_join(u, 0);
	die();
}
"""


@params("0", "1", "2")
def test_a_thread_is_held_at_its_exit(t, who):
    """The kernel does not wake it for a core dump, so that the program would never end."""
    program = compile_text("held_at_its_end.c", HELD_AT_ITS_END, "-g -DWHO=" + who)
    script = 'local held, never = SimpleGate "held", SimpleGate "never"\n' \
             'on("thread-exit", { thread = "ends#1" }) :open(held) :wait(never)\n' \
             'at "die" :wait(held)\n'
    r = t.run_gated(program, script=script)
    t.equal(r.status, 134 if who == "1" else 139, "status", r)
    t.check(r.err.startswith("gatectl: crashed: SIG"), "first line", r)


@params("g++ -O0", "clang++ -O0")
def test_calls_of_the_library_are_one_line(t, how):
    """Eight calls lead from clone to the function of a std::thread: the text has a line for them, the record has all."""
    compiler, level = how.split()
    program = compile_text("thrown.cc", """
#include <thread>
static int *nowhere;
static void fall(int n) { *nowhere = n; }
int main()
{
	std::thread t(fall, 1);
	t.join();
	return 0;
}
""", f"-g {level} -pthread", compiler)
    r = t.gate("run", "--report", t.path("r.json"), "--report", t.path("r.html"), "-g", t.file("e.lua", "expect { exit = 0 }\n"), program)
    t.equal(r.status, 119, "status", r)
    t.check("  #0  fall (n=1) at " in r.err and " are calls in system libraries\n" in r.err, "the calls", r)
    t.check("invoke.h" not in r.err and "clone" not in r.err, "no call of a library", r)
    frames = json.load(open(t.path("r.json")))["crash"]["backtrace"]
    t.check(len(frames) > 5 and any("invoke.h" in (f["file"] or "") for f in frames), "all calls in the record", r)
    t.check("report: %s\n" % t.path("r.html") in r.err, "names the page", r)
