"""A run explains itself: what came nearest to a place that was not reached, who could open a gate that
stayed shut, and what to do about it. What is said has to be true in every build.
"""

import re

from harness import BUILDS, COMPILERS, compile_text, line_of, params, timeout
from patience import wall

# Each function has a line that nobody executes, and is called as often as its name says.
COUNTED = r"""
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>
static volatile int no, sum;
extern "C" __attribute__((noinline)) int plain3(int a)
{
	if (no)
		sum++; /* gate: plain3 */
	return a + sum;
}
static int freely2(int a)
{
	if (no) {
		sum++; /* gate: freely2 */
		std::puts("never");
		sum += a;
	}
	sum += 1;
	return a;
}
__attribute__((always_inline)) static inline int inlined4(int a)
{
	if (no)
		sum++; /* gate: inlined4 */
	return a + sum;
}
__attribute__((noinline)) int recursive6(int a)
{
	if (no)
		sum++; /* gate: recursive6 */
	if (a == 0)
		return 0;
	return recursive6(a - 1) + sum;
}
__attribute__((noinline)) int tail2(int a)
{
	if (no)
		sum++; /* gate: tail2 */
	return plain3(a);
}
__attribute__((noinline)) void throws1(int a)
{
	if (no)
		sum++; /* gate: throws1 */
	if (a > 0)
		throw std::runtime_error("x");
}
template <typename T> __attribute__((noinline)) T instances3(T a)
{
	if (no)
		sum++; /* gate: instances3 */
	return a + sum;
}
struct Queue {
	int value = 1;
	__attribute__((noinline)) void push2(int a);
};
void Queue::push2(int a)
{
	if (no)
		sum++; /* gate: push2 */
	value += a;
}
static void many(int a)
{
	if (no)
		sum++; /* gate: many */
	sum += a;
}
static void worker(int a)
{
	if (no)
		sum++; /* gate: worker */
	sum += inlined4(a);
}
__attribute__((noinline)) void never(int a)
{
	sum += a; /* gate: never */
}
int main(int argc, char **argv)
{
	Queue q;

	if (argc > 10)
		never(argc);
	plain3(1);
	tail2(1);
	tail2(2);
	sum += freely2(argc) + freely2(2);
	sum += inlined4(1) + inlined4(argc);
	recursive6(5);
	try {
		throws1(argc);
	} catch (std::runtime_error &e) {
		sum += 2;
	}
	sum += instances3(1) + instances3(argc) + (int)instances3(1.5);
	q.push2(1);
	q.push2(argc);
	for (int i = 0; i < 100000; i++)
		many(i);
	std::thread a(worker, 1), b(worker, 2);
	a.join();
	b.join();
	return 0;
}
"""
TIMES = {"once": 1, "twice": 2}
MARKS = re.findall(r"gate: (\w+) ", COUNTED)


def built(name, text, build):
    compiler, opt = build.split("-")
    cxx = name.endswith(".cc")
    return compile_text(name, text, "-g -" + opt, COMPILERS[compiler][cxx])


def never_reached(t, program, script, args=()):
    return t.verdict(t.run_gated(program, script, args), 120)


@params(*[(build, mark) for build in BUILDS for mark in MARKS])
def test_calls_are_counted(t, case):
    """What is said about calls is right; and in an unoptimised build, it is said."""
    build, mark = case
    # clang gives a conditional store no row of its own where it became a conditional move
    r = t.run_gated(built("counted.cc", COUNTED, build), 'at "//%s":run(function() end)\n' % mark)
    if r.status == 125 or r.status == 0:
        t.check(build.endswith("O2"), "an arrival at a line that is not executed", r)
        return
    t.verdict(r, 120)
    said = re.search(r"%s(?:<\w+>)? was called (at least )?(once|twice|(\d+) times|more than 8 times)" % mark,
                     r.first)
    expected = {"never": 0, "worker": 2, "many": 100000}.get(mark)
    if expected is None:
        expected = int(re.search(r"\d+$", mark).group())
    if "was never called" in r.first:
        t.equal(expected, 0, "calls", r)
    elif said and said.group(2) == "more than 8 times":
        t.check(expected > 8, "called more often than it was", r)
    elif said:
        count = TIMES.get(said.group(2)) or int(said.group(3))
        t.check(count <= expected if said.group(1) else count == expected, "calls", r)
    if build == "gcc-O0" or build == "clang-O0" and mark != "inlined4":
        t.check(said or expected == 0, "the calls are not told", r)
        t.check("this line was meant: " in r.err, "the line is not shown", r)


RETURNS = r"""
#include <pthread.h>
#include <stdlib.h>
static volatile int n;
__attribute__((noinline)) int check(int a)
{
	if (a == 1)
		return 10; /* one */
	if (a == 2) {
		n++;
		return 20; /* two */
	}
	if (a == 3)
		exit(3);
	if (a < 9)
		return a; /* others */
	n += a * a; /* gate: nine */
	n += 3;
	return 90;
}
static void *worker(void *arg)
{
	check((int)(long)arg);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t[8];
	for (int i = 1; i < argc; i++) {
		pthread_create(&t[i], NULL, worker, (void *)(long)atoi(argv[i]));
		pthread_join(t[i], NULL);
	}
	return 0;
}
"""
NINE = 'at "//nine":run(function() end)\n'


@params("gcc-O0", "clang-O0")
def test_early_exit_is_located(t, build):
    program = built("returns.c", RETURNS, build)
    one, two = line_of(RETURNS, "/* one */"), line_of(RETURNS, "/* two */")
    r = never_reached(t, program, NINE, ("1", "2", "2"))
    t.check("check was called 3 times, by worker#1, worker#2 and worker#3, and returned at "
            "returns.c:%d and returns.c:%d" % (one, two) in r.first, "the returns", r)
    t.check("try: name a line that is executed on the way to returns.c:%d" % one in r.err, "try", r)
    r = never_reached(t, program, NINE, ("1",))
    t.check("check was called once, by worker#1, and returned at returns.c:%d;" % one in r.first,
            "one return", r)


@params("gcc-O0", "gcc-O2", "clang-O0")
def test_left_by_the_end_of_the_program(t, build):
    program = built("returns.c", RETURNS, build)
    r = never_reached(t, program, NINE, ("1", "3"))
    t.check("check was called twice, by worker#1 and worker#2" in r.first, "calls", r)
    t.check("worker#2 has not returned from it" in r.first, "the one that has not", r)
    t.check("worker#1 has not returned" not in r.err, "the one that has", r)
    t.check("\nthe program ended with exit status 3\n" in r.err, "the end of the program", r)


@params("gcc-O0", "gcc-O2", "clang-O0")
def test_never_called(t, build):
    r = never_reached(t, built("returns.c", RETURNS, build), NINE)
    t.check("check was never called" in r.first, "never called", r)
    t.check("try: give the program arguments or input that make it call check" in r.err, "try", r)


HOT = r"""
static volatile int n;
__attribute__((noinline)) void hot(int a)
{
	if (a < 0)
		n++; /* gate: cold */
}
int main(void)
{
	for (int i = 0; i < 20000000; i++)
		hot(i);
	return n;
}
"""


@params("gcc-O0", "gcc-O2")
def test_a_hot_function_costs_nothing(t, build):
    """A trap at each call would take minutes."""
    program = built("hot.c", HOT, build)
    r = never_reached(t, program, 'at "//cold":run(function() end)\n')
    t.check("hot was called more than 8 times, by main" in r.first, "calls", r)
    t.check(r.spent < 10, "too slow", r)


# ---- filters ----------------------------------------------------------------------------------

def test_misspelt_thread(t):
    r = never_reached(t, built("returns.c", RETURNS, "gcc-O0"),
                      'at("check;return 10", {thread = "wroker"}):run(function() end)\n', ("1",))
    t.check("no thread of the run is called 'wroker'; worker#1 came there; did you mean worker?" in r.first,
            "the right name", r)
    t.check('try: thread = "worker"\n' in r.err, "try", r)


def test_unknown_thread_lists_all(t):
    r = never_reached(t, built("returns.c", RETURNS, "gcc-O0"),
                      'at("check;return 90", {thread = "collector"}):run(function() end)\n', ("1", "2"))
    t.check("no thread of the run is called 'collector': there were main, worker#1 and worker#2" in
            r.first, "the threads", r)


def test_other_threads_arrived(t):
    r = never_reached(t, built("returns.c", RETURNS, "gcc-O0"),
                      'at("check;return 10", {thread = "main"}):run(function() end)\n', ("1", "1", "2"))
    t.check("no thread that matches 'main' arrived there, but worker#1 and worker#2 did" in r.first,
            "who arrived", r)
    t.check('try: thread = "worker"' in r.err, "try", r)


def test_too_few_hits(t):
    r = never_reached(t, built("returns.c", RETURNS, "gcc-O0"),
                      'at("check;return 10", {hit = 3}):run(function() end)\n', ("1", "1", "2"))
    t.check("arrived at only twice, by worker#1 and worker#2, but hit = 3 was asked for" in r.first,
            "hits", r)
    t.check("try: hit = 2, the number of arrivals in this run; or hold the thread that keeps other threads from arriving "
            "here again" in r.err, "try", r)


LAST = r"""
#include <pthread.h>
int done;
__attribute__((noipa)) void finish(int n) { done = n; }
__attribute__((noipa)) void leave(int n)
{
	finish(n + 1);
}
static void *worker(void *arg)
{
	leave(1);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, worker, NULL);
	int seen = done; /* gate: look */
	pthread_join(t, NULL);
	return seen;
}
"""


def test_a_jump_out_of_a_function(t):
    """What it leaves for has still to run when FUNC%return acts: an outcome that is not as expected may be that."""
    program = compile_text("last.c", LAST, "-g -O2")
    script = """local left, right = SimpleGate "left", SimpleGate "right"
at "leave%%return":open(left)
at "//look":wait(left)
at("//look", { after = true }):open(right)
at "finish":%s
expect { exit = %d }
"""
    r = t.verdict(t.run_gated(program, script=script % ("wait(right)", 2)), 119)
    t.check('try: at("leave", { after = true }): where leave%return acted, the function ends in a jump to another '
            'function, which had not run yet' in r.err, "try", r)
    script = script.replace('"leave%%return"', '("leave", { after = true })')
    t.clean(t.run_gated(program, script=script % ('event "x"', 2)), 0)


# ---- copies and objects -----------------------------------------------------------------------

COPIES = r"""
static volatile int n;
static void one(void)
{
	n += 5;
}
static void two(void)
{
	n += 5;
}
int main(int argc, char **argv)
{
	one();
	if (argc > 1)
		two();
	return 0;
}
"""


@params(*BUILDS)
def test_the_other_copy(t, build):
    program = built("copies.c", COPIES, build)
    r = never_reached(t, program, 'at "copies.c;n += 5#2":run(function() end)\n')
    t.check("copies.c;n += 5#1 is another copy of this line, and was executed, first by main" in r.err,
            "the other copy", r)
    t.check('try: at "copies.c;n += 5#1"' in r.err, "try", r)


TWICE = r"""
static volatile int n;
void touch%s(void)
{
	n += 5; /* gate: touched */
}
"""
SHARED = "\nstatic volatile int n;\n__attribute__((visibility(\"hidden\"))) void inner(int a) { n += a; }\n" \
         "void NAME(int a) { inner(a); }\n"
LOADS = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		void *lib = dlopen(argv[i], RTLD_NOW);
		void (*f)(int) = lib ? dlsym(lib, "first") : 0;
		if (!f && lib)
			f = dlsym(lib, "second");
		if (!f)
			return 9;
		f(1);
	}
	return 0;
}
"""


def test_objects(t):
    first = compile_text("libfirst.c", SHARED, "-g -O0 -fPIC -shared -DNAME=first")
    program = compile_text("loads.c", LOADS)
    r = never_reached(t, program, 'at "libfrist.so!inner":run(function() end)\n', (first,))
    t.check("no object libfrist.so was ever loaded; did you mean libfirst.so?" in r.first, "object", r)
    r = t.run_gated(program, 'at "libfirst.so!iner":run(function() end)\n', (first,))
    t.error(r, where=r"gates\d+.lua:1: libfirst.so!iner: no function iner in libfirst.so; did you mean inner\?")
    r = never_reached(t, program, 'at "libfirst.so!inner":run(function() end)\n')
    t.check("no object libfirst.so was ever loaded" in r.first, "never loaded", r)


# ---- gates ------------------------------------------------------------------------------------

PAIR = r"""
#include <pthread.h>
#include <unistd.h>
static volatile int n;
static void fill(int a)
{
	if (a > 5)
		n += 2; /* gate: big */
	n++; /* gate: fill */
}
static void *first(void *arg)
{
	n++; /* gate: first */
	return arg;
}
static void *second(void *arg)
{
	fill(1);
	n++; /* gate: second */
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
"""


def gate_deadlock(t, script):
    r = t.verdict(t.run_gated(built("pair.c", PAIR, "gcc-O0"), script), 122)
    return r, "\n".join(r.err.split("\n")[:3])


def test_opener_on_a_line_that_is_not_executed(t):
    r, head = gate_deadlock(t, 'local g = SimpleGate "g"\nat "//first":wait(g)\nat "//big":open(g)\n')
    t.check("gates1.lua:3: gate g is opened at //big: fill was called once, by second#1" in head,
            "the opener", r)
    t.check("this line was not executed" in head, "the line", r)


def test_opener_for_another_thread(t):
    r, head = gate_deadlock(t, 'local g = SimpleGate "g"\nat "//first":wait(g)\n'
                               'at("//second", {thread = "frist"}):open(g)\n')
    t.check("no thread of the run is called 'frist'; second#1 came there; did you mean first?" in head,
            "the opener's thread", r)
    t.check('try: thread = "first"' in r.err, "try", r)


def test_no_place_opens_the_gate(t):
    r, head = gate_deadlock(t, 'local g = SimpleGate "g"\nat "//first":wait(g)\n')
    t.check("gates1.lua:2: no place of the script opens gate g" in head, "nobody", r)
    t.check("try: add a place that opens gate g" in r.err, "try", r)


def test_functions_that_do_not_know_the_gate(t):
    """They are no reason to think that one of them opens it."""
    text = 'local g, h = SimpleGate "g", SimpleGate "h"\nlocal n = 0\nat "//first":wait(g)\n' \
           'at "//second":run(function() n = n + 1 h:open() %s end)\n'
    r, head = gate_deadlock(t, text % "")
    t.check("may open gate" not in r.err and "try: add a place that opens gate g" in r.err, "nobody", r)
    r, head = gate_deadlock(t, text % "if n == 9 then g:open() end")
    t.check("may open gate g: it has run once, and has not" in r.err, "one that may", r)


def test_two_gates_of_one_name(t):
    r, head = gate_deadlock(t, 'at "//first":wait(SimpleGate "done")\nat "//second":open(SimpleGate "done")\n')
    t.check("gates1.lua:2 opens another gate of the same name" in head.replace(t.tmp + "/", ""), "the other", r)
    t.check("try: create one gate" in r.err, "try", r)


def test_two_gates_of_nearly_one_name(t):
    r, head = gate_deadlock(t, 'at "//first":wait(SimpleGate "done")\nat "//second":open(SimpleGate "doen")\n')
    t.check("opens gate doen: is that the same gate?" in head, "the other", r)


def test_opener_waits_before_opening(t):
    r, head = gate_deadlock(t, 'local g = SimpleGate "g"\nat "//first":wait(g):open(g)\n')
    t.check("first#1 has arrived there, but is held by this same gate: it waits before it opens" in head,
            "before", r)


@params(('SimpleGate "g"', "//first", "no place of the script opens gate g"),
        ('BarrierGate("g", 3)', "//first", "barrier g opens when 3 threads wait at it"),
        ('SimpleGate "g"', "main;pthread_create(&a", "no thread is left that could open gate g"))
def test_a_function_waits(t, case):
    """Nothing but a :run waits for the gate: the line of its place stands for that."""
    gate, location, says = case
    opens = 'at "//second":open(g)\n' if "no thread is left" in says else ""
    r, _ = gate_deadlock(t, 'local g = %s\nat "%s":run(function() g:wait() end)\n%s' % (gate, location, opens))
    t.check("\n%s/gates1.lua:2: %s" % (t.tmp, says) in r.err, "where it is waited for", r)


def test_ready_alone_decides(t):
    r, head = gate_deadlock(t, 'local Never = Gate.type "Never"\nfunction Never:ready() return false end\n'
                               'at "//first":wait(Never "g")\n')
    t.check("gates1.lua:3: gate g: the function ready of Never still returns false for first#1" in head, "who says no", r)


def test_barrier(t):
    r, head = gate_deadlock(t, 'local g = BarrierGate("g", 3)\nat "//first":wait(g)\nat "//second":wait(g)\n')
    t.check("barrier g opens when 3 threads wait at it: first#1 and second#1 do" in head, "who is there", r)


def test_no_thread_is_left_to_open(t):
    r, head = gate_deadlock(t, 'local g = SimpleGate "g"\nat "main;pthread_create(&a":wait(g)\n'
                               'at "//second":open(g)\n')
    t.check("gate g is opened at //second: second was never called" in head, "never called", r)
    t.check("no thread is left that could open gate g" in head, "nobody", r)


@timeout(60)
def test_never_opened(t):
    r = t.run_gated(built("pair.c", PAIR.replace("fill(1);", "while (n >= 0) { fill(0); usleep(1000); }"), "gcc-O0"),
                    'local g = SimpleGate "g"\nlimits { gate = %g }\nat "//first":wait(g)\nat "//second":open(g)\n' % wall(0.3))
    t.verdict(r, 121)
    t.check("gate g is opened at //second: second#1 is at pair.c:18 and has not reached the place" in r.err, "opener", r)


# ---- misspelt ---------------------------------------------------------------------------------

MISSPELT = {
    'at "pari.c:13":log "x"': "no source file pari.c in pair or the libraries it starts with; did you mean pair.c?",
    'at "scond":log "x"': "no function scond in pair or the libraries it starts with; did you mean second?",
    'at "Fill":log "x"': "did you mean fill?",
    'at "fill;n += 22":log "x"': "no line of fill contains this text; the nearest is pair.c:%d: n += 2;"
                                 % line_of(PAIR, "gate: big"),
    'at "fill;pthread_join(b":log "x"': "no line of fill contains this text; pair.c:%d does"
                                        % line_of(PAIR, "pthread_join(b"),
    'at "//secnd":log "x"': "no source line carries the mark 'gate: secnd'",
    'at "//fisrt":log "x"': "; did you mean first?",
    'order "//first -> secodn"\nat "//second":event "second"': "did you mean second?",
    'local done = SimpleGate "g"\nat "//first":wait(doen)': "gates1.lua:2: undefined name 'doen'; did you mean done?",
    'local g = SimpelGate "g"': "undefined name 'SimpelGate'; did you mean SimpleGate?",
    'at "//first":wiat(SimpleGate "g")': "no such verb 'wiat'; verbs are wait, open, when, run, event, log, kill, spurious, release; "
                                         "did you mean wait?",
    'at("//first", {thraed = "x"}):log "x"': "did you mean thread?",
    'on "thread-strat":log "x"': "did you mean thread-start?",
    'at "//first":kill "SIGKIL"': "no such signal 'SIGKIL'; did you mean KILL?",
    'expect { exti = 1 }': "did you mean exit?",
}


@params(*MISSPELT)
def test_misspelt(t, text):
    r = t.error(t.run_gated(built("pair.c", PAIR, "gcc-O0"), text + "\n"))
    t.check(MISSPELT[text] in r.first, "what was meant: %r" % MISSPELT[text], r)


@params(('at "pari.c:13":log "x"', "pair.c:13"), ('at "scond;n++":log "x"', "second;n++"),
        ('at "//fisrt":log "x"', "//first"))
def test_misspelt_is_corrected(t, case):
    r = t.error(t.run_gated(built("pair.c", PAIR, "gcc-O0"), case[0] + "\n"))
    t.check("\ntry: write %s\n" % case[1] in r.err, "the right location", r)


BARE = r"""
#include <stdio.h>
#include <unistd.h>
static __attribute__((always_inline)) inline long rd_(int fd, char *b, size_t n) { return read(fd, b, n); }
long bufread(int fd, char *buf, size_t size)
{
	size_t got = 0;
	while (1) {
		long r = rd_(fd, buf, size - got);
		if (r < 0)
			return r;
		if (r == 0)
			return got;
		got += r;
		if (got == size)
			return size; /* gate: whole */
		buf += r;
	}
}
__attribute__((noinline)) int producer(int fd)
{
	char b[16];
	long n = 0;
	int k = 0;
	while ((n = bufread(fd, b, 16)) > 0)
		k++;
	return k;
}
int main(void)
{
	FILE *f = fopen("/proc/self/exe", "r");
	printf("%d\n", producer(fileno(f)) > 100);
	return 0;
}
"""


def test_a_line_without_code_in_one_copy(t):
    """Where the compiler left the line no code in an inlined copy, nobody can say that it was not executed there."""
    program = compile_text("bare.c", BARE, "-g -O2")
    r = t.run_gated(program, script='at("//whole"):log "x"', report=False)
    if r.status == 0:
        return  # this compiler has left it code
    t.verdict(r, 120)
    t.check("not executed" not in r.err, "it is not said that the line was not executed", r)
    t.check("whether this line was executed is not known where bufread was inlined into producer: it has no code of its own there" in r.err, "why", r)
