"""Conditions as C expressions: at(LOCATION, { when = "EXPR" }) and at(LOCATION):when "EXPR"."""

import shutil

from harness import compile_text, params

SOURCE = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define SEE(x) __asm__ volatile("" :: "r"(x) : "memory")
enum state { IDLE, BUSY };
struct queue { int count; enum state state; struct queue *next; char name[8]; } g_queue = {.name = "main"};
static volatile long sum;
__attribute__((noinline)) static void step(int i, struct queue *q)
{
	sum += i; /* gate: step */
	SEE(i);
	SEE(q);
}
static inline __attribute__((always_inline)) void copied(int j)
{
	sum += j; /* gate: copied */
	SEE(j);
}
static void *worker(void *arg)
{
	struct queue own = {.state = BUSY, .next = &g_queue};

	for (int i = 0; i < 40; i++) {
		own.count = i;
		step(i, i % 4 ? &own : NULL);
	}
	return arg;
}
static void *filler(void *arg)
{
	for (int i = 1; i <= 5; i++) {
		usleep(2000); /* no place is passed while it fills */
		g_queue.count = i;
	}
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t[2];

	for (int i = 0; i < 6; i++)
		copied(i);
	for (int i = 0; i < 6; i++)
		copied(i * 10);
	pthread_create(&t[0], NULL, worker, NULL);
	pthread_join(t[0], NULL);
	pthread_create(&t[0], NULL, worker, NULL);
	pthread_create(&t[1], NULL, filler, NULL);
	sum++; /* gate: wait */
	SEE(argc);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	if (argc > 1) {
		if (!fork()) {
			worker(NULL);
			_exit(0);
		}
		wait(NULL);
	}
	return 0;
}
"""
BUILDS = ["gcc -O0", "gcc -O2", "clang -O0", "clang -O2"]


def built(build="gcc -O0"):
    compiler, flags = build.split(" ", 1)
    return compile_text("when.c", SOURCE, "-g -pthread " + flags, compiler=compiler)


def prints(t, program, script, *args, status=0, **kw):
    r = t.run_gated(program, script + "\n", args, **kw)
    t.equal(r.status, status, "status", r)
    return r.err.splitlines(), r


@params(*BUILDS)
def test_only_true_ones_count(t, build):
    """An arrival for which it is false is none: for hit, for the report, for what the verbs do."""
    program = built(build)
    told, r = prints(t, program, 'at("//step", { when = "q && q->count > 30 && q->state == BUSY" }):run(function(hit) print(hit.count, hit.var.i) end)')
    values = [i for i in range(31, 40) if i % 4] * 2
    t.equal(told, ["%d\t%d" % (n + 1, i) for n, i in enumerate(values)], "counted and printed", r)
    t.equal((r.report["places"][0]["arrivals"], r.report["places"][0]["reached"]), (len(values), True), "in the report", r)
    for options, expected in (("hit = 2", [7]), ("hit = {2, 3}", [7, 3]), ("thread = 'worker#2'", [7]), ("thread = 'worker#2', hit = 1", [7]),
                              ("thread = 'w*', hit = 2, after = true", [7]), ("thread = 'filler', optional = true", [])):
        wanted = "i == 7" if "{" not in options else "i == 7 || i == 3"
        told, r = prints(t, program, 'at("//step", { when = "%s", %s }):log "{var.i}"' % (wanted, options))
        t.equal(told, [str(i) for i in expected], options, r)


test_only_true_ones_count.timeout = 60


@params(*BUILDS)
def test_held_until(t, build):
    """:when holds the thread, and is asked again when memory changes that it has read."""
    program = built(build)
    told, r = prints(t, program, 'at("//wait"):when "g_queue.count >= 5 && g_queue.name[0] == \'m\'":run(function() print(program.var.g_queue.count) end)')
    t.equal(told, ["5"], "asked again", r)
    told, r = prints(t, program, 'at("//wait"):when "g_queue.count"\nlimits { gate = 60 }')
    t.equal(told, [], "asked again", r)
    told, r = prints(t, program, 'at("//wait"):when "g_queue.count < 0"\nlimits { gate = 0.2 }', status=122)
    t.check("held by a condition of the script (" in told[0] and ": the condition at //wait is still false for main" in told[1], "it never opens", r)
    told, r = prints(t, program, 'at("//wait", { when = "g_queue.count > 100", optional = true }):when "0"')
    t.equal(told, [], "not held: the arrival does not count", r)


def test_scopes(t):
    """The scope is that of each place: copies of an inlined function, a child of fork, a thread with its own variables."""
    for build in ("gcc -O0", "clang -O0"):
        told, r = prints(t, built(build), 'at("//copied", { when = "j == 3 || j == 30" }):run(function(hit) print(hit.count, hit:eval "j") end)')
        t.equal(told, ["1\t3", "2\t30"], build, r)
    told, r = prints(t, built(), 'at("//step", { when = "i == 39" }):run(function(hit) print(hit.count, hit.thread.id) end)', "fork")
    t.equal([line.split("\t")[0] for line in told], ["1", "2", "3"], "in the child as well", r)
    told, r = prints(t, built(), 'at("//step", { when = "i == 5" }):event "a"\nat("//wait"):event "b"\norder "a -> b"')
    t.equal(told, [], "an event", r)
    told, r = prints(t, built(), 'on("exit"):when "sum > 0"')
    t.equal(told, [], "at an event", r)


WRONG = {
    "i ==": "column 5: a value is expected, but the expression ends",
    "i = 3": "column 3: an expression cannot change anything: assign to hit.var, or write == to compare",
    "i++ > 3": "an expression cannot change anything",
    "strlen(q->name) > 1": "column 1: an expression cannot call functions: use hit:call",
    "i > 1 && nosuch": "column 10: no variable 'nosuch' here; in scope are i, q",
    "q->cuont > 1": "column 4: a 'struct queue' has no member 'cuont'; did you mean count?",
    "(struct nosuch *)q": "nosuch",
}


def test_wrong(t):
    """What can be known beforehand is one error, of run and of check alike; nothing of the program has run."""
    program = built()
    for expression, says in WRONG.items():
        for script in ('\nat("//step", { when = "%s" }):log "x"', '\nat("//step"):when "%s"'):
            told, r = prints(t, program, script % expression, status=125)
            t.check(": //step: when \"%s\": " % expression in told[0] and ".lua:2: " in told[0] and says in told[0], expression, r)
            t.equal((len(told), told[1][:5]), (2, "try: "), "an error and what to do", r)
            check = t.gate("check", "-g", t.file("check.lua", script % expression + "\n"), program)
            t.equal((check.status, check.err.split(".lua:", 1)[1]), (125, r.err.split(".lua:", 1)[1]), "check says the same", check)
    told, r = prints(t, program, 'at("//step", { when = "nosuch" })\nat("//copied", { when = "i" })', status=125)
    t.check("'nosuch'" in told[0] and "'i'" in told[1], "both are told", r)
    r = t.gate("check", "-g", t.file("check.lua", 'at("//step", { when = "q->next->count > sum" })\nat("//wait"):when "g_queue.state == BUSY"\n'), program)
    t.equal((r.status, r.err), (0, ""), "check", r)


def test_at_an_arrival(t):
    """What only an arrival shows is an error there, once, with the place and what was read."""
    for expression, says in (("q->count == 1", "null pointer"), ("40 / i", "division by zero"), ("i == 3 && *q", "number")):
        told, r = prints(t, built(), 'at("//step", { when = "%s" }):log "x"' % expression, status=125)
        t.check('gates' in told[0] and ': //step: when "%s": ' % expression in told[0] and says in told[0], expression, r)
        t.equal(sum("//step" in line for line in told), 1, "once", r)
    program = compile_text("dropped.c", r"""
int main(int argc, char **argv)
{
	int dropped = argc * 3;
	__asm__ volatile("nop" ::: "memory"); /* gate: here */
	(void)dropped;
	return 0;
}
""", "-g -O2", compiler="gcc")
    r = t.run_gated(program, 'at("//here", { when = "argv == 0 || dropped == 3 && dropped != 4" }):log "x"\n')
    t.check(r.status == 0 or (r.status == 125 and "dropped" in r.err and "optimised out" in r.err), "known, or said to be dropped", r)


def test_never_true(t):
    told, r = prints(t, built(), 'at("//step", { when = "i == 400" }):log "x"', status=120)
    t.check('when "i == 400" was false 80 times' in told[0], "why", r)
    told, r = prints(t, built(), 'at("//step", { when = "i == 4", hit = 3 }):log "x"', status=120)
    t.check('was false 78 times and true twice, but hit = 3' in told[0], "why", r)


def test_later_library(t):
    """A library that is loaded while the program runs: checked then, and asked there."""
    library = compile_text("libwhen.c", "int total; void add(int n)\n{\n\ttotal += n; /* gate: add */\n}\n", "-g -O0 -shared -fPIC")
    program = compile_text("loads.c", r"""
#include <dlfcn.h>
int main(int argc, char **argv)
{
	void *m = dlopen(argv[1], RTLD_NOW);
	void (*add)(int) = (void (*)(int))dlsym(m, "add");
	for (int i = 0; i < 9; i++)
		add(i);
	return 0;
}
""", "-g -O0")
    where = t.path("libwhen.so")
    shutil.copy(library, where)
    told, r = prints(t, program, 'at("libwhen.so!add;total += n", { when = "total == 3 && n == 3" }):log "{count} {var.n}"', where)
    t.equal(told, ["1 3"], "asked there", r)
    told, r = prints(t, program, 'at("libwhen.so!add;total += n", { when = "totl == 3" }):log "x"', where, status=125)
    t.check('when "totl == 3": column 1: no variable' in told[0], "checked when it is loaded", r)


def test_explore(t):
    """A search obeys the conditions of its script."""
    program = compile_text("lost.c", r"""
#include <pthread.h>
#include <stdlib.h>
static int n, rounds;
static void *add(void *arg)
{
	for (int i = 0; i < 2; i++) {
		int old = n; /* gate: read */
		n = old + 1; /* gate: write */
	}
	return arg;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return n == 4 ? 0 : 1;
}
""", "-g -O0 -pthread")
    out = t.path("found")
    r = t.gate("explore", "--runs", "200", "-o", out, program)
    t.equal(r.status, 116, "there is something to be found", r)
    script = t.file("serial.lua", 'at("//read", { thread = "add#2", when = "i == 0" }):when "n == 2"\n')
    r = t.gate("explore", "--runs", "200", "-o", out + "2", "-g", script, program)
    t.check(r.status == 0, "the second one waits until the first one is done", r)


def test_repl(t):
    r = t.gate("repl", "-g", t.file("r.lua", 'at("//step", { when = "i == 5" }):when "g_queue.count == 5":log "x"\n'), built(), stdin=b"places\nrun\nplaces\nquit\n")
    t.check('when "i == 5" when "g_queue.count == 5" log "x"' in (r.stdout + r.err), "the conditions are shown", r)
