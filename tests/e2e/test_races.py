"""gatectl races: what is found and how it is told, what is none, what is left out."""

import json
import re
import xml.etree.ElementTree

import browser
from harness import compile_text, params
from patience import wall

PROGRAM = """#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
struct account { long id; int balance; };
struct shared { struct account *account; pthread_mutex_t lock; };
static int counters[4];
static atomic_int ready;
static int published;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t full;
static int initialised;
static struct shared shared = {.lock = PTHREAD_MUTEX_INITIALIZER};
static void initialise(void) { initialised = 1; }
static void *first(void *arg)
{
	struct account *account = arg;
	(void)account;
#if RACY
	counters[2] = 5; //one
	pthread_mutex_lock(&shared.lock);
	account->balance = 7; //heap
	pthread_mutex_unlock(&shared.lock);
#else
	published = 5;
	atomic_store_explicit(&ready, 1, memory_order_release);
	pthread_once(&once, initialise);
	pthread_mutex_lock(&lock);
	counters[1]++;
	pthread_mutex_unlock(&lock);
	account->balance = 7;
	sem_post(&full);
#endif
	return NULL;
}
static void *second(void *arg)
{
	struct account *account = arg;
	volatile int seen = 0;
#if RACY
	seen = counters[2]; //two
	seen = account->balance; //read
#else
	if (atomic_load_explicit(&ready, memory_order_acquire))
		seen = published;
	pthread_once(&once, initialise);
	seen = initialised;
	pthread_mutex_lock(&lock);
	counters[1]++;
	pthread_mutex_unlock(&lock);
	sem_wait(&full);
	seen = account->balance;
#endif
	(void)seen;
	return NULL;
}
int main(void)
{
	struct account *account = calloc(1, sizeof(*account));
	pthread_t t[2];
	sem_init(&full, 0, 0);
	pthread_create(&t[0], NULL, first, account);
	pthread_create(&t[1], NULL, second, account);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	free(account);
	return 0;
}
"""


def line(mark):
    return next(n for n, text in enumerate(PROGRAM.split("\n"), 1) if text.endswith("//" + mark))


def program(racy, level="-O0"):
    return compile_text("races.c", PROGRAM, f"-g -pthread {level} -DRACY={racy}")


def races(t, *args):
    report = t.path("races.json")
    r = t.gate("races", "--report", report, *args)
    with open(report) as f:
        r.report = json.load(f)
    t.equal(r.report["status"], r.status, "status in the report", r)
    return r


def test_found(t):
    r = races(t, program(1))
    t.equal(r.status, 116, "status", r)
    t.check(r.first.startswith("gatectl: found: 2 races in "), "the first line", r)
    found = {race["variable"]: race for race in r.report["races"]}
    t.equal(sorted(found), ["account->balance", "counters[2]"], "variables as C names them", r)
    race = found["counters[2]"]
    t.equal(sorted((race["first"]["line"], race["second"]["line"])), sorted((line("one"), line("two"))), "places", r)
    t.equal({race["first"]["thread"], race["second"]["thread"]}, {"first#1", "second#1"}, "threads", r)
    sides = {side["access"]: side for side in (found["account->balance"]["first"], found["account->balance"]["second"])}
    t.equal((sides["write"]["line"], sides["write"]["locks"]), (line("heap"), ["shared.lock"]), "who writes, and its lock", r)
    t.equal((sides["read"]["line"], sides["read"]["locks"]), (line("read"), []), "who reads", r)
    t.check("in the other order it reads" in r.err, "what the other order gives", r)
    for mark in ("one", "two", "heap", "read"):
        t.check("races.c:%d: " % line(mark) in r.err, mark, r)


def test_one_run_is_no_answer(t):
    """A run that takes all the time has shown one order."""
    program = compile_text("adds.c", "int n; int main(void) { for (;;) __atomic_add_fetch(&n, 1, 5); }\n")
    r = t.gate("races", "--for", wall(0.5), "--steps", "100000000", program)
    t.equal((r.status, "no race" in r.err), (0, False), "status, and no all-clear", r)
    t.check("\nno result: there was time for one run only" in r.err, "what is said", r)


SIDE_BY_SIDE = """#include <pthread.h>
#include <stdlib.h>
static void *adds(void *n) { ++*(int *)n; return NULL; }
int main(void)
{
	int *numbers[3];
	pthread_attr_t bare;
	pthread_t t[3];
	pthread_attr_init(&bare);
	pthread_attr_setguardsize(&bare, 0);
	for (int i = 0; i < 3; i++) {
		numbers[i] = calloc(1, sizeof(int));
		pthread_create(&t[i], &bare, adds, numbers[i]);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 3; i++)
		free(numbers[i]);
	return 0;
}
"""


def test_stacks_side_by_side(t):
    """Stacks without guards are one mapping, as all are with glibc 2.42: a new thread has one of them, and joins of the others hold."""
    r = races(t, compile_text("side_by_side.c", SIDE_BY_SIDE, "-g -O1"))
    t.equal((r.status, r.report["races"]), (0, []), "no race", r)


@params("-O0", "-O2")
def test_none(t, level):
    """All of it is ordered: by an atomic variable, once, a mutex, a semaphore, join."""
    r = races(t, program(0, level))
    t.equal((r.status, r.report["races"], r.stdout), (0, [], ""), "no race", r)
    t.check("no race" in r.err, "the summary", r)


# What else a statement does that loads or stores atomically.
SAME_LINE = """#include <pthread.h>
#include <stdatomic.h>
static atomic_int on = 1, done, slots[8];
static int plain = 1, counter, total, v, flag, given, index_;
static void *work(void *x)
{
	if (atomic_load(&on)) counter++;
	total = total + __atomic_load_n(&plain, __ATOMIC_RELAXED);
	int was = v; v = was + 1; atomic_store_explicit(&done, 1, memory_order_relaxed);
	if (__atomic_load_n(&flag, __ATOMIC_RELAXED) < 5) flag = 2;
	atomic_store_explicit(&done, given, memory_order_relaxed);
	if (atomic_load_explicit(&slots[index_], memory_order_relaxed)) return 0;
	return x;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, 0);
	given = 1;
	index_ = 3;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""


@params("gcc -O0", "gcc -O2", "clang -O0")
def test_same_line(t, how):
    """An atomic access makes no other one atomic that is in the same line."""
    cc, level = how.split()
    r = races(t, compile_text("same_line.c", SAME_LINE, "-g -pthread " + level, compiler=cc))
    expected = ["counter", "flag", "given", "index_", "total", "v"]
    t.equal(sorted({race["variable"] for race in r.report["races"]}), expected, "all that are not atomic", r)


# Atomic accesses to objects that are not declared so: by another name, a pointer, a macro, a function.
BUILTINS = """#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
struct shared { int data, ready, used; };
#define READY p->ready
static int word, flags[4], data[3];
static struct shared *shared;
static int load(int *at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }
static void store(int *at, int n) { __atomic_store_n(at, n, __ATOMIC_RELEASE); }
static void *give(void *x)
{
	struct shared *p = x;
	data[0] = 1; __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
	data[1] = 1; __atomic_store_n(flags + 1, 1, __ATOMIC_RELEASE);
	data[2] = 1; store(&flags[2], 1);
	p->data = 1; __atomic_store_n(&READY, 1, __ATOMIC_RELEASE);
	return x;
}
static void *take(void *x)
{
	int sum = 0;
	while (!__atomic_load_n(&word, __ATOMIC_ACQUIRE)) sched_yield();
	sum += data[0];
	while (!load(&flags[1])) sched_yield();
	sum += data[1];
	while (!__atomic_load_n(&flags[2], __ATOMIC_ACQUIRE)) sched_yield();
	sum += data[2];
	while (!__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE)) sched_yield();
	sum += shared->data;
	return sum == 4 ? x : 0;
}
int main(void)
{
	pthread_t t[2];
	shared = calloc(1, sizeof(*shared));
	pthread_create(&t[0], 0, give, shared);
	pthread_create(&t[1], 0, take, shared);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
"""


@params("gcc -O0", "gcc -O2", "clang -O0", "clang -O2")
def test_builtins(t, how):
    cc, level = how.split()
    r = races(t, compile_text("builtins.c", BUILTINS, "-g -pthread " + level, compiler=cc))
    t.equal((r.status, r.report["races"]), (0, []), "no race", r)


CXX = """#include <atomic>
#include <mutex>
#include <pthread.h>
#include <sched.h>
struct config { int a = 3; config() { a = 4; } };
static config &get() { static config c; return c; }
static std::once_flag flag;
static std::atomic<int> ready;
static int table, data;
static void *work(void *arg)
{
	volatile int seen = get().a;
	std::call_once(flag, [] { table = 4; });
	seen = table;
	(void)seen;
	return arg;
}
static void *publish(void *arg)
{
	data = 5;
	ready.store(1, std::memory_order_release);
	return arg;
}
static void *take(void *arg)
{
	while (!ready.load(std::memory_order_acquire))
		sched_yield();
	return data == 5 ? arg : nullptr;
}
int main()
{
	void *(*routines[])(void *) = {work, work, publish, take};
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], nullptr, routines[i], nullptr);
	for (auto each : t)
		pthread_join(each, nullptr);
	return 0;
}
"""


@params("-O0", "-O2")
def test_none_cxx(t, level):
    """A static local, std::call_once, std::atomic."""
    r = races(t, compile_text("ordered.cc", CXX, f"-g -pthread -std=c++20 {level}"))
    t.equal((r.status, r.report["races"]), (0, []), "no race", r)


THROWS = """#include <thread>
static int tries, racy;
struct made { int a; made() : a(4) { if (!tries++) throw 1; } };
static made &get() { static made m; return m; }
static void work()
{
	for (bool done = false; !done;)
		try {
			done = get().a == 4;
		} catch (int) {
		}
	racy++;
}
int main()
{
	std::thread one(work), two(work);
	one.join();
	two.join();
	return tries != 2;
}
"""


@params("-O0", "-O2")
def test_static_that_throws(t, level):
    """Whoever makes a static local next comes behind who has failed to."""
    r = races(t, "-n", "60", compile_text("throws.cc", THROWS, "-g -pthread " + level))
    t.equal([race["variable"] for race in r.report["races"]], ["racy"], "the one race", r)


WRITES = """#include <pthread.h>
static int state, n;
static void *set(void *x)
{
	state = x ? 2 : 1; //state
	__asm__ volatile("incl %0" : "+m"(n)); //n
	return x;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, set, i ? t : 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""


OPENMP = """#include <omp.h>
static int n, m, found, racy;
static int part[3];
static omp_lock_t lock;
int main(void)
{
	int sum = 0;
	omp_set_num_threads(3);
	omp_init_lock(&lock);
	for (int round = 0; round < 2; round++) {
#pragma omp parallel reduction(+ : sum)
		{
#pragma omp critical(named)
			m++;
			part[omp_get_thread_num()] = 1;
			omp_set_lock(&lock);
			n++;
			omp_unset_lock(&lock);
#pragma omp barrier
			sum += part[0] + part[1] + part[2];
#pragma omp barrier
#pragma omp for
			for (int i = 0; i < 3; i++)
				part[i] = i;
#pragma omp for ordered schedule(dynamic)
			for (int i = 0; i < 3; i++) {
#pragma omp ordered
				m++;
			}
#pragma omp single
			found = part[0] + part[1] + part[2];
#pragma omp critical
			found++;
#if RACY
			racy++;
#endif
		}
		n++;
	}
	return racy < 0 || n != 8 || m != 12 || found != 6 || sum != 18;
}
"""


@params(0, 1)
def test_openmp(t, racy):
    """libgomp's locks, barriers and parallel regions order what is done around them."""
    r = t.gate("races", "-n", "60", "--report", t.path("races.json"), compile_text("openmp.c", OPENMP, "-g -O0 -fopenmp -DRACY=%d" % racy))
    t.equal(r.status, 116 if racy else 0, "status", r)
    t.check(b"of them failed" not in r.out, "it works", r)
    if racy:
        t.check("gatectl: found: 1 race in " in r.first and "the first: racy at " in r.first, "the race", r)
        t.equal(sorted(set(re.findall("holding (.*)", r.err))), ["no lock"], "a barrier is none that is held", r)


TIMER = """#include <pthread.h>
#include <sys/timerfd.h>
#include <unistd.h>
static int timer, value;
static void *sets(void *x)
{
	struct itimerspec soon = {{0}, {0, 1000}};
	value = 7;
	timerfd_settime(timer, 0, &soon, 0);
	return x;
}
int main(void)
{
	pthread_t t;
	char times[8];
	int seen;
	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	pthread_create(&t, 0, sets, 0);
	read(timer, times, 8);
	seen = value;
	pthread_join(t, 0);
	return seen != 7;
}
"""


def test_timer(t):
    """What comes before a timer is set comes before what waits for it."""
    r = races(t, "--runs", "20", compile_text("timer.c", TIMER, "-g -w -pthread"))
    t.equal(r.status, 0, "status", r)


# The linker's __TMC_END__ is where .data ends, and there is the first variable of .bss.
NAMED = """#include <pthread.h>
static int on = 1;
static int counter;
static void *add(void *x) { counter += on; return x; }
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, add, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""


def test_name(t):
    r = races(t, compile_text("named.c", NAMED, "-g -O0 -pthread"))
    t.equal([race["variable"] for race in r.report["races"]], ["counter"], "as C names it", r)
    t.check("in the other order it reads" in r.err, "its values", r)


def test_two_writes(t):
    """What would remain in the other order; an update adds to what is there, so that nothing can be said of that."""
    r = races(t, compile_text("writes.c", WRITES))
    found = {race["variable"]: race for race in r.report["races"]}
    values = {found["state"]["between"], found["state"]["after"]}
    t.equal(values, {"1", "2"}, "what each of them has written", r)
    t.check("leaves %s; in the other order %s remains\n" % (found["state"]["after"], found["state"]["between"]) in r.err, "what the other order gives", r)
    t.equal((found["n"]["between"], found["n"]["after"]), ("1", "2"), "an update", r)
    t.check(" left 1 there, set#" in r.err and "leaves 2\n" in r.err, "... of which the other order is not told", r)


def test_ignore(t):
    ignore = t.file("ignore", "# known\n\nraces.c:%d\nsecond;account->balance\n" % line("one"))
    r = races(t, "--ignore", ignore, program(1))
    t.equal((r.status, r.report["races"]), (0, []), "all of them", r)
    t.equal(r.report["ignored"], 2, "how many", r)
    r = races(t, "--ignore", t.file("mark", "//heap\n"), program(1))
    t.equal([race["variable"] for race in r.report["races"]], ["counters[2]"], "one of them", r)
    t.error(t.gate("races", "--ignore", t.file("bad", "main%return\n"), program(1)), where="--ignore: ")
    t.error(t.gate("races", "--ignore", t.path("none"), program(1)))


def test_ignore_lines(t):
    """A line behind a function's, and an address; what means nothing is said, and no error."""
    begins = next(n for n, text in enumerate(PROGRAM.split("\n"), 1) if "*second(void" in text)
    address = re.search(rb"0x[0-9a-f]+", t.gate("lines", program(1), "first;counters[2]").out).group().decode()
    ignore = t.file("ignore", "second:+%d\n*%s\nnosuch\n//nomark\nfirst\n" % (line("read") - begins, address))
    r = races(t, "--ignore", ignore, program(1))
    t.equal((r.status, r.report["races"]), (0, []), "all of them", r)
    t.equal(re.findall("note: --ignore: %s:([0-9]+): neither the program nor the libraries that it starts with have '(.*)'" % ignore, r.err), [("3", "nosuch"), ("4", "//nomark")], "what means nothing", r)
    r = races(t, "--ignore", t.file("one", "*%s\n" % address), program(1))
    t.equal([race["variable"] for race in r.report["races"]], ["account->balance"], "one of them", r)


def test_reports(t):
    r = t.gate("races", "-q", "-n", "20", "--report", t.path("r.xml"), "--report", t.path("r.html"), program(1))
    t.equal((r.status, r.stdout), (116, ""), "-q", r)
    case = xml.etree.ElementTree.parse(t.path("r.xml")).getroot().find(".//testcase")
    t.check("counters[2]" in case.find("failure").text, "the failure's text", r)
    with open(t.path("r.html")) as f:
        t.check("counters[2]" in f.read(), "the page", r)
    t.check("race on counters[2]" in browser.rendered(t, t.path("r.html")), "what it shows", r)
    t.error(t.gate("races", "--strategy", "x.lua", program(1)), where="--strategy")
    t.error(t.gate("races"), where="no program")
