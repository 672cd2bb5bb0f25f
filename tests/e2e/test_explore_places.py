"""gatectl explore --points FILE.c or FUNC, --from: what the tester says of places; and that places stay where they are."""

import os
import re
import subprocess

from harness import compile_text, line_of, params
from test_explore import explore, failed, read

# `count` is changed without a lock, in two steps; `other` is, too, but nobody asks for it.
COUNT = """#include <pthread.h>
static int count, other;
static int twice(int v)
{
	int r = v * 2;
	return r;
}
static void *work(void *x)
{
	int k = twice(3);
	count += k;
	return x;
}
static void *idle(void *x)
{
	other++;
	return x;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, i < 2 ? work : idle, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return count == 12 ? 0 : 3;
}
"""


def steps(r):
    lines = [line.split() for line in read(r.found, "1", "schedule").split("\n")]
    return [words for words in lines if words and words[0].isdigit()]


def lines_of(r, op):
    return {s[3].split(":")[-1] for s in steps(r) if s[2] == op}


@params(("work", "10 12 13"), ("places.c", "5 6 7 10 12 13 17 18"), ("places!work", "10 12 13"), ("places.c:11,places.c:12", "12"))
def test_points(t, what):
    where, lines = what
    program = compile_text("places.c", COUNT)
    r = explore(t, "--points", where, program)
    failed(t, r, "status", "exit status 3")
    t.check(set(lines.split()) <= lines_of(r, "line"), "the lines are points: %s" % lines_of(r, "line"), r)
    t.check("11" in lines_of(r, "read"), "and so are the accesses in them", r)
    t.equal("16" in lines_of(r, "read"), where == "places.c", "but those elsewhere are not", r)
    again = t.gate("replay", os.path.join(r.found, "1", "schedule"))
    t.check(again.status == 3 and re.fullmatch(r"replayed: .* \((\d+) of \1 steps agree\)\n", again.err), "it comes again", again)


def test_points_elsewhere(t):
    """Without points between its accesses nothing is seen of them."""
    program = compile_text("places.c", COUNT)
    r = explore(t, "--points", "twice", "--runs", "300", program)
    t.equal(r.status, 0, "nothing fails", r)


WRONG = {
    "wrok": "no function wrok in places or the libraries it starts with; did you mean work?\ntry: write work\n",
    "placs.c": "no source file placs.c in places or the libraries it starts with; did you mean places.c?\ntry: write places.c\n",
    "places.c:1": "places.c:1 has no code: it is a directive of the preprocessor; the nearest line that has is 4 (in twice)\n",
    "work,wrok": "no function wrok in places or the libraries it starts with; did you mean work?\ntry: write work\n",
}


@params(*WRONG)
def test_wrong_points(t, where):
    program = compile_text("places.c", COUNT)
    r = t.gate("explore", "--points", where, program, cwd=t.tmp)
    t.equal((r.status, r.stdout), (125, ""), "refused", r)
    t.check(r.err.startswith("gatectl: error: --points: ") and r.err.endswith(WRONG[where]), "the usual error", r)


def test_points_unknown(t):
    r = t.gate("explore", "--points", "work", compile_text("places.c", COUNT, flags="-O0"), cwd=t.tmp)
    t.equal((r.status, r.err), (125, "gatectl: error: --points: work: no debug information names its lines\ntry: compile it with -g\n"), "refused", r)


# ---- where schedules begin ----------------------------------------------------------------------

# What comes before `ready` would be 200 points, and a thread of its own that has ended by then.
LATE = """#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count, early;
static void *work(void *x)
{
	pthread_mutex_lock(&lock);
	int now = count;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	count = now + 1;
	pthread_mutex_unlock(&lock);
	return x;
}
static pthread_mutex_t stays = PTHREAD_MUTEX_INITIALIZER;
static void *before(void *x)
{
	pthread_mutex_lock(&stays);
	pthread_mutex_unlock(&stays);
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&lock);
		early++;
		pthread_mutex_unlock(&lock);
	}
	return x;
}
static void ready(void) { puts("ready"); }
static void never(void) { early = 0; }
int main(int argc, char **argv)
{
	pthread_t t[3];
	pthread_mutex_lock(&stays);
	pthread_create(&t[2], 0, before, 0);
	if (argc > 1)
		ready();
	pthread_mutex_unlock(&stays);
	pthread_join(t[2], 0);
	if (argc > 2)
		never();
	ready();
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return count == 2 ? 0 : 3;
}
"""


def forgotten(r):
    """How many steps there are before the threads that matter."""
    return [s[1] for s in steps(r)].count("before#1")


def late(t, *args, flags="-g -O0", strip=False):
    program = compile_text("late.c", LATE, flags=flags)
    if strip:
        stripped = t.path("stripped")
        subprocess.run(["strip", "-s", "-o", stripped, program], check=True)
        program = stripped
    return explore(t, "--points", "sync", *args, program)


def comes_again(t, r):
    again = t.gate("replay", os.path.join(r.found, "1", "schedule"))
    t.check(again.status == 3 and re.fullmatch(r"replayed: .* \((\d+) of \1 steps agree\)\n", again.err), "it comes again", again)


def test_from(t):
    r = late(t)
    failed(t, r, "status", "exit status 3")
    t.check(forgotten(r) > 200, "from main there is more", r)
    for where in ("ready", "late.c:%d" % (line_of(LATE, "never();") + 1)):
        r = late(t, "--from", where)
        failed(t, r, "status", "exit status 3")
        t.check("begin" not in r.err and "anew" not in r.err and forgotten(r) == 0, "it begins there", r)
        t.check("from: late+0x" in read(r.found, "1", "schedule"), "as the schedule says", r)
        comes_again(t, r)


def test_from_among_threads(t):
    r = explore(t, "--points", "sync", "--from", "ready", compile_text("late.c", LATE), "early")
    failed(t, r, "status", "exit status 3")
    t.check("schedules begin at main, since the program has several threads when it reaches ready\n" in r.err, "told", r)
    t.check(forgotten(r) > 200 and "from:" not in read(r.found, "1", "schedule"), "at main", r)
    comes_again(t, r)


@params("never", "nver", "late.c:1000")
def test_wrong_from(t, where):
    says = {"never": "the program has ended without reaching never", "nver": "did you mean never?", "late.c:1000": "late.c:1000"}
    r = t.gate("explore", "--from", where, compile_text("late.c", LATE), cwd=t.tmp)
    t.equal((r.status, r.stdout), (125, ""), "refused", r)
    t.check(r.first.startswith("gatectl: error: --from: ") and says[where] in r.err, "an error", r)


# The call that --from names never comes: main takes a lock for ever.
ENDLESS = """#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int ends;
static void last(void) { ends = 2; }
int main(void)
{
	while (!ends) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
	last();
	return 0;
}
"""


def test_not_there_in_time(t):
    """The time of a search also ends a run that has not come to where schedules begin."""
    r = t.gate("explore", "--from", "last", "--for", 1, compile_text("endless.c", ENDLESS), cwd=t.tmp)
    t.equal((r.status, r.first), (125, "gatectl: error: --from: the program has not reached last in 1 s (--for)"), "the time is over", r)
    t.check("\ntry: a longer --for, or an earlier place\n" in r.err, "what to do", r)


@params("-O0", "-O2 -static", "-O2 -no-pie", "-O2 -static-pie")
def test_stripped(t, flags):
    """main has no name."""
    r = late(t, flags=flags, strip=True)
    if "-static" in flags:  # nor has anything else: only what it asks of the kernel is a point
        t.check(r.status in (0, 116) and r.report["schedules"], "it is explored", r)
    else:
        failed(t, r, "status", "exit status 3")
        comes_again(t, r)
    t.check("anew" not in r.err, "by forks", r)
    t.equal(late(t, "--runs", "20", flags=flags).report["points"] > 100, True, "with symbols, too")


# A thread that is cancelled or calls pthread_exit() makes libc load libgcc_s, which has locks: behind our own memory or not.
LOADS = """#include <pthread.h>
static int done;
static void *work(void *x)
{
	if (EXITS)
		pthread_exit(x);
	for (;;)
		pthread_testcancel();
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, work, 0);
	if (!EXITS)
		pthread_cancel(t);
	pthread_join(t, 0);
	return done ? 0 : 3;
}
"""


@params(0, 1)
def test_library_loaded_late(t, exits):
    """It has the same address in each run, whatever memory gatectl has needed in the program before."""
    program = compile_text("loads.c", LOADS, flags="-g -O0 -DEXITS=%d" % exits)
    for points in ((), ("--points", "sync")):
        r = explore(t, *points, program)
        failed(t, r, "status", "exit status 3")
        t.check("libgcc_s.so" in read(r.found, "1", "schedule"), "locks of the library are points", r)
        comes_again(t, r)


# Two threads take two locks in opposite orders, by wrappers: one that only passes its argument on, one that counts before it locks,
# and one that takes both.
WRAPPED = """#include <pthread.h>
static pthread_mutex_t list = PTHREAD_MUTEX_INITIALIZER, client = PTHREAD_MUTEX_INITIALIZER;
static int taken;
static int take(pthread_mutex_t *mutex)
{
	if (COUNTS)
		taken++;
	return pthread_mutex_lock(mutex);
}
static void take_both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
}
static void *destroy(void *x)
{
	if (BOTH) {
		take_both(&list, &client);
	} else {
		take(&list);
		take(&client); /* the second of destroy */
	}
	pthread_mutex_unlock(&client);
	pthread_mutex_unlock(&list);
	return x;
}
static void *publish(void *x)
{
	if (BOTH) {
		take_both(&client, &list);
	} else {
		take(&client);
		take(&list); /* the second of publish */
	}
	pthread_mutex_unlock(&list);
	pthread_mutex_unlock(&client);
	return x;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, destroy, 0);
	pthread_create(&b, 0, publish, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
"""


@params(*[(c, o, kind) for c in ("gcc", "clang") for o in ("-O0", "-O2") for kind in ("passes", "counts", "both")])
def test_wrappers(t, case):
    """A lock that a wrapper takes is taken where the wrapper is called, unless the wrapper does something before."""
    compiler, level, kind = case
    program = compile_text("wrapped.c", WRAPPED, "-g %s -DCOUNTS=%d -DBOTH=%d" % (level, kind == "counts", kind == "both"), compiler)
    r = t.gate("explore", "--verify", "20", "-o", t.path("found"), program, seconds=100)
    t.equal(r.status, 116, "status", r)
    t.check("\nthe script has forced it in 20 of 20 runs\n" in r.err, "forced", r)
    with open(t.path("found/1/gates.lua")) as f:
        script = f.read()
    story = re.sub(r"\s+--\s+", " ", script)
    t.check("locks `list`" in story and "locks `client`" in story, "the locks: " + script)
    if kind == "passes":
        lines = [line_of(WRAPPED, "the second of " + who) for who in ("publish", "destroy")]
        t.check(all("(wrapped.c:%d)" % line in story for line in lines), "the callers: " + script)
        t.check('at "destroy;take(&client)"' in script and 'at "publish;take(&list)"' in script, "gates in the callers: " + script)
        t.check("destroy1_locked_list" in script, "named by the lock: " + script)
