"""gatectl explore: the script of gates that a failure comes back as, run plainly.

Quick: 20 runs each. Full: 200.
"""

import os
import re

from harness import ROOT, compile_text, params, timeout
from patience import wall

BUGS = os.path.join(ROOT, "tests", "explore", "bugs")
SECONDS = 110  # a deadlock takes some ms of waiting to be sure of, in each of hundreds of runs
VERIFY = 40

LOST = """#include <pthread.h>
static volatile int n;
static void *add(void *x)
{
	int old;
	old = n;
	n = old + 1;
	return x;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, add, 0);
	pthread_create(&t[1], 0, add, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return n != 2;
}
"""

ABBA = """#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *x)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return x;
}
static void *two(void *x)
{
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return x;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, one, 0);
	pthread_create(&t[1], 0, two, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
"""

# main leaves before the thread has begun: nothing but the end of the program comes after that.
EARLY = """#include <pthread.h>
static volatile int done;
static void *work(void *x)
{
	done = 1;
	return x;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, work, 0);
	return !done;
}
"""

# Published before it is filled.
PUBLISHED = """#include <pthread.h>
static int filled, published;
static void *fill(void *x)
{
	__atomic_store_n(&published, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&filled, 1, __ATOMIC_RELAXED);
	return x;
}
int main(void)
{
	pthread_t t;
	int seen;
	pthread_create(&t, 0, fill, 0);
	seen = __atomic_load_n(&published, __ATOMIC_ACQUIRE);
	if (seen && !__atomic_load_n(&filled, __ATOMIC_RELAXED))
		return 9;
	pthread_join(t, 0);
	return 0;
}
"""

# It is used before it is there: who would make it has not begun when the program dies.
UNMADE = """#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static int *p;
static void *make(void *x)
{
	p = calloc(1, sizeof(*p));
	return x;
}
static void *use(void *x)
{
	*p = 3;
	return x;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, make, 0);
	usleep(20000);
	pthread_create(&t[1], 0, use, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
"""

# Each thread is to see another number, and all see the one that is there when all are created.
ONE_FOR_ALL = """#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int seen[4];
static void *note(void *x)
{
	int i = *(int *)x;
	if (atomic_fetch_add(&seen[i], 1))
		exit(9);
	return 0;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, note, &i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""

# Goes on for ever when main comes first.
SPIN = """#include <pthread.h>
#include <sched.h>
static volatile int stop;
static void *wait(void *x)
{
	stop = 0;
	while (!stop)
		sched_yield();
	return x;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, wait, 0);
	stop = 1;
	pthread_join(t, 0);
	return 0;
}
"""

# main looks at the flag as often as it likes: that is no order of threads.
ROUNDS = """#include <pthread.h>
static volatile int n, ready;
static void *add(void *x)
{
	int old;
	ready = 1;
	old = n;
	n = old + 1;
	return x;
}
static void wait(void)
{
	while (!ready)
		;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, add, 0);
	pthread_create(&t[1], 0, add, 0);
	wait();
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return n != 2;
}
"""

# Addresses are not randomised while explore decides who goes on; in a plain run they are as without gatectl.
FIXED = """#include <sys/personality.h>
int main(void)
{
	return personality(0xffffffff) & ADDR_NO_RANDOMIZE ? 1 : 0;
}
"""

# What the one has read the other one unmaps, with a call that is no point: all of it has to have been done.
UNMAPPED = """#include <pthread.h>
#include <sys/mman.h>
static char *volatile page;
static void *use(void *x)
{
	char *mine = page;
	if (mine)
		*mine = 1;
	return x;
}
static void *drop(void *x)
{
	char *old = page;
	page = 0;
	munmap(old, 4096);
	return x;
}
int main(void)
{
	pthread_t t[2];
	page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_create(&t[0], 0, use, 0);
	pthread_create(&t[1], 0, drop, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
"""

PROGRAMS = {"lost": LOST, "abba": ABBA, "early": EARLY, "unmapped": UNMAPPED}
EXPECTED = {"lost": "exit = 1", "abba": "deadlock = true", "early": "exit = 1", "unmapped": 'signal = "SIGSEGV"'}


def explore(t, name, text, runs, *args):
    program = compile_text(name + ".c", text)
    found = t.path("found-" + name)
    r = t.gate("explore", "--points", "memory", "--verify", str(runs), "-o", found, *args, "--", program, seconds=SECONDS)
    t.equal(r.status, 116, "status", r)
    return program, os.path.join(found, "1", "gates.lua"), r


def read(path):
    with open(path) as f:
        return f.read()


def expects(wanted, script):
    """The end, and the line of a crash."""
    at = r', at = "[^"\n]+;[^\n]+"' if wanted.startswith("signal") else ""
    return re.search(re.escape("expect { " + wanted) + at + " }", script)


@timeout(150)
@params(*PROGRAMS)
def test_forced(t, name):
    runs = 200 if t.full else 20
    program, script, r = explore(t, name, PROGRAMS[name], runs)
    t.check("; its script: " + script in r.first, "the first line names the script", r)
    text = read(script)
    t.check(expects(EXPECTED[name], text), "what it expects: " + text, r)
    t.check("failed like that in %d of %d runs" % (runs, runs) in text, "how often it was tried: " + text, r)
    t.check("\nthe script has forced it in %d of %d runs\n" % (runs, runs) in r.err, "... and said", r)
    t.check(0 < len(re.findall(r"^(?:at|on)\b", text, re.M)) <= 4, "lines of gates: " + text, r)
    t.check("*0x" not in text, "places are texts: " + text, r)
    r = t.gate("run", "--repeat", str(runs), "-g", script, "--", program)
    t.equal(r.status, 0, "as the script expects, in all runs", r)


# In the end a thread is woken for a lock that it has waited for, and goes on no more: what it would do then is no part of the failure.
TWO_LOCKS = """#include <assert.h>
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x, y;
static void *twice(void *arg)
{
	pthread_mutex_lock(&a);
	x = x + 1;
	pthread_mutex_unlock(&a);
	pthread_mutex_lock(&b);
	y = y + 1;
	pthread_mutex_unlock(&b);
	return arg;
}
static void *look(void *arg)
{
	pthread_mutex_lock(&b);
	int seen_y = y;
	pthread_mutex_unlock(&b);
	pthread_mutex_lock(&a);
	int seen_x = x;
	pthread_mutex_unlock(&a);
	assert(!(seen_y == 0 && seen_x == 2));
	return arg;
}
int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], 0, twice, 0);
	pthread_create(&t[1], 0, twice, 0);
	pthread_create(&t[2], 0, look, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""


@timeout(150)
@params(1, 3, 6)
def test_woken_for_a_lock(t, seed):
    program, script, r = explore(t, "two_locks", TWO_LOCKS, 60, "--seed", str(seed), "--points", "races")
    t.check("\nthe script has forced it in 60 of 60 runs\n" in r.err, "there is a script", r)
    r = t.gate("run", "--repeat", "200", "-g", script, "--", program)
    t.equal(r.status, 0, "as the script expects, in all runs", r)


def classic(name, flags="-O0", compilers=("gcc", "g++")):
    is_cxx = name.endswith(".cc")
    with open(os.path.join(BUGS, name)) as f:
        return compile_text(name, f.read(), "-g -pthread -I" + BUGS + " " + flags + " -std=c++20" * is_cxx, compilers[is_cxx])


@timeout(150)
@params("reorder.c", "cxx_condition.cc")
def test_other_build(t, name):
    """Where a line has no code of its own, or ends in a jump to what it calls, the starts and ends of threads are there."""
    runs = 100 if t.full else 20
    found = t.path("found")
    r = t.gate("explore", "--points", "memory", "--verify", str(VERIFY), "-o", found, "--", classic(name), seconds=SECONDS)
    for build in ("gcc", "g++"), ("clang", "clang++"):
        program = classic(name, "-O2", build)
        r = t.gate("run", "--repeat", str(runs), "-g", os.path.join(found, "1", "gates.lua"), "--", program)
        t.equal(r.status, 0, "as the script expects, in all runs of " + build[0], r)


@timeout(150)
@params("escaped_local", "process_check", "cxx_cas.cc", "futex", "cancel_lock", "signal_lock", "notify_one", "timeout_event", "cxx_iterator.cc", "cxx_atomic_wait.cc")
def test_classic(t, name):
    """What takes more than the order of lines: calls, waits and who is woken, time-outs, calls that are no points."""
    runs = 200 if t.full else 20
    name = name if "." in name else name + ".c"
    program = classic(name)
    found = t.path("found")
    r = t.gate("explore", "--points", "memory", "--verify", str(VERIFY), "-o", found, "--", program, seconds=SECONDS)
    t.check("\nthe script has forced it in %d of %d runs\n" % (VERIFY, VERIFY) in r.err, "there is a script", r)
    script = os.path.join(found, "1", "gates.lua")
    t.check('"*0x' not in read(script), "no address of the program: " + read(script), r)
    r = t.gate("run", "--repeat", str(runs), "-g", script, "--", program)
    t.equal(r.status, 0, "as the script expects, in all runs", r)


# Both wait in the kernel for what the other thread does; what comes behind that fails in one order.
BLOCKS = """#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>
static int fd[2], file[2], timer;
static volatile int v;
static void lets_go(void)
{
#if defined(FLOCK)
	flock(file[0], LOCK_UN);
#elif defined(TIMERFD)
	struct itimerspec it = {{0}, {0, 1000}};
	timerfd_settime(timer, 0, &it, 0);
#else
	write(fd[1], "x", 1);
#endif
}
static void waits(void)
{
	char c[8];
#if defined(POLL)
	struct pollfd f = {fd[0], POLLIN, 0};
	poll(&f, 1, -1);
#elif defined(FLOCK)
	flock(file[1], LOCK_EX);
#elif defined(TIMERFD)
	read(timer, c, 8);
#else
	read(fd[0], c, 1);
#endif
}
static void *work(void *x)
{
	lets_go();
#ifdef PENDING
	if (v == 0)
		abort();
#endif
	v = 7;
	return x;
}
int main(int argc, char **argv)
{
	pthread_t t;
	int seen;
	pipe(fd);
	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	for (int i = 0; i < 2; i++)
		file[i] = open(argv[0], O_RDONLY);
	flock(file[0], LOCK_EX);
	pthread_create(&t, 0, work, 0);
	waits();
	seen = v;
	v = 1;
	pthread_join(t, 0);
	return seen != 7;
}
"""


@timeout(150)
@params("PIPE", "POLL", "FLOCK", "TIMERFD", "PENDING")
def test_waits_in_the_kernel(t, how):
    """A call that waits there, and comes back from it, is one arrival; who was to come back last is held behind it."""
    program = compile_text("blocks.c", BLOCKS, "-g -O0 -w -pthread -D" + how)
    r = t.gate("explore", "--verify", "20", "-o", t.path("found"), "--", program, seconds=SECONDS)
    t.check("\nthe script has forced it in 20 of 20 runs\n" in r.err, "there is a script", r)
    script = t.path("found/1/gates.lua")
    t.check("hit = 2" not in read(script) and "*0x" not in read(script), "the script: " + read(script), r)
    if how == "PENDING":  # however busy the machine was that the script was made on
        t.check("after = true, optional = true }) :wait(work1_called_write)" in read(script), "main is held behind its call: " + read(script), r)
    r = t.gate("run", "--repeat", "50", "-g", script, "--", program)
    t.equal(r.status, 0, "as the script expects, in all runs", r)


UNORDERED = {
    "unmade": (UNMADE, 'signal = "SIGSEGV"', [':open(use1_read_p)', ':wait(use1_read_p)']),
    "one_for_all": (ONE_FOR_ALL, "exit = 9", ['at "main;pthread_join"']),
}


@timeout(150)
@params(*UNORDERED)
def test_not_begun(t, name):
    """What comes after the failure is held for good; and what is no point, but done before a thread stands, counts."""
    text, expected, lines = UNORDERED[name]
    program = compile_text(name + ".c", text)
    r = t.gate("explore", "--verify", "20", "-o", t.path("found"), "--", program, seconds=SECONDS)
    t.check("\nthe script has forced it in 20 of 20 runs\n" in r.err, "there is a script", r)
    script = read(t.path("found/1/gates.lua"))
    t.check(expects(expected, script) and all(line in script for line in lines), "the script: " + script, r)
    r = t.gate("run", "--repeat", "20", "-g", t.path("found/1/gates.lua"), "--", program)
    t.equal(r.status, 0, "as the script expects, in all runs", r)


def test_atomic_loads(t):
    """What only loads is told as a read, in the story and in the names of gates."""
    r = t.gate("explore", "--verify", "5", "-o", t.path("found"), "--", compile_text("published.c", PUBLISHED), seconds=SECONDS)
    text = read(t.path("found/1/gates.lua"))
    story = re.sub(r"\n--\s*", " ", text)
    t.check("fill#1 changes `published`" in story, "a store: " + text, r)
    t.check("main reads `published`" in story, "a load: " + text, r)
    t.check("main changes `published`" not in story, "no load changes anything: " + text, r)
    steps = [line.split()[2:] for line in read(t.path("found/1/schedule")).splitlines() if " atomic " in line]
    t.equal([(step[0], "writes" in step) for step in steps], [("atomic", True), ("atomic", False), ("atomic", False), ("atomic", True)], "in the schedule", r)


def test_no_time_for_all(t):
    """Fewer runs than asked for: the script and what is printed say so."""
    program, script, r = explore(t, "lost", LOST, 1000000, "--gates-for", wall(2))
    said = "all of the ([0-9]+) runs that [0-9]+ s gave of the 1000000 asked for"
    counted = re.search("\nthe script has forced it in " + said + "\n", r.err)
    t.check(counted and int(counted.group(1)) > 0, "what is printed", r)
    written = re.search("failed like that in " + said, read(script).replace("\n-- ", " "))
    t.check(written and written.group(1) == counted.group(1), "what the script says: " + read(script), r)


@timeout(150)
def test_as_long_again(t):
    """With --for N what comes after the search does not go on for a minute; without --verify a hundred runs verify the script."""
    program, limit = compile_text("abba.c", ABBA), wall(2)
    r = t.gate("explore", "--for", limit, "--verify", "1000000", "-o", t.path("found"), "--", program, seconds=SECONDS)
    said = re.search("\nthe script has forced it in all of the ([0-9]+) runs that ([0-9]+) s gave of the 1000000 asked for\n", r.err)
    t.check(said and int(said.group(1)) > 0 and int(said.group(2)) < 5 * limit, "runs and seconds", r)
    r = t.gate("explore", "--gates-for", wall(100), "-o", t.path("more"), "--", program, seconds=SECONDS)
    t.check("\nthe script has forced it in 100 of 100 runs\n" in r.err, "a hundred", r)


# The sum is told in words, and the status is 0.
TOLD = LOST.replace("return n != 2;", 'printf("n = %d, or \\"two\\"?\\n", n);\n\treturn 0;').replace("#include", "#include <stdio.h>\n#include", 1)


@params("exit", "stdout")
def test_script_expects_the_outcome_that_came(t, what):
    """What fails is an expect of the tester's own script, which is no more than that: the script found says what came instead."""
    text, wanted, came = {"exit": (LOST, "exit = 0", "exit = 1"), "stdout": (TOLD, 'stdout = "n = 2"', r'exit = 0, stdout = "n = 1, or \"two\"?\n"')}[what]
    own = t.file("own.lua", "expect { %s }\n" % wanted)
    program, script, r = explore(t, "told", text, 20, "-g", own)
    t.check("\n-- gatectl run -g gates.lua -- " in read(script) and "expect { %s }" % came in read(script), "the script alone: " + read(script), r)
    with open(os.path.join(os.path.dirname(script), "stdout")) as f:
        t.equal(f.read(), 'n = 1, or "two"?\n' if what == "stdout" else "", "what the program wrote", r)
    t.check(b"n = " not in r.out, "... is written nowhere else", r)
    t.equal(t.gate("run", "-g", script, "--", program).status, 0, "it is a test by itself")


def test_another_expectation(t):
    """The tester's own script says more than what a run ends with: with both scripts it fails plainly, too."""
    own = t.file("own.lua", 'expect(function(run) return run.status == 0 end, "none is lost")\n')
    program, script, r = explore(t, "lost", LOST, 20, "-g", own)
    t.check("gatectl run -g %s -g gates.lua -- " % own in read(script).replace("\n-- ", " "), "the command line", r)
    r = t.gate("run", "-g", own, "-g", script, "--", program)
    t.verdict(r, 119)


@timeout(150)
def test_livelock(t):
    """Seen by a plain run, too, after a second; what goes round for ever is no part of the script."""
    program, script, r = explore(t, "spin", SPIN, 3, "--steps", "2000")
    t.check("expect { livelock = true }" in read(script) and "hit" not in read(script), "what it expects: " + read(script), r)
    t.check("\nthe script has forced it in 3 of 3 runs\n" in r.err, "how often it was tried", r)
    r = t.gate("run", "-g", script, "--", program)
    t.equal(r.status, 0, "as the script expects", r)


@timeout(150)
def test_no_time(t):
    """With the time over the first gates are taken, all of them, and what is not known of them is said."""
    program, script, r = explore(t, "lost", LOST, 20, "--gates-for", "0.001")
    said = "There was no time to try the script without each of its gates: some of them may not matter"
    t.check(re.search("\nthe script has forced it in .*\n%s\n" % said, r.err), "what is printed", r)
    t.check("\n-- %s.\n" % said in read(script), "... and in the script: " + read(script), r)
    t.equal(t.gate("run", "--repeat", "20", "-g", script, "--", program).status, 0, "as the script expects, in all runs")


@timeout(150)
def test_short_of_time(t):
    """As many runs as there is time for; a gate is tried by fewer, too."""
    text = SPIN.replace("sched_yield()", "poll(0, 0, 30)").replace("sched.h", "poll.h")  # needs no processor
    program, script, r = explore(t, "rests", text, 1000, "--gates-for", wall(6), "--steps", "2000")
    n = re.search(r"\nthe script has forced it in (all of the (\d+) runs that \d+ s gave of the 1000 asked for)\n", r.err)
    t.check(n and 0 < int(n[2]) < 1000, "how often it was tried", r)
    t.check(n[1] in read(script).replace("\n-- ", " "), "... is in the script: " + read(script), r)


@timeout(150)
def test_rounds(t):
    program, script, r = explore(t, "rounds", ROUNDS, 20, "--seed", "2")
    t.check("\nthe script has forced it in 20 of 20 runs\n" in r.err, "there is a script", r)


@timeout(150)
@params("signal_pair.c", "process_update.c")
def test_any_schedule(t, name):
    """What 20 plain runs do by luck is no reason to leave a gate out: no schedule that they permit comes out differently."""
    program = classic(name)
    found = t.path("found")
    r = t.gate("explore", "--points", "memory", "--verify", "20", "-o", found, "--", program, seconds=SECONDS)
    t.equal(r.status, 116, "found", r)
    script = os.path.join(found, "1", "gates.lua")
    said = " and in 20 searched schedules that its gates permit."
    t.check(said in read(script).replace("\n-- ", " "), "the script says so: " + read(script), r)
    r = t.gate("explore", "--points", "memory", "--seed", "7", "--runs", "200", "-g", script, "-o", t.path("no"), "--", program)
    t.equal(r.status, 0, "no schedule comes out differently", r)
    t.check(b"ended because of the gates" not in r.out, "... nor is ended by the gates", r)


# Whatever comes first, it ends like that. wait: nobody ever says so.
ALWAYS = """#include <pthread.h>
#include <sched.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int n, said;
static void *add(void *x)
{
	pthread_mutex_lock(&lock);
	n++;
	pthread_mutex_unlock(&lock);
	while (x && !said)
		sched_yield();
	return x;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	(void)argv;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, add, argc > 1 ? t : 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return n == 2 ? 3 : 4;
}
"""


def test_no_gate(t):
    """It fails whatever the order of its threads: the script says so, and has no gates."""
    program, script, r = explore(t, "always", ALWAYS, 20)
    text = read(script)
    t.check("\nthe script has forced it in 20 of 20 runs\n" in r.err, "what is printed", r)
    t.check("expect { exit = 3 }" in text and not re.search(r"^(?:at|on|local|order)\b", text, re.M), "an expectation alone: " + text, r)
    t.check("in 20 of 20 runs, and in 20 searched schedules." in text and "needs no gate: none of these runs had another outcome." in text, "what it says: " + text, r)
    t.equal(t.gate("run", "-g", script, "--", program).status, 0, "as the script expects")


# Found at once, when no race is known yet. It passes where the sleeper goes on between two statements of main's.
OVERSLEPT = """#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
static char *text;
static atomic_int stop;
static void *flush(void *x)
{
	while (!stop)
		usleep(1000);
	text[0] = 0;
	return x;
}
int main(void)
{
	pthread_t t;
	text = malloc(10);
	pthread_create(&t, 0, flush, 0);
	stop = 1;
	text = 0;
	pthread_join(t, 0);
	return 0;
}
"""


def test_searched_as_explore_does(t):
    """That no schedule comes out differently is said after a search with points where threads race."""
    program, script, r = explore(t, "overslept", OVERSLEPT, 100, "--points", "races", "-j", "1", "--seed", "3")
    text = read(script)
    t.check(":wait(" in text, "it needs gates: " + text, r)
    t.check("searched schedules that its gates permit." in text.replace("\n-- ", " "), "what it says: " + text, r)
    r = t.gate("explore", "-j", "1", "--seed", "7", "--runs", "100", "-g", script, "-o", t.path("no"), "--", program)
    t.equal(r.status, 0, "no schedule comes out differently", r)


def test_expected_livelock(t):
    """A livelock that the script expects is no failure."""
    own = t.file("own.lua", "expect { livelock = true }\n")
    r = t.gate("explore", "--steps", "1000", "--runs", "5", "-g", own, "-o", t.path("no"), "--", compile_text("always.c", ALWAYS), "wait")
    t.equal(r.status, 0, "no schedule comes out differently", r)


def test_no_script(t):
    program, script, r = explore(t, "fixed", FIXED, 20)
    t.check(not os.path.exists(script), "there is none", r)
    t.check(re.search("\nno script of gates: .* had another outcome: not-as-expected: exit status 0, expected 1\n", r.err), "the reason", r)
    t.check("its schedule: " in r.first, "the schedule remains", r)
