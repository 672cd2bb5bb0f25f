"""What a search has found is on the disk before anything else is tried with it, and whatever ends that."""
import os
import re
import signal

from harness import Process, compile_text, params, wait_until
from patience import wall

ABBA = """#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *other(void *unused)
{
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return unused;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, other, 0);
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return pthread_join(t, 0);
}
"""

# The last step fails in some order; the script of all orders has more than 200 gates.
MANY = """#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int turn, last;
static void *step(void *p)
{
	pthread_mutex_lock(&m);
	last = (int)(long)p;
	turn++;
	pthread_mutex_unlock(&m);
	return p;
}
int main(void)
{
	pthread_t t[4];
	for (int round = 0; round < 60; round++) {
		for (long i = 0; i < 4; i++)
			pthread_create(&t[i], NULL, step, (void *)(i + 1));
		for (int i = 0; i < 4; i++)
			pthread_join(t[i], NULL);
	}
	return last != 4;
}
"""


def test_many_gates(t):
    """A failure is one whatever its script does; of many orders the last ones are tried first."""
    r = t.gate("explore", "-j", "1", "--verify", "1", "--gates-for", wall(1), "-o", t.path("found"), compile_text("many.c", MANY))
    t.equal(r.status, 116, "found", r)
    t.check(r.err.startswith("gatectl: found: 1 failure in "), "first", r)
    t.check("local variables" not in r.err, "no fault of a script", r)
    with open(t.path("found/1/gates.lua")) as f:
        t.check(f.read().count("SimpleGate") <= 16, "few gates", r)


def has_report(t):
    return os.path.exists(t.path("found/1/report.json"))


@params("SIGINT", "SIGTERM", "SIGHUP")
def test_ended_while_gates_are_made(t, name):
    """What was found is told and kept, also while its script is made and verified."""
    p = Process([t.gatectl, "explore", "--gates-for", "0", "--verify", "1000000", "-o", t.path("found"), compile_text("abba.c", ABBA)],
                env=t.env, **PIPES)
    wait_until(lambda: has_report(t), "the report")
    p.send_signal(getattr(signal, name))
    ended(t, p, name)


@params("1", "2")
def test_ended_while_the_search_goes_on(t, jobs):
    """With --all each failure has its folder and its report while others are looked for."""
    p = Process([t.gatectl, "explore", "--all", "--runs", "1000000", "-j", jobs, "-o", t.path("found"), compile_text("abba.c", ABBA)],
                env=t.env, **PIPES)
    wait_until(lambda: has_report(t), "the report")
    p.send_signal(signal.SIGTERM)
    ended(t, p, "SIGTERM")


HANG = """#include <pthread.h>
#include <unistd.h>
static void *waits(void *unused)
{
	pause();
	return unused;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, waits, NULL);
	return pthread_join(t, NULL);
}
"""


def test_no_time_for_a_hang(t):
    """A run that takes seconds is not begun where the time for scripts ends before it would: no candidate, no plain run."""
    r = t.gate("explore", "--for", "1", "--hang", "1", "-j", "1", "--verify", "3", "-o", t.path("found"), compile_text("pauses.c", HANG))
    t.equal(r.status, 116, "found", r)
    t.check("the first: a hang" in r.err and "\nno script of gates: there was no time to " in r.err, "what, and why no script", r)
    kept = set(os.listdir(t.path("found/1")))
    t.check("schedule" in kept and ("report.json" in kept or "no time to run its schedule once more" in r.err), "kept", r)


THREE = """#include <pthread.h>
#include <stdio.h>
static volatile int a, b, c;
#define ADD(x) __asm__ volatile("addl $1, %0" : "+m"(x))
static void *add(void *p)
{
	ADD(a); /* one instruction reads and writes: no gate parts that */
	ADD(b);
	ADD(c);
	return p;
}
int main(int n, char **v)
{
	pthread_t t[2];
	if (n > 1)
		return 0;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return a != 2 ? 1 : b != 2 ? 2 : c != 2 ? 3 : 0;
}
"""


def test_others_without_a_script(t):
    """Each failure without a script says why, and how to make it; an older failure's folder is told and kept."""
    program = compile_text("three.c", THREE)
    r = t.gate("explore", "--all", "--runs", "100", "--gates-for", "0.001", "-j", "1", "-o", t.path("found"), program)
    t.check(r.err.startswith("gatectl: found: 3 failures in 100 schedules; "), "three failures", r)
    for n in "2", "3":
        where = t.path("found/" + n)
        t.check(re.search(": %s\nno script of gates: .+; gatectl explore -g %s/schedule tries again\n" % (where, where), r.err),
                "why failure %s has none, and how to make it" % n, r)
    r = t.gate("explore", "--runs", "2", "-o", t.path("found"), program, "passes")
    t.equal(r.status, 0, "nothing found", r)
    t.check("%s is of an earlier search, which found a failure\n" % t.path("found/1") in r.err, "the old folder", r)
    t.check(os.path.exists(t.path("found/1/schedule")), "it is kept")


PIPES = {"stdout": -1, "stderr": -1, "text": True}


def ended(t, p, name):
    err = p.communicate(timeout=100)[1]
    t.equal(p.returncode, 128 + getattr(signal, name), "status: " + err)
    t.check(err.startswith("gatectl: found: 1 failure in "), "told: " + err)
    t.check({"schedule", "report.json", "report.html", "stdout", "stderr"} <= set(os.listdir(t.path("found/1"))), "kept: " + err)
    t.equal(t.gate("replay", t.path("found/1/schedule")).status, 123, "as it was")


def test_later(t):
    """The script of a schedule that was kept: beside it, or in a folder of its own."""
    program = compile_text("abba.c", ABBA)
    kept = t.path("found/1/schedule")
    t.equal(t.gate("explore", "--verify", "0", "-o", t.path("found"), program).status, 116, "found")
    t.check(not os.path.exists(t.path("found/1/gates.lua")), "no script")
    for where, options in (("found/1", ()), ("other/1", ("-o", t.path("other")))):
        r = t.gate("explore", "--gates", kept, "--verify", "3", "--gates-for", wall(100), *options)
        t.equal(r.status, 116, "still", r)
        t.check("; its script: %s/gates.lua\n" % t.path(where) in r.err and "forced it in 3 of 3 runs" in r.err, "a script", r)
        t.equal(t.gate("run", "-g", t.path(where + "/gates.lua"), "--", program).status, 0, "forces it", r)
    t.error(t.gate("explore", "-g", kept, "-g", kept), where="--gates: %s and %s: only one schedule can be given" % (kept, kept))
    fixed = compile_text("abba_fixed.c", ABBA.replace("lock(&a);\n\tpthread_mutex_lock(&b)", "lock(&b);\n\tpthread_mutex_lock(&a)"))
    r = t.gate("explore", "--gates", kept, "--verify", "3", "--", fixed)
    t.equal(r.status, 125, "of another program", r)
    t.check("gatectl: error: %s: the program does not follow it" % kept in r.err, "why", r)
