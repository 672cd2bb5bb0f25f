"""Schedules that do not end: hangs, limits of scripts, and what is said of them."""

import json
import os
import re

from harness import Skip, compile_text, params
from patience import wall
from test_explore import explore, failed, read

HEAD = r"""
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
"""

# The stop is lost if it comes before the server listens: main joins a thread that waits for a client for ever.
ACCEPT = HEAD + r"""
static atomic_int sock = -1;
static void *serve(void *p)
{
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	if (bind(s, (struct sockaddr *)&a, sizeof(sa_family_t)) || listen(s, 5))
		return p;
	sock = s;
	accept(s, NULL, NULL);
	return p;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, serve, NULL);
	int s = atomic_exchange(&sock, -1);
	if (s >= 0)
		shutdown(s, SHUT_RDWR);
	pthread_join(t, NULL);
	return 0;
}
"""

# main asks for the time for ever, with the lock that the worker needs to end that.
CLOCK = HEAD + r"""
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int queries = 1;
static void *worker(void *p)
{
	pthread_mutex_lock(&m);
	queries = 0;
	pthread_mutex_unlock(&m);
	return p;
}
int main(void)
{
	pthread_t t;
	struct timespec now;
	pthread_mutex_lock(&m);
	pthread_create(&t, NULL, worker, NULL);
	while (queries)
		clock_gettime(CLOCK_MONOTONIC, &now);
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return 0;
}
"""

# The same, but the worker already waits for the condition variable that goes with the lock.
HELD = HEAD + r"""
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int waits, asked;
static void *worker(void *p)
{
	pthread_mutex_lock(&m);
	for (waits = 1; !asked;)
		pthread_cond_wait(&c, &m);
	waits = 0;
	pthread_mutex_unlock(&m);
	return p;
}
int main(void)
{
	pthread_t t;
	struct timespec now;
	pthread_create(&t, NULL, worker, NULL);
	while (pthread_mutex_lock(&m) == 0 && !waits)
		pthread_mutex_unlock(&m);
	while (waits)
		clock_gettime(CLOCK_MONOTONIC, &now);
	asked = 1;
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return 0;
}
"""

# worker waits for a permission that its own process would have to give: state D of proc(5).
DEEP = HEAD + r"""
#include <fcntl.h>
#include <sys/fanotify.h>
static int fd;
static void *reads(void *path)
{
	char c;
	return (void *)(long)read(fd, &c, 1);
}
static void *opens(void *path)
{
	return (void *)(long)open(path, O_RDONLY);
}
int main(int argc, char **argv)
{
	pthread_t t;
	int group = fanotify_init(FAN_CLASS_CONTENT, O_RDONLY);
	if (group < 0 || fanotify_mark(group, FAN_MARK_ADD, argc > 2 ? FAN_OPEN_PERM : FAN_ACCESS_PERM, AT_FDCWD, argv[1]))
		return 77;
	fd = argc > 2 ? -1 : open(argv[1], O_RDONLY);
	pthread_create(&t, NULL, argc > 2 ? opens : reads, argv[1]);
	pthread_join(t, NULL);
	return 0;
}
"""

# Slow, but it would end.
SLOW = HEAD + r"""
static void *work(void *p) { for (volatile unsigned long i = 0; i < 1000000000000; i++); return p; }
int main(void) { pthread_t t; pthread_create(&t, NULL, work, NULL); pthread_join(t, NULL); return 0; }
"""


def few():
    """Options for a script that little is done for."""
    return "--verify", "1", "--gates-for", wall(10)


def one_hang(t, name, text, *args):
    r = explore(t, "-j", "1", *few(), *args, compile_text(name, text))
    return r, failed(t, r, "hang", "a hang")


def line_of(text, what):
    return text[:text.index(what)].count("\n") + 1


def test_wait_for_another_process(t):
    r, f = one_hang(t, "accepts.c", ACCEPT, "--hang", "0.4")
    says = "gatectl: time-limit: the program hangs: no thread has made a step for 0.4 seconds: main joins serve#1; " \
           "serve#1 waits in accept(2) at accepts.c:%d, which only another process could end\n" % line_of(ACCEPT, "accept(s,")
    t.check(says in f["text"] and says in r.err, "who waits where for what", r)
    t.equal(f["status"], 124, "status of the failure", r)
    t.check("failure: hang\n" in read(f["folder"], "schedule"), "the schedule", r)
    t.equal(json.loads(read(f["folder"], "report.json"))["verdict"], "time-limit", "the run's own report", r)
    again = t.gate("replay", os.path.join(f["folder"], "schedule"))
    t.check(again.status == 124 and says in again.err, "a replay comes to the same", again)


def test_gates_of_a_hang(t):
    """Gates say which order it takes."""
    r, f = one_hang(t, "accepts.c", ACCEPT, "--hang", "0.4")
    script = os.path.join(f["folder"], "gates.lua")
    t.equal(f["script"], script, "there is a script", r)
    t.check("expect { time_limit = true }\nlimits { run = 2 }\n" in read(script), "what it expects", r)
    t.clean(t.gate("run", "-g", script, "--", compile_text("accepts.c", ACCEPT)), 0)


@params("read", "open")
def test_uninterruptible(t, call):
    """A thread is in a wait of the kernel that no signal interrupts: the search ends, and says so."""
    program = [compile_text("deep.c", DEEP), t.file("watched", "x")] + (["open"] if call == "open" else [])
    if os.geteuid():
        raise Skip("only root may ask for permission events of fanotify")
    r = explore(t, "-j", "1", "--points", "sync", "--runs", "2", "--hang", "0.4", *program)
    if r.report["failures"] and r.report["failures"][0]["status"] == 77:
        raise Skip("fanotify is refused here")
    f = failed(t, r, "hang", "a hang")
    does = "waits in open(2)" if call == "open" else "reads from "
    t.check(re.search(r": main joins \w+#1; \w+#1 %s.*, which no signal interrupts: the kernel waits for a file system or a device\n"
                      % re.escape(does), f["text"]), "who waits where", r)


@params("clock", "held", "slow")
def test_computes(t, what):
    """A thread computes, or asks for the time, without a step."""
    text = {"clock": CLOCK, "held": HELD, "slow": SLOW}[what]
    r, f = one_hang(t, what + ".c", text, "--hang", "0.2")
    says = {"clock": "main runs in main at clock.c:%d; worker#1 waits for mutex m held by main" % line_of(CLOCK, "clock_gettime"),
            "held": "; worker#1 waits for condition variable c (with mutex m held by main)",
            "slow": "main joins work#1; work#1 runs in work at slow.c:%d" % line_of(SLOW, "for (volatile")}[what]
    t.check("no thread has made a step for 0.2 seconds: " in f["text"], "how long", r)
    t.check(re.sub(r"(clock.c):\d+", r"\1", says) in re.sub(r"(clock.c):\d+", r"\1", f["text"]), "who does what: " + says, r)


def test_undisturbed_hang(t):
    """Where no thread needs to be disturbed, that is said at once."""
    r, f = one_hang(t, "clock.c", CLOCK, "--hang", "0.2")
    second = r.err.split("\n")[1]
    t.equal(second, "the run without preemptions hangs: no particular order of threads is needed", "said first", r)
    lines = {line_of(CLOCK, "while (queries)"), line_of(CLOCK, "\tclock_gettime")}
    place = re.search(r"; the first: a hang at clock\.c:(\d+);", r.first)
    t.check(place and int(place[1]) in lines, "the place of the thread that computes", r)


@params("never", "time")
def test_no_hang(t, how):
    """--hang 0 is for programs that wait on purpose; nothing is claimed of a schedule that has not ended."""
    args = {"never": ("--hang", "0", "--for", wall(0.5)), "time": ("--hang", "100", "--for", wall(0.5), "--steps", "100000000")}[how]
    text = ACCEPT if how == "never" else HEAD + "static atomic_int n;\nint main(void) { for (;;) n++; }\n"
    r = explore(t, "-j", "1", "--points", "sync", *args, compile_text(how + "_ends.c", text))
    endless = "gatectl: time-limit: no schedule had ended when the time was over"
    t.equal((r.status, r.first == endless), (0, False) if how == "never" else (124, True), "verdict", r)  # some schedules do end, others wait
    t.check("\n1 schedule had not ended when the time was over\n" in r.err, "what is known", r)
    t.check("nothing failed" not in r.err, "no all-clear", r)


def test_limit_of_a_script(t):
    """limits { run = S } and expect { time_limit = true } hold for each schedule."""
    program = compile_text("slow.c", SLOW)
    r = explore(t, "-j", "1", "--hang", "0", "-g", t.file("limit.lua", "limits { run = 0.3 }\n"), *few(), program)
    f = failed(t, r, "hang", "a hang")
    t.check("gatectl: time-limit: the program still ran after 0.3 seconds\n" in f["text"], "what run would say", r)
    expected = t.file("expected.lua", "limits { run = 0.3 }\nexpect { time_limit = true }\n")
    r = explore(t, "-j", "1", "--hang", "0", "--runs", "2", "-g", expected, program)
    t.equal((r.status, r.report["schedules"]), (0, 2), "as expected in each schedule", r)
    expected = t.file("long.lua", "limits { run = 100 }\nexpect { time_limit = true }\n")
    r = explore(t, "-j", "1", *few(), "--runs", "2", "-g", expected, compile_text("ends.c", "int main(void) { return 0; }\n"))
    failed(t, r, "expect", "not as expected")


def test_cut(t):
    """A schedule that is cut for the number of its steps keeps the last of them, and is no failure, but nothing is called free of them."""
    text = "#include <unistd.h>\nint main(void)\n{\n\tfor (;;)\n\t\tsleep(1);\n}\n"
    r = explore(t, "-j", "1", "--steps", "2000", "--runs", "2", compile_text("sleeper.c", text))
    t.equal((r.status, r.report["cut"], r.report["cut_folder"]), (124, 2, os.path.join(r.found, "cut", "1")), "report", r)
    t.equal(r.first, "gatectl: time-limit: no schedule ended within 2000 steps", "verdict", r)
    t.check("\n2 schedules did not end within 2000 steps: see cut/1 in %s\n" % r.found in r.err and "nothing failed" not in r.err, "what is said", r)
    t.check("\nin cut/1 main made all 2000 steps, most often timeout at sleeper.c:5; it had created no other thread: if it creates one "
            "later, --from pthread_create begins schedules there; --steps N makes schedules longer\n" in r.err, "why, and what to do", r)
    t.equal(sorted(os.listdir(os.path.join(r.found, "cut"))), ["1", "2"], "folders", r)
    steps = read(r.found, "cut", "1", "steps").splitlines()
    t.equal((len(steps), steps[0]), (1001, "# the last 1000 of 2000 steps"), "the last steps", r)
    t.check(re.match(r"2000  main  timeout  \S*sleeper.c:5 \(main, sleep\)$", steps[-1]), "the last one: " + steps[-1], r)
    t.check(re.match(r"main sleeps  \S*sleeper.c:5 \(main, sleep\)$", read(r.found, "cut", "1", "threads")), "where each thread is", r)


# Two threads that take turns for ever, and a third that waits.
TURNS = HEAD + r"""
static atomic_int n;
static void *work(void *p)
{
	for (;;)
		n++;
	return p;
}
static void *wait(void *p)
{
	pthread_join(*(pthread_t *)p, NULL);
	return p;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, work, NULL);
	pthread_create(&t[1], NULL, wait, &t[0]);
	for (;;)
		n++;
}
"""


def test_cut_by_two(t):
    """Of a schedule that is cut it is said which threads made the steps, and where."""
    r = explore(t, "-j", "1", "--steps", "2000", "--runs", "1", "--points", "memory", "--strategy", "random", compile_text("turns.c", TURNS))
    says = re.search(r"\nin cut/1 (main|work#1) made (\d+) of the 2000 steps and (main|work#1) (\d+), most often atomic at turns.c:(\d+); "
                     r"--points sync takes no accesses to memory; --steps N makes schedules longer\n", r.err)
    t.check(says, "who made the steps", r)
    t.check(says[1] != says[3] and 1900 < int(says[2]) + int(says[4]) <= 2000 and int(says[2]) >= int(says[4]), "how many", r)
    lines = [i + 1 for i, line in enumerate(TURNS.splitlines()) if "n++" in line]
    t.check(int(says[5]) in lines, "where", r)


# The signal is lost, since it comes without the lock, and main spins until the worker has worked.
SPIN = HEAD + r"""
#include <sched.h>
static atomic_int state;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *worker(void *p)
{
	for (;;) {
		pthread_mutex_lock(&m);
		while (state == 0)
			pthread_cond_wait(&c, &m);
		pthread_mutex_unlock(&m);
		if (state == 2)
			return p;
		state = 0;
	}
}
static void give(int what) { state = what; pthread_cond_signal(&c); }
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, worker, NULL);
	give(1);
	while (state == 1)
		sched_yield();
	give(2);
	pthread_join(t, NULL);
	return 0;
}
"""


def test_threads_of_a_livelock(t):
    """They are described as those of a deadlock, though the scheduler holds them before their calls."""
    r = explore(t, "--steps", "2000", compile_text("spin.c", SPIN))
    f = failed(t, r, "livelock", "a livelock at ")
    t.check(re.search(r"worker#1 waits for condition variable c \(with mutex m\).*, in worker at spin.c:%d$" % line_of(SPIN, "pthread_cond_wait"),
                      f["text"], re.M), "what the worker waits for", r)


# main's time-out ends while the worker computes, without a point and never in the same state, until main says so.
BUSY = HEAD + r"""
static volatile int stop;
static volatile unsigned long n;
static void *work(void *p)
{
	for (unsigned long i = 0; !stop && i != ~0ul; i++)
		n = i;
	return p;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	sleep(5);
	stop = 1;
	pthread_join(t, NULL);
	return 0;
}
"""


def test_others_while_one_computes(t):
    """A thread that computes without a point is no hang while another one could go on: that one gets its turn."""
    r = explore(t, "-j", "1", "--points", "sync", "--hang", "0.6", "--runs", "2", compile_text("busy.c", BUSY))
    t.equal((r.status, r.report["schedules"], r.report["cut"], r.report["late"]), (0, 2, 0, 0), "each run ends", r)
    t.check("nothing failed; " in r.err, "the summary", r)


def test_bad_hang(t):
    for value in ("x", "-1", ""):
        r = t.gate("explore", "--hang=" + value, compile_text("slow.c", SLOW))
        t.error(r)
        t.check("--hang: '%s' is not a number of seconds" % value in r.err, "what is wrong", r)


# 400 places, each of which is looked at a thousand times before its trap goes. Bare: a few ms.
MANY_ACCESSES = HEAD + """
static int shared;
static volatile int a[400];
static void *work(void *p)
{
	for (int i = 0; i < 1500; i++) {
%s
	}
	return p;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, &shared);
	pthread_join(t, NULL);
	return 0;
}
""" % "\n".join("\t\ta[%d] = i;" % i for i in range(400))


def test_costly_accesses(t):
    """Looking at memory takes too long: synchronisation alone is a point, and a line says so."""
    path = compile_text("costly.c", MANY_ACCESSES)
    r = explore(t, "-j", "1", "--for", "8", "--runs", "5", path)
    assert r.status == 0, r.err
    assert "only synchronisation was a point" in r.err, r.err
    assert "5 schedules, 1 distinct" in r.err, r.err
