"""gatectl convert on what tests of real libraries are like: the library is linked in, with pools of idle
threads and time-outs of its own; sleeps stand in macros; and it shall not take for ever."""

import os
import re

from harness import COMPILERS, compile_text, params
from patience import wall
from test_convert import convert

# The test, and behind it the library, which has a file of its own.
POOL = """
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
typedef struct { pthread_mutex_t m; pthread_cond_t c; } lib_cond;
void lib_start(void);
void lib_msleep(int ms);
int lib_until(lib_cond *c, int ms);
pthread_t lib_thread(void (*f)(void *), void *arg);
#define CHECK(what, body) do { puts(what); body; fflush(stdout); } while (0)
static lib_cond cond = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};
static int did, when;
static void notify(void *arg)
{
    lib_msleep(when);
    pthread_mutex_lock(&cond.m);
    did = 1;
    pthread_cond_signal(&cond.c);
    pthread_mutex_unlock(&cond.m);
}
int main(void)
{
    pthread_t thread;
    int seen = 9;
    lib_start();
    CHECK("blocks", {
        pthread_mutex_lock(&cond.m);
        thread = lib_thread(notify, NULL);
        lib_msleep(30);
        seen = did;
        pthread_mutex_unlock(&cond.m);
        lib_msleep(30);
        seen = seen * 10 + did;
        pthread_join(thread, NULL);
    });
    printf("%d\\n", seen);
    did = 0;
    when = 200;
    thread = lib_thread(notify, NULL);
    pthread_mutex_lock(&cond.m);
    lib_until(&cond, 20);
    seen = did;
    pthread_mutex_unlock(&cond.m);
    pthread_join(thread, NULL);
    printf("%d %d\\n", seen, did);
    return 0;
}
#line 1 "lib/pool.c"
#include <errno.h>
#include <stdlib.h>
#include <time.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static int jobs;
static void *pool(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!jobs)
        pthread_cond_wait(&work, &lock);
    pthread_mutex_unlock(&lock);
    return arg;
}
static void until(struct timespec *t, int ms)
{
    clock_gettime(CLOCK_REALTIME, t);
    t->tv_nsec += ms * 1000000L;
    t->tv_sec += t->tv_nsec / 1000000000;
    t->tv_nsec %= 1000000000;
}
static void *expire(void *arg)
{
    pthread_cond_t none = PTHREAD_COND_INITIALIZER;
    struct timespec t;
    pthread_mutex_lock(&lock);
    while (!jobs) {
        until(&t, 70);
        pthread_cond_timedwait(&none, &lock, &t);
    }
    pthread_mutex_unlock(&lock);
    return arg;
}
void lib_start(void)
{
    pthread_t t;
    for (int i = 0; i < 4; i++)
        pthread_create(&t, NULL, pool, NULL);
    pthread_create(&t, NULL, expire, NULL);
}
void lib_msleep(int ms) { struct timespec t = {ms / 1000, ms % 1000 * 1000000L}; nanosleep(&t, NULL); }
int lib_until(lib_cond *c, int ms)
{
    struct timespec t;
    until(&t, ms);
    return pthread_cond_timedwait(&c->c, &c->m, &t);
}
struct start { void (*f)(void *); void *arg; };
static void *run(void *arg)
{
    struct start s = *(struct start *)arg;
    free(arg);
    s.f(s.arg);
    return NULL;
}
pthread_t lib_thread(void (*f)(void *), void *arg)
{
    struct start *s = malloc(sizeof(*s));
    pthread_t t;
    *s = (struct start){f, arg};
    pthread_create(&t, NULL, run, s);
    return t;
}
"""


def test_library_inside(t):
    """Time-outs of its own are no sleeps, and its idle threads no partners; two sleeps in a macro are held apart."""
    program = compile_text("pool_inside.c", POOL)
    r, script = convert(t, program, "-n", "5")
    t.equal(r.status, 0, "status", r)
    t.check("3 of 3 sleeps converted" in r.stdout, "all that the test has", r)
    t.check("in expire" not in r.stdout and "lib/pool.c" not in r.script, "nothing of the library's", r)
    t.check("pool#" not in r.script and "expire#" not in r.script, "nobody who idles", r)
    t.check('at("lib_msleep", { thread = "main", hit = 2 })' in r.script, "the second sleep of the macro", r)
    t.check("in main: lib_until of " in r.stdout, "the library's time-out that the test asks for", r)
    again = t.gate("run", "-q", "-g", script, "--repeat", "50", "--", program, seconds=120)
    t.equal(again.status, 0, "status with the script", again)
    t.equal(again.stdout, "blocks\n1\n0 1\n" * 50, "the outcome", again)


def test_late_to_run(t):
    """What comes after a thread was made is ordered by its sleep, though it comes to run only later."""
    program = compile_text("late_to_run.c", """
        #include <pthread.h>
        #include <stdio.h>
        #include <unistd.h>
        static pthread_barrier_t barrier;
        volatile int there;
        void *worker(void *arg)
        {
            usleep(50000);
            pthread_barrier_wait(&barrier);
            return arg;
        }
        void *late(void *arg);
        int main(void)
        {
            pthread_t thread;
            pthread_barrier_init(&barrier, NULL, 2);
            pthread_create(&thread, NULL, late, NULL);
            there = 1;
            pthread_barrier_wait(&barrier);
            return pthread_join(thread, NULL);
        }""", libs=compile_text("late.c", """
        #include <pthread.h>
        #include <unistd.h>
        extern volatile int there;
        void *worker(void *arg);
        void *late(void *arg)
        {
            while (!there)
                sched_yield();
            for (int i = 0; i < 100; i++)
                sched_yield();
            return worker(arg);
        }""", "-O0 -shared -fPIC") + " -rdynamic")
    r, script = convert(t, program, "-n", "5")
    t.equal(r.status, 0, "status", r)
    t.check("in worker: usleep of 50 ms: 1 order" in r.stdout, "the order is kept", r)
    t.check('order "[main_waits_pthread_barrier_wait] -> late_goes_on"' in r.script, "which", r)
    t.equal(t.gate("run", "-q", "-g", script, "--repeat", "20", "--", program).status, 0, "status with the script", r)


AWAKE = "#include <unistd.h>\nint main(void)\n{\n\tusleep(1000);\n\treturn 3;\n}\n"


def test_for_ends_the_command(t):
    """The whole command takes no longer; what is verified by then counts."""
    program = compile_text("awake_a_little.c", AWAKE)
    limit = wall(6)
    r, script = convert(t, program, "-n", "1000000", "--for", limit)
    t.equal(r.status, 0, "status", r)
    t.check("1000000 runs were asked for: the %g s of --for were over before" % limit in r.stdout, "it says so", r)
    found = re.search(r"the same outcome in (\d+) of (\d+) runs", r.stdout)
    t.check(found and int(found.group(1)) >= 5 and found.group(1) == found.group(2), "how many there were", r)
    t.check("in %s runs.\n" % found.group(1) in r.script, "in the script, too", r)


def test_for_is_too_short(t):
    """One refusal of three lines at most, and no script."""
    program = compile_text("a_second.c", AWAKE.replace("1000", "1000000"))
    r, _ = convert(t, program, "--for", "2")
    t.equal(r.status, 125, "status", r)
    t.check(r.first.startswith("gatectl: error: 2 s (--for) are not enough to convert "), "first line", r)
    t.check("try: gatectl convert --for=" in r.err, "what to do", r)
    t.check(len(r.err.splitlines()) <= 3, "lines", r)
    t.equal((r.script, os.listdir(os.path.dirname(t.path("x")))), (None, []), "nothing is written", r)


def test_no_time_is_said(t):
    """A sleep that was not tried is not called one that cannot be converted."""
    program = compile_text("forty.c", "#include <unistd.h>\nint main(void)\n{\n" + "\tusleep(3000);\n" * 40 + "\treturn 3;\n}\n")
    r, _ = convert(t, program, "--for", "3")
    t.equal((r.status, r.script), (125, None), "status, and no script", r)
    t.check("can be converted" not in r.err, "nothing is known of that", r)
    t.check(" 3 s (--for)" in r.first, "why", r)
    t.check("try: gatectl convert --for=" in r.err, "what to do", r)


def test_refusal_is_short(t):
    """However many sleeps there are."""
    program = compile_text("many.c", """
        #include <unistd.h>
        int main(void)
        {
        """ + "".join("    usleep(%d);\n" % (1000 + i) for i in range(25)) + """
            return 3;
        }""")
    r, _ = convert(t, program, "--needed")
    t.equal(r.status, 125, "status", r)
    lines = r.err.splitlines()
    t.check(len(lines) <= 3 and max(map(len, lines)) < 700, "three lines of a readable length", r)
    t.check("many.c:5 in main: usleep of 1 ms, " in r.first, "the first is named", r)
    t.equal(r.script, None, "nothing is written", r)


# A library beside the test: it sleeps by a wait of some kind, as PR_Sleep does, and waits for reasons of its own.
SLEEPING_LIBRARY = """
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static struct timespec at(clockid_t clock, int ms)
{
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += ms % 1000 * 1000000L;
    t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}
static void by_cond(int ms)
{
    struct timespec t = at(CLOCK_REALTIME, ms);
    pthread_mutex_lock(&lock);
    while (pthread_cond_timedwait(&never, &lock, &t) != ETIMEDOUT)
        ;
    pthread_mutex_unlock(&lock);
}
static void by_poll(int ms)
{
    struct pollfd none = {.fd = -1};
    poll(&none, 1, ms);
}
static void by_select(int ms)
{
    struct timeval t = {ms / 1000, ms % 1000 * 1000};
    select(0, NULL, NULL, NULL, &t);
}
static void by_futex(int ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    int word = 0;
    syscall(SYS_futex, &word, FUTEX_WAIT, 0, &t, NULL, 0);
}
static void by_nanosleep(int ms)
{
    struct timespec t = at(CLOCK_MONOTONIC, ms);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}
void lib_sleep(int ms) { BY(ms); }
int lib_wait(int ms) { by_cond(ms); return 0; }
static void *expire(void *arg)
{
    for (;;)
        by_cond(70);
    return arg;
}
void lib_start(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, expire, NULL);
}
pthread_t lib_thread(void *(*f)(void *))
{
    pthread_t thread;
    pthread_create(&thread, NULL, f, NULL);
    return thread;
}
"""

ASLEEP_IN_LIBRARY = """
#include <pthread.h>
#include <stdio.h>
void lib_sleep(int ms);
int lib_wait(int ms);
void lib_start(void);
pthread_t lib_thread(void *(*f)(void *));
static volatile int value, seen;
static void *worker(void *arg)
{
    lib_sleep(100);
    value = 42;
    return arg;
}
int main(void)
{
    lib_start();
    pthread_t thread = lib_thread(worker);
    int before = value;
    lib_sleep(200);
    seen = value;
    pthread_join(thread, NULL);
    int status = lib_wait(10);
    printf("%d %d %d\\n", before, seen, status);
    return 0;
}
"""


@params("by_cond", "by_poll", "by_select", "by_futex", "by_nanosleep", "by_nanosleep, stripped")
def test_library_sleeps(t, by):
    """The test's call of a library that sleeps is a sleep of the test's, in whatever way the library waits."""
    by, _, stripped = by.partition(", ")
    text = SLEEPING_LIBRARY
    if stripped:  # SDL_Delay is one jump into a function without a name
        text = text.replace("void lib_sleep(int ms) { BY(ms); }",
                            "static void (*jump)(int) = BY; void lib_sleep(int ms) { jump(ms); }")
    library = compile_text("%s_library.c" % by, text,
                           "-shared -fPIC -DBY=%s %s" % (by, "-O2 -s" if stripped else "-g -O0"))
    program = compile_text("asleep_in_library.c", ASLEEP_IN_LIBRARY, libs=library)
    r, script = convert(t, program, "-n", "5")
    t.equal(r.status, 0, "status", r)
    t.check("2 of 2 sleeps converted" in r.stdout, "the test's own, and not the library's waits", r)
    t.check("in main: lib_sleep of " in r.stdout and "in worker: lib_sleep of " in r.stdout, "which", r)
    t.check("worker_past_value -> main_goes_on" in r.script, "the order", r)
    again = t.gate("run", "-q", "-g", script, "--repeat", "20", "--", program)
    t.equal((again.status, again.stdout), (0, "0 42 0\n" * 20), "with the script", again)


# ---- tests of strangers: ../shared/inputs/convert ----------------------------------------------------

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "sleeps")
SLEEPS = {
    "alike_threads.c": ['on "rest":open('],  # no thread is named: which guest gets a place is chance
    "log_lines_race.c": ["[waiter_waits_pthread_cond_wait] -> main_goes_on"],
    "spins_until.c": ["-> main_goes_on"],
    "window_lost.c": [],  # which of them takes the lock first is chance
    "works_meanwhile.c": ["copier_", "-> killer_goes_on"],
}


@params(*[(name, compiler, level) for name in sorted(SLEEPS) for compiler in COMPILERS for level in ("-O0", "-O2")])
def test_stranger(t, case):
    """Converted in a few runs, and what is verified holds in fresh runs, whoever comes first."""
    name, compiler, level = case
    with open(os.path.join(PROGRAMS, name)) as f:
        program = compile_text(name, f.read(), "-g %s" % level, compiler)
    r, script = convert(t, program)
    if name == "window_lost.c" and r.status == 125:  # where the runs that were watched differ, nothing is written
        t.check("is not always the same" in r.first and r.script is None, "refused", r)
        return
    t.equal(r.status, 0, "status", r)
    for words in SLEEPS[name]:
        t.check(words in r.script, words, r)
    t.check(all(int(hit) <= 2 for hit in re.findall(r"hit = (\d+)", r.script)), "no arrival by chance", r)
    t.check("guest#" not in r.script and len(r.script.splitlines()) < 30, "roles", r)
    for _ in range(100 if t.full else 5):
        r = t.gate("run", "-g", script, program)
        t.equal(r.status, 0, "a fresh run", r)


@params(*[(compiler, level) for compiler in COMPILERS for level in ("-O0", "-O2")])
def test_stranger_measures(t, case):
    """A sleep that is what is tested stays."""
    with open(os.path.join(PROGRAMS, "measures_sleep.c")) as f:
        program = compile_text("measures_sleep.c", f.read(), "-g %s" % case[1], case[0])
    r, _ = convert(t, program)
    t.error(r, 125, "usleep of 500 us: it measures the time: the program reads the clock before and after it")


# ---- who does it, and how often -----------------------------------------------------------------------

def program_of(name, compiler, level, libs=""):
    with open(os.path.join(PROGRAMS, name)) as f:
        return compile_text(name, f.read(), "-g %s" % level, compiler, libs)


KINDS = {  # words that the script has, and words that it has not
    "joined.c": (["late"], ["worker"]),
    "either_worker.c": (["until any thread of worker "], ["worker#", "worker_1", "worker_2"]),
    "five_wait.c": (["for i = 1, 5 do", '{ thread = "guest#" .. i }'], ["guest#3"]),
    "made_meanwhile.c": (["-> timeout_goes_on"], ["brief#", "brief_"]),
    "often.c": (["-> main_goes_on", "again and again"], []),
    "by_the_clock.c": (["elide_sleep", "late"], ["Left as it is"]),
}


@params(*[(name, compiler, level) for name in sorted(KINDS) for compiler in COMPILERS for level in ("-O0", "-O2")])
def test_kinds(t, case):
    """Orders that a join gives, chance decides, or a loop repeats are not written, or in other words."""
    name, compiler, level = case
    t.env["TURN"] = t.path("turn")  # of either_worker.c
    program = program_of(name, compiler, level)
    r, script = convert(t, program)
    t.equal(r.status, 0, "status", r)
    has, has_not = KINDS[name]
    for words in has:
        t.check(words in r.script, words, r)
    for words in has_not:
        t.check(words not in r.script, "not " + words, r)
    for _ in range(100 if t.full else 6):
        r = t.gate("run", "-g", script, program)
        t.equal(r.status, 0, "a fresh run", r)


@params(*COMPILERS)
def test_sleep_in_slices(t, compiler):
    """A call that sleeps in slices inside a library is one sleep."""
    with open(os.path.join(PROGRAMS, "sliced_library.c")) as f:
        library = compile_text("sliced_library.c", f.read(), "-shared -fPIC -O1", compiler)
    program = program_of("sliced.c", compiler, "-O0", library)
    r, script = convert(t, program)
    t.equal(r.status, 0, "status", r)
    t.check("2 of 2 sleeps converted" in r.out.decode() and "Left as it is" not in r.script, "both", r)
    t.check(re.search(r"library_sleep of (about )?[34]\d\d ms", r.script), "the whole time", r)
    for _ in range(50 if t.full else 5):
        r = t.gate("run", "-g", script, program)
        t.equal(r.status, 0, "a fresh run", r)


@params(*COMPILERS)
def test_unseen(t, compiler):
    """What a library without debug information does is waited for until no thread moves."""
    with open(os.path.join(PROGRAMS, "unseen_library.c")) as f:
        library = compile_text("unseen_library.c", f.read(), "-shared -fPIC -O1", compiler)
    program = program_of("unseen.c", compiler, "-O0", library)
    r, script = convert(t, program)
    t.equal(r.status, 0, "status", r)
    t.check('on "rest":open(gate)' in r.script and "until no thread can move" in r.script, "rest", r)
    for _ in range(50 if t.full else 5):
        r = t.gate("run", "-g", script, program)
        t.equal(r.status, 0, "a fresh run", r)


# ---- sleeps that no gate replaces ---------------------------------------------------------------------

def check_fresh(t, script, program):
    for _ in range(50 if t.full else 5):
        r = t.gate("run", "-g", script, program)
        t.equal(r.status, 0, "a fresh run", r)


@params(*[(compiler, level) for compiler in COMPILERS for level in ("-O0", "-O2")])
def test_left_sleeps_end_at_rest(t, case):
    """The sleep of a loop that polls is left: the script lets it end when no thread can move."""
    program = program_of("polls_too.c", case[0], case[1])
    r, script = convert(t, program)
    t.equal(r.status, 0, "status", r)
    t.check("1 of 2 sleeps converted" in r.out.decode() and "  at rest    polls_too.c:" in r.out.decode(), "which", r)
    t.check('elide_sleep { till = "rest" }' in r.script and 'elide_sleep("main;usleep")' in r.script, "both ways", r)
    check_fresh(t, script, program)


WAITS_LONG = """#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t mut = PTHREAD_MUTEX_INITIALIZER;
static void *waiter(void *p)
{
	struct timespec ts;
	int err;

	pthread_mutex_lock(&mut);
	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_sec += 100;
	err = pthread_cond_timedwait(&cond, &mut, &ts);
	pthread_mutex_unlock(&mut);
	printf("waiter: %d\\n", err);
	return p;
}
int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, waiter, NULL);
	usleep(600000);
	pthread_cond_signal(&cond);
	pthread_join(t, NULL);
	return 0;
}
"""


@params(*[(compiler, level) for compiler in COMPILERS for level in ("-O0", "-O2")])
def test_order_before_time_outs(t, case):
    """A gate that opens when a thread waits opens before that wait, at rest, times out."""
    program = compile_text("waits_long.c", WAITS_LONG, "-g %s" % case[1], case[0])
    r, script = convert(t, program)
    t.equal(r.status, 0, "status", r)
    t.check("1 of 1 sleeps converted" in r.out.decode() and 'order "[' in r.script, "the order", r)
    check_fresh(t, script, program)


@params(*[(compiler, level) for compiler in COMPILERS for level in ("-O0", "-O2")])
def test_one_processor(t, case):
    """A script that only works with two processors is none; without gates all sleeps of a long test can end at rest."""
    with open(os.path.join(PROGRAMS, "one_pool.c")) as f:
        text = f.read()
    short = compile_text("one_pool.c", text, "-g %s" % case[1], case[0])
    r, _ = convert(t, short)
    t.error(r, 125, "on one processor, in a separate process: gatectl: gate-deadlock")
    long = compile_text("long_pool.c", text, "-g %s -DSLEEP_US=600000" % case[1], case[0])
    r, script = convert(t, long)
    t.equal(r.status, 0, "status", r)
    t.check("0 of 1 sleeps converted" in r.out.decode(), "no gate", r)
    t.check("SimpleGate" not in r.script and "order" not in r.script, "no gate", r)
    check_fresh(t, script, long)


def test_not_every_run_sleeps(t):
    """A sleep that only some of the unchanged runs make is left."""
    program = compile_text("rarely.c", r"""
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <pthread.h>
static void *other(void *arg) { return arg; }
int main(void)
{
	pthread_t t;
	FILE *f = fopen(getenv("TURN"), "a+");
	fputc('x', f);
	pthread_create(&t, NULL, other, NULL);
	if (ftell(f) != 2) /* the second run does not sleep */
		usleep(100000);
	pthread_join(t, NULL);
	return 0;
}
""")
    t.env["TURN"] = t.path("turn")
    r, _ = convert(t, program)
    t.error(r, 125, "usleep of 100 ms: not every run sleeps there: one took 0.0")
