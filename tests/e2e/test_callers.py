"""Who is stuck, in the words of the one who wrote the program: the call where that one's code went in
and those around it, threads by what they run, and advice that does not lead astray."""

import os
import re

from harness import BUILDS, compile_text, line_of, params
from patience import wall

LIBRARY = r"""
#include <pthread.h>
#include <stdlib.h>
int taken;
void plat_mutex_lock(pthread_mutex_t *m)
{
	pthread_mutex_lock(m); /* INNER */
	taken++;
}
void plat_acquire(pthread_mutex_t *m)
{
	plat_mutex_lock(m); /* ENTERS */
	taken++;
}
struct start { void (*routine)(void *); void *arg; };
static void *plat_proxy(void *arg)
{
	struct start s = *(struct start *)arg;
	free(arg);
	s.routine(s.arg);
	return NULL;
}
static void *plat_proxy_that_jumps(void *arg)
{
	void *(*routine)(void *) = arg;
	return routine(NULL);
}
pthread_t plat_start(void (*routine)(void *), void *arg)
{
	pthread_t t;
	struct start *s = malloc(sizeof(*s));
	*s = (struct start){routine, arg};
	pthread_create(&t, NULL, plat_proxy, s);
	return t;
}
pthread_t plat_start_jump(void *(*routine)(void *))
{
	pthread_t t;
	pthread_create(&t, NULL, plat_proxy_that_jumps, (void *)routine);
	return t;
}
"""
HEAD = r"""
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>
void plat_acquire(pthread_mutex_t *m);
pthread_t plat_start(void (*routine)(void *), void *arg);
pthread_t plat_start_jump(void *(*routine)(void *));
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void step(void) { x++; /* gate: step */ }
"""
KINDS = ("-g -O0", "-g -O2", "-O1", "linked")


def built(name, text, kind="-g -O0"):
    """With the library beside it, with or without debug information; `linked`: in the program itself."""
    if kind == "linked":
        return compile_text(name, HEAD + text, libs=compile_text("plat.c", LIBRARY, "-g -O0 -c"))
    library = compile_text("plat.c", LIBRARY, kind + " -shared -fPIC")
    return compile_text(name, HEAD + text, libs="%s -Wl,-rpath,%s" % (library, os.path.dirname(library)))


def at(text, needle, name):
    return "%s:%d" % (name, line_of(text, needle))


TWICE = r"""
static void both(void)
{
	plat_acquire(&m); /* CALLS */
	x++;
}
int main(void)
{
	pthread_mutex_lock(&m);
	both(); /* OUTER */
	x++;
}
"""


@params("-g -O0", "-O1", "linked")
def test_where_the_testers_code_went_in(t, kind):
    r = t.verdict(t.run_gated(built("twice.c", TWICE, kind)), 123)
    calls, outer = (at(HEAD + TWICE, n, "twice.c") for n in ("CALLS", "OUTER"))
    if kind == "linked":
        t.check("in plat_mutex_lock at %s, called from plat_acquire at %s, from both at %s\n" % (
            at(LIBRARY, "INNER", "plat.c"), at(LIBRARY, "ENTERS", "plat.c"), calls) in r.err, "the callers", r)
        return
    t.check(", in both at %s\n" % calls in r.err, "the tester's call", r)
    t.check(", in both at %s, " % calls in r.err or ", in both at %s;" % calls in r.err, "what is around it", r)
    if kind == "-O1":
        t.check("called from main at %s; inside plat_acquire\n" % outer in r.err, "the library's function", r)
    else:
        t.check("; inside plat_acquire at %s, plat_mutex_lock at %s\n" % (
            at(LIBRARY, "ENTERS", "plat.c"), at(LIBRARY, "INNER", "plat.c")) in r.err, "the library's calls", r)
    w = r.report["threads"][0]["waiting"]
    t.check(w["func"] == "both" and w["around"].startswith((", called from main", "; inside plat_acquire")),
            "in the record", r)


WRAPPER = r"""
#include <pthread.h>
int depth;
void my_mutex_lock(pthread_mutex_t *m)
{
	pthread_mutex_lock(m);
	depth++;
}
"""
WRAPPED = r"""
#include <pthread.h>
void my_mutex_lock(pthread_mutex_t *m);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void both(void)
{
	my_mutex_lock(&m);
	my_mutex_lock(&m); /* CALLS */
}
int main(void) { both(); return 0; }
"""


def test_a_wrapper_in_another_file(t):
    r = t.verdict(t.run_gated(compile_text("wrapped.c", WRAPPED, libs=compile_text("wrapper.c", WRAPPER, "-g -c"))), 123)
    t.check(", in both at %s, called from main at " % at(WRAPPED, "CALLS", "wrapped.c") in r.err, "who calls it", r)
    t.check("; inside my_mutex_lock at wrapper.c:6\n" in r.err, "the wrapper", r)


def test_a_place_in_a_library_makes_the_library_the_testers(t):
    r = t.verdict(t.run_gated(built("twice.c", TWICE), script='at "plat_acquire":run(function() end)\n'), 123)
    t.check(", in plat_mutex_lock at " in r.err, "the library's call", r)


# ---- threads that came through a trampoline -----------------------------------------------------

POOL = r"""
static void reader(void *arg)
{
	step();
	pthread_mutex_lock(&m); /* WAITS */
	x++;
}
static void writer(void *arg)
{
	step();
}
int main(void)
{
	pthread_mutex_lock(&m);
	pthread_t t = plat_start(reader, NULL), u = plat_start(writer, NULL);
	pthread_join(u, NULL);
	pthread_join(t, NULL);
}
"""


@params(*KINDS)
def test_a_trampoline_has_the_name_of_its_function(t, kind):
    """The `thread` option means it at its first arrival."""
    program = built("pool.c", POOL, kind)
    r = t.verdict(t.run_gated(program, script='''
local g = SimpleGate "g"
at("//step", {thread = "reader"}):wait(g)
at("//step", {thread = "writer"}):open(g)
'''), 123)
    t.check("plat_proxy#1 (reader) waits for mutex m held by main" in r.err, "the words", r)
    t.check([x["runs"] for x in r.report["threads"]] == [None, "reader", "writer"], "the record", r)
    t.check([x["id"] for x in r.report["threads"]] == ["main", "plat_proxy#1", "plat_proxy#2"], "the ids", r)
    r = t.verdict(t.run_gated(program, script='at("//step", {thread = "readre"}):run(function() end)\n'
                                              'expect { deadlock = true }\n'), 120)
    t.check("did you mean reader?" in r.first or "(reader)" in r.first, "it is listed", r)


JUMP = r"""
static void *reader(void *arg)
{
	step();
	pthread_mutex_lock(&m);
	x++;
	return arg;
}
int main(void)
{
	pthread_mutex_lock(&m);
	pthread_join(plat_start_jump(reader), NULL);
}
"""


@params(*KINDS)
def test_a_trampoline_that_jumps(t, kind):
    r = t.verdict(t.run_gated(built("jump.c", JUMP, kind), script='at("//step", {thread = "reader"}):log "here"\n'),
                  123)
    t.check("plat_proxy_that_jumps#1 (reader) waits for mutex m" in r.err, "the words", r)


DIRECT = r"""
static void *worker(void *arg)
{
	plat_acquire(&m);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_mutex_lock(&m);
	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
}
"""


@params("-g -O0", "linked", "-fno-plt")
def test_a_call_by_name_makes_no_trampoline(t, kind):
    if kind == "-fno-plt":
        library = compile_text("plat.c", LIBRARY, "-g -shared -fPIC")
        program = compile_text("direct.c", HEAD + DIRECT, "-g -O1 -fno-plt",
                               libs="%s -Wl,-rpath,%s" % (library, os.path.dirname(library)))
    else:
        program = built("direct.c", DIRECT, kind)
    r = t.verdict(t.run_gated(program), 123)
    t.check("worker#1 waits for mutex m held by main" in r.err, "no second name", r)


# ---- advice --------------------------------------------------------------------------------------

LATE = r"""
static void *worker(void *arg)
{
	step();
	pthread_setname_np(pthread_self(), "collector");
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
}
"""


def test_a_name_that_comes_too_late(t):
    r = t.verdict(t.run_gated(built("lately.c", LATE),
                              script='at("//step", {thread = "collector"}):run(function() end)\n'), 120)
    t.check("worker#1 arrived there, but was not yet called 'collector' then" in r.first, "why", r)
    t.check('try: thread = "worker", its id from its start on' in r.err, "what to do", r)


TWO = r"""
static void after(void) { x++; /* gate: after */ }
static void *worker(void *arg) { step(); after(); return arg; }
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, NULL, worker, NULL);
	pthread_create(&u, NULL, worker, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
}
"""


def test_the_thread_is_right_and_the_order_wrong(t):
    r = t.verdict(t.run_gated(built("two.c", TWO), script='''
local g = SimpleGate "g"
at("//step", {thread = "worker#2"}):wait(g)
at("//after", {thread = "worker#2"}):open(g)
'''), 122)
    t.check("try: another order: worker#2, for which //after is meant, is held at gate g and cannot "
            "reach it first" in r.err, "the reason", r)
    t.check('thread = "' not in r.err.splitlines()[-1], "not another thread", r)


SPINS = r"""
static volatile int flag;
static void wait_for(volatile int *f)
{
	while (!*f)
		sched_yield(); /* SPINS */
}
static void *worker(void *arg) { wait_for(&flag); return arg; }
static void *poller(void *arg)
{
	while (!flag)
		usleep(1000);
	return arg;
}
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, NULL, worker, NULL);
	pthread_create(&u, NULL, poller, NULL);
	pthread_join(t, NULL);
}
"""


@params("-g -O0", "-g -O2")
def test_a_spinning_thread_is_reported_with_place_and_time(t, flags):
    program = compile_text("spins.c", HEAD.split("void plat_acquire")[0] + "static int x;\n" + SPINS, flags)
    r = t.verdict(t.run_gated(program, options=["--time-limit", wall(2)]), 124)
    t.check("worker#1 runs in wait_for at spins.c:" in r.err, "where", r)
    t.check(re.search(r", (spinning|in the same few functions) for \d", r.err) and
            ", called from worker at spins.c:" in r.err, "since when", r)
    t.check("try: find out what " in r.err and "a longer --time-limit " in r.err, "what to do", r)


OUTSIDE = r"""
#include <arpa/inet.h>
#include <pthread.h>
static int server;
static void *serve(void *arg)
{
	return accept(server, NULL, NULL) < 0 ? arg : NULL;
}
int main(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	pthread_t t;
	server = socket(AF_INET, SOCK_STREAM, 0);
	bind(server, (struct sockaddr *)&a, sizeof(a));
	listen(server, 1);
	pthread_create(&t, NULL, serve, NULL);
	pthread_join(t, NULL); /* JOINS */
}
"""


@params("-g -O0", "-g -O2")
def test_where_all_wait_more_time_is_no_advice(t, flags):
    """Somebody outside could connect: no deadlock. But nobody runs, and that is said."""
    program = compile_text("outside.c", OUTSIDE, flags)
    r = t.verdict(t.run_gated(program, options=["--time-limit", wall(0.5)]), 124)
    t.check("main joins serve#1" in r.err and "waits for a connection" in r.err, "who waits", r)
    t.check("try: no thread runs: a longer --time-limit helps only where one of these waits ends by itself; a test of "
            "it says `expect { time_limit = true }`" in r.err, "what to do", r)
    limit = wall(0.5)
    script = "limits { run = %g }\nexpect { time_limit = true }\n" % limit
    r = t.run_gated(program, script=script, options=["-v"])
    t.check(r.status == 0, "as expected", r)
    t.check(("gatectl: as expected, the program still ran after %g second" % limit) in r.err and
            "main joins serve#1, in main at outside.c:" in r.err, "-v says what it was", r)
    t.clean(t.run_gated(program, script=script))


# ---- small things ----------------------------------------------------------------------------------

def test_verbose_says_what_the_expected_deadlock_was(t):
    program = built("twice.c", TWICE)
    r = t.run_gated(program, script="expect { deadlock = true }\n", options=["-v"])
    t.check(r.status == 0, "as expected", r)
    t.check("gatectl: as expected, a deadlock: no thread of the program can move: main waits for mutex m held by "
            "main itself" in r.err, "what it was", r)
    t.clean(t.run_gated(program, script="expect { deadlock = true }\n"))


def test_held_by_a_function_names_its_line(t):
    r = t.verdict(t.run_gated(built("two.c", TWO),
                              script='\nat("//step", {hit = 1}):when(function() return false end)\n'), 122)
    t.check("is held by a function of the script (" in r.first and ".lua:2) at two.c:" in r.first, "the line", r)
    t.check("by a function (" in r.err, "the event", r)


# ---- locks of one name -----------------------------------------------------------------------------

ACCOUNTS = r"""
#include <pthread.h>
#include <stdlib.h>
struct account { long balance; pthread_mutex_t lock; };
static pthread_barrier_t both;
static struct account *all[2];
static void take(struct account *a)
{
	pthread_mutex_lock(&a->lock);
	a->balance++;
}
static void transfer(struct account *from, struct account *to)
{
	take(from);
	pthread_barrier_wait(&both);
	take(to);
	from->balance--;
}
static void *here(void *arg) { transfer(all[0], all[1]); return arg; }
static void *back(void *arg) { transfer(all[1], all[0]); return arg; }
int main(void)
{
	pthread_t t, u;
	pthread_barrier_init(&both, NULL, 2);
	NAMES
	pthread_create(&t, NULL, here, NULL);
	pthread_create(&u, NULL, back, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return all[0]->balance + AGAIN;
}
"""


@params(*BUILDS)
def test_two_locks_of_one_name(t, build):
    compiler, flags = build.split("-")
    text = ACCOUNTS.replace("AGAIN", "alice->balance + bob->balance").replace("NAMES", """
	struct account *alice = calloc(1, sizeof(*alice)), *bob = calloc(1, sizeof(*bob));
	all[0] = alice, all[1] = bob;""")
    r = t.verdict(t.run_gated(compile_text("accounts.c", text, "-g -" + flags, compiler=compiler)), 123)
    t.check("here#1 waits for mutex a->lock (bob->lock) held by back#1" in r.first, "one", r)
    t.check("back#1 waits for mutex a->lock (alice->lock) held by here#1" in r.first, "the other", r)
    t.check("try: a->lock (bob->lock) and a->lock (alice->lock) are taken in different orders" in r.err, "try", r)


def test_two_locks_that_nothing_tells_apart(t):
    text = ACCOUNTS.replace("AGAIN", "0").replace("NAMES", """
	for (int i = 0; i < 2; i++)
		all[i] = calloc(1, sizeof(**all));""")
    r = t.verdict(t.run_gated(compile_text("accounts.c", text)), 123)
    names = re.findall(r"waits for mutex a->lock \((0x[0-9a-f]+)\)", r.first)
    t.check(len(names) == 2 and names[0] != names[1], "addresses", r)


# ---- who could signal -------------------------------------------------------------------------------

QUEUE = r"""
#include <pthread.h>
#include <stdlib.h>
struct queue { int n; pthread_mutex_t lock; pthread_cond_t not_empty, not_full; };
static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static int x;
static void put(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->n++;
	pthread_cond_signal(&q->not_empty); /* SIGNALS */
	pthread_mutex_unlock(&q->lock);
}
static void take(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	while (!q->n)
		pthread_cond_wait(&q->not_empty, &q->lock); /* WAITS */
	q->n--; /* gate: has */
	pthread_cond_signal(&q->not_full);
	pthread_mutex_unlock(&q->lock);
}
static void *consumer(void *p)
{
	pthread_mutex_lock(&outer); /* TAKES */
	pthread_barrier_wait(&both);
	take(p);
	pthread_mutex_unlock(&outer);
	return p;
}
static void *producer(void *p)
{
	struct queue *queue = p, *other = calloc(1, sizeof(*other));
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&outer); /* NEEDS */
	put(queue); /* PUTS */
	pthread_mutex_unlock(&outer);
	put(other);
	return other;
}
int main(void)
{
	struct queue *q = calloc(1, sizeof(*q));
	pthread_t t, u;
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&t, NULL, consumer, q);
	pthread_create(&u, NULL, producer, q);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return x == 0;
}
"""


@params(*BUILDS)
def test_a_condition_variable_leads_to_the_thread_that_could_signal(t, build):
    """A monitor inside of another one: the wait gives back the inner lock only."""
    compiler, flags = build.split("-")
    r = t.verdict(t.run_gated(compile_text("queue.c", QUEUE, "-g -" + flags, compiler=compiler)), 123)
    t.check("consumer#1 waits for condition variable q->not_empty (with mutex q->lock), which producer#1 could "
            "signal at %s, in take at %s; producer#1 waits for mutex outer held by consumer#1 (taken at %s)" % tuple(
                at(QUEUE, n, "queue.c") for n in ("PUTS", "WAITS", "TAKES")) in r.first, "the circle", r)
    consumer = r.report["threads"][1]
    t.check(consumer["waiting"]["on"] == ["producer#1"] and consumer["waiting"]["in_cycle"], "the edge", r)
    t.check("taken_file" not in consumer["waiting"], "nothing was taken", r)


def test_the_thread_that_would_signal_is_held(t):
    text = QUEUE.replace("	pthread_mutex_lock(&outer); /* NEEDS */\n", "")
    r = t.verdict(t.run_gated(compile_text("queue.c", text), script='''
local g = SimpleGate "g"
order "['take;pthread_cond_wait'] -> 'put;pthread_mutex_lock'"
at "put;pthread_cond_signal":wait(g)
at "//has":open(g)
'''), 122)
    line = at(text, "SIGNALS", "queue.c")
    t.check("which producer#1 could signal at %s" % line in r.first, "the line that it is held before", r)
    t.check("consumer#1, which would open gate g at %s, waits here for condition variable q->not_empty, which "
            "producer#1 could signal\n" % at(text, "gate: has", "queue.c") in r.err, "the circle", r)


@params("another", "never", "behind")
def test_a_thread_that_would_not_signal_is_not_named(t, case):
    text = QUEUE.replace("	pthread_mutex_lock(&outer); /* NEEDS */\n	put(queue); /* PUTS */\n", {
        "another": "	pthread_mutex_lock(&outer);\n",
        "never": "	pthread_mutex_lock(&outer);\n	x++;\n",
        "behind": "	if (x)\n		put(queue);\n	pthread_mutex_lock(&outer);\n"}[case])
    if case == "never":
        text = text.replace("	put(other);\n", "")
    r = t.verdict(t.run_gated(compile_text("queue.c", text)), 123)
    t.check("consumer#1 waits for condition variable q->not_empty (with mutex q->lock), in take at " in r.err,
            "nothing is said", r)


CXX_QUEUE = r"""
#include <condition_variable>
#include <mutex>
#include <thread>
static std::mutex outer;
static std::condition_variable changed;
class Box {
public:
	void put() { std::lock_guard<std::mutex> l(m_); full_ = true; cv_.notify_one(); }
	void take() { std::unique_lock<std::mutex> l(m_); while (!full_) cv_.wait(l); }
private:
	std::mutex m_;
	std::condition_variable cv_;
	bool full_ = false;
};
static Box box;
static bool in;
static void wake() { changed.notify_all(); }
static void by_way() { wake(); }
static void consumer()
{
	std::lock_guard<std::mutex> l(outer);
	box.take();
}
static void watcher()
{
	std::mutex m;
	std::unique_lock<std::mutex> l(m);
	changed.wait(l);
}
static void producer()
{
	{ std::lock_guard<std::mutex> l(outer); in = true; } /* gate: locks */
	box.put(); // PUTS
	by_way(); // WAKES
}
int main()
{
	std::thread t(consumer), w(watcher), u(producer);
	t.join();
	w.join();
	u.join();
}
"""


@params("g++ -O0", "clang++ -O0 -fstandalone-debug", "g++ -O1")
def test_a_condition_variable_of_cxx(t, options):
    compiler, flags = options.split(" ", 1)
    r = t.verdict(t.run_gated(compile_text("box.cc", CXX_QUEUE, "-g " + flags, compiler=compiler),
                              script="""order "['Box::take;cv_.wait'] -> '//locks'"\n"""), 123)
    producer = "producer#1 could signal at %s"
    t.check(producer % at(CXX_QUEUE, "PUTS", "box.cc") in r.err, "a member", r)
    t.check(producer % at(CXX_QUEUE, "WAKES", "box.cc") in r.err, "by way of others", r)
