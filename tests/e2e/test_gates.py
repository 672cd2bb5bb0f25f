"""Gates, verbs, options, events and orders: what the tester asks for is what happens."""

import itertools
import os

from harness import Target, compile_text, params

TWO = r"""
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
static char text[64];
static atomic_int length;
__attribute__((noinline)) static void put(char c)
{
	text[atomic_fetch_add(&length, 1)] = c;
}
static void *alpha(void *arg)
{
	put('1'); /* gate: a1 */
	put('2'); /* gate: a2 */
	put('3'); /* gate: a3 */
	return arg;
}
static void *beta(void *arg)
{
	put('x'); /* gate: b1 */
	put('y'); /* gate: b2 */
	put('z'); /* gate: b3 */
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, alpha, NULL);
	pthread_create(&b, NULL, beta, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%s\n", text);
	return 0;
}
"""
MARK = {"1": "a1", "2": "a2", "3": "a3", "x": "b1", "y": "b2", "z": "b3"}


def interleavings():
    for places in itertools.combinations(range(6), 3):
        a, b = iter("123"), iter("xyz")
        yield "".join(next(a) if i in places else next(b) for i in range(6))


def switches(text):
    return [(MARK[p], MARK[q]) for p, q in zip(text, text[1:]) if (p < "a") != (q < "a")]


@params(*interleavings())
def test_every_interleaving_by_gates(t, text):
    script = ""
    for n, (p, q) in enumerate(switches(text)):
        script += 'local g%d = SimpleGate "%s before %s"\n' % (n, p, q)
        script += 'at("//%s", {after = true}):open(g%d)\nat "//%s":wait(g%d)\n' % (p, n, q, n)
    for flags in ("-g -O0", "-g -O2"):
        r = t.clean(t.run_gated(compile_text("two.c", TWO, flags), script=script))
        t.equal(r.stdout, text + "\n", "interleaving", r)


@params(*interleavings())
def test_every_interleaving_by_order(t, text):
    order = ", ".join("//%s -> //%s" % s for s in switches(text))
    program = compile_text("two.c", TWO)
    r = t.clean(t.run_gated(program, options=["--order", order]))
    t.equal(r.stdout, text + "\n", "by --order", r)
    r = t.clean(t.run_gated(program, script='order "%s"\n' % order))
    t.equal(r.stdout, text + "\n", "by order in a script", r)


def test_order_of_named_events(t):
    script = '''
at "//a1":event "first"
at "//b3":event "last"
order "last -> first"
'''
    r = t.clean(t.run_gated(compile_text("two.c", TWO), script=script))
    t.equal(r.stdout, "xyz123\n", "interleaving", r)


def test_order_chain(t):
    r = t.clean(t.run_gated(compile_text("two.c", TWO),
                            options=["--order", "//b1 -> //a1 -> //b2 -> //a2 -> //b3 -> //a3"]))
    t.equal(r.stdout, "x1y2z3\n", "a chain", r)


def test_order_repeated_option(t):
    r = t.clean(t.run_gated(compile_text("two.c", TWO),
                            options=["--order", "//a3 -> //b1", "--order", "//a1 -> //b2"]))
    t.equal(r.stdout, "123xyz\n", "interleaving", r)


def test_order_with_file_and_line(t):
    a1 = TWO.splitlines().index("\tput('1'); /* gate: a1 */") + 1
    b3 = TWO.splitlines().index("\tput('z'); /* gate: b3 */") + 1
    r = t.clean(t.run_gated(compile_text("two.c", TWO),
                            options=["--order", "two.c:%d -> two.c:%d" % (b3, a1)]))
    t.equal(r.stdout, "xyz123\n", "interleaving", r)


def test_paper_example(t):
    program = compile_text("calc.c", r"""
#include <pthread.h>
#include <stdio.h>
static volatile int multiplier = 1, result;
static void *worker1(void *arg)
{
	multiplier = 10; /* gate: set */
	return arg;
}
static void *worker2(void *arg)
{
	result = 5 * multiplier; /* gate: use */
	return arg; /* gate: used */
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, worker1, NULL);
	pthread_create(&b, NULL, worker2, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", result);
	return 0;
}
""")
    for _ in range(30 if t.full else 5):
        r = t.clean(t.run_gated(program, script='''
local done = SimpleGate "worker2_done"
at "//set":wait(done)
at "//used":open(done)
'''))
        t.equal(r.stdout, "5\n", "the wrong result", r)
        r = t.clean(t.run_gated(program, script='''
local set = SimpleGate "worker1_set"
at "//use":wait(set)
at("//set", {after = true}):open(set)
'''))
        t.equal(r.stdout, "50\n", "the right result", r)


def test_blocked_in_order(t):
    """[c] -> d: c's thread was let into the blocking call before d runs."""
    program = compile_text("blocked.c", r"""
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static volatile int waiting, woken;
static void *waiter(void *arg)
{
	pthread_mutex_lock(&lock);
	waiting = 1;
	pthread_cond_wait(&cond, &lock); /* gate: wait */
	woken = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}
static void *signaller(void *arg)
{
	pthread_cond_signal(&cond); /* gate: signal */
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&b, NULL, signaller, NULL);
	usleep(20000);
	pthread_create(&a, NULL, waiter, NULL);
	pthread_join(b, NULL);
	pthread_join(a, NULL);
	printf("waiting %d woken %d\n", waiting, woken);
	return 0;
}
""")
    for _ in range(20 if t.full else 5):
        r = t.clean(t.run_gated(program, options=["--order", "[//wait] -> //signal"]))
        t.equal(r.stdout, "waiting 1 woken 1\n", "no lost wake-up", r)


WORKERS = r"""
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
static char text[256];
static atomic_int length;
__attribute__((noinline)) static void put(char c)
{
	text[atomic_fetch_add(&length, 1)] = c;
}
static void *worker(void *arg)
{
	put((char)(long)arg); /* gate: in */
	put((char)((long)arg - 32)); /* gate: out */
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t[8];
	int n = argc > 1 ? atoi(argv[1]) : 3;
	for (long i = 0; i < n; i++)
		pthread_create(&t[i], NULL, worker, (void *)('a' + i));
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	printf("%s\n", text);
	return 0;
}
"""


def test_order_binds_threads(t):
    program = compile_text("workers.c", WORKERS)
    r = t.clean(t.run_gated(program, options=[
        "--order", "//out@worker#3 -> //in@worker#2, //out@worker#2 -> //in@worker#1"]))
    t.equal(r.stdout, "cCbBaA\n", "order of the workers", r)


def test_thread_option(t):
    program = compile_text("workers.c", WORKERS)
    script = '''
local three, two = SimpleGate "three", SimpleGate "two"
at("//in", {thread = "worker#1"}):wait(two)
at("//in", {thread = "worker#2"}):wait(three)
at("//out", {thread = "worker#2", after = true}):open(two)
at("//out", {thread = "work*#3", after = true}):open(three)
at("//out", {thread = "worker#?"}):run(function() end)
at("//in", {thread = "main", optional = true}):run(function() error "main never comes here" end)
'''
    r = t.clean(t.run_gated(program, script=script))
    t.equal(r.stdout, "cCbBaA\n", "order of the workers", r)
    t.equal([p["arrivals"] for p in r.report["places"]], [1, 1, 1, 1, 3, 0], "arrivals", r)


def test_thread_option_by_start_routine(t):
    r = t.clean(t.run_gated(compile_text("two.c", TWO), script='''
local seen = {}
at("put", {thread = "alpha"}):run(function(hit) assert(hit.thread.start == "alpha") end)
at("put", {thread = "beta"}):run(function(hit) assert(hit.thread.id == "beta#1") end)
'''))
    t.equal([p["arrivals"] for p in r.report["places"]], [3, 3], "arrivals", r)


def test_thread_names(t):
    """thread.name as given by pthread_setname_np, and the thread option matches it."""
    program = compile_text("names.c", r"""
#include <pthread.h>
#include <stdio.h>
static volatile int n;
static void *body(void *arg)
{
	pthread_setname_np(pthread_self(), arg);
	n++; /* gate: named */
	return arg;
}
int main(void)
{
	pthread_t t;
	const char *names[] = {"reader", "writer"};
	for (int i = 0; i < 2; i++) {
		pthread_create(&t, NULL, body, (void *)names[i]);
		pthread_join(t, NULL);
	}
	return 0;
}
""")
    r = t.run_gated(program, script='''
at("//named", {thread = "writer"}):run(function(hit) print(hit.thread.id, hit.thread.name, hit.thread.start) end)
''')
    t.equal(r.status, 0, "status", r)
    t.equal(r.err.split(), ["body#2", "writer", "body"], "thread", r)


def test_thread_names_change(t):
    """A thread is known by the name that it has when it arrives, whoever gave it: itself, another thread, a file, an exec."""
    program = compile_text("renamed.c", r"""
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
static volatile int n;
static pthread_barrier_t both;
static void here(void)
{
	n++; /* gate: here */
}
static void *body(void *arg)
{
	here();
	prctl(PR_SET_NAME, "its own");
	here();
	pthread_barrier_wait(&both);
	pthread_barrier_wait(&both);
	here();
	int file = open("/proc/thread-self/comm", O_WRONLY);
	if (write(file, "a file's", 8) != 8)
		return arg;
	here();
	prctl(PR_SET_NAME, "an exec's");
	execl(arg, arg, "again", NULL);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	if (argc > 1)
		here();
	if (argc == 2) {
		prctl(PR_SET_NAME, "an exec's");
		execl(argv[0], argv[0], "again", "and again", NULL);
	}
	if (argc > 1)
		return argc != 3;
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&thread, NULL, body, argv[0]);
	pthread_barrier_wait(&both);
	pthread_setname_np(thread, "another's");
	pthread_barrier_wait(&both);
	pthread_join(thread, NULL);
	return 1;
}
""")
    names = ["renamed", "its own", "another's", "a file's", "an exec's", "no one's"]
    r = t.run_gated(program, report=True, script="".join(
        f'at("//here", {{thread = "{name}", optional = true}}):run(function(hit) print(hit.thread.name) end)\n' for name in names))
    t.equal(r.status, 0, "status", r)
    t.equal(r.err.split("\n"), ["renamed", "its own", "another's", "a file's", "renamed", "renamed", ""], "names", r)
    t.equal([p["arrivals"] for p in r.report["places"]], [3, 1, 1, 1, 0, 0], "arrivals", r)


def test_std_thread_names(t):
    """For std::thread the start routine is what the user passed to it."""
    r = t.run_gated(compile_text("names.cc", r"""
#include <thread>
#include <cstdio>
static volatile int n;
__attribute__((noinline)) static void touch() { n = n + 1; /* gate: touch */ }
static void consumer(int) { touch(); }
struct Pump { void run() { touch(); } };
int main()
{
	std::thread a(consumer, 1); a.join();
	std::thread b(consumer, 2); b.join();
	Pump p;
	std::thread c(&Pump::run, &p); c.join();
	printf("%d\n", n);
}
"""), script='at "//touch":run(function(hit) print(hit.thread.id) end)\n')
    t.equal(r.status, 0, "status", r)
    t.equal(r.err.split(), ["consumer#1", "consumer#2", "Pump::run#1"], "ids", r)


def test_main_is_not_the_main_of_a_child(t):
    """thread = "main" is the program's first thread; that of a child is "p1/main"."""
    program = compile_text("forks.c", """
#include <sys/wait.h>
#include <unistd.h>
static volatile int n;
int main(void)
{
	if (fork() == 0) {
		n++; /* gate: child */
		_exit(0);
	}
	wait(NULL);
	n++; /* gate: parent */
	return 0;
}
""")
    r = t.clean(t.run_gated(program, script='''
at("//child", {thread = "p1/main"}):run(function() end)
at("//child", {thread = "main", optional = true}):run(function() error "of a child" end)
at("//parent", {thread = "main"}):run(function() end)
'''))


def test_child_names(t):
    """p1/main is the first child process, p2/main the second, their threads p2/worker#1."""
    r = t.run_gated(compile_text("family.c", r"""
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int n;
__attribute__((noinline)) static void touch(void) { n++; /* gate: touch */ }
static void *worker(void *arg) { touch(); return arg; }
int main(void)
{
	pthread_t t;
	touch();
	if (fork() == 0) {
		touch();
		_exit(0);
	}
	wait(NULL);
	if (fork() == 0) {
		pthread_create(&t, NULL, worker, NULL);
		pthread_join(t, NULL);
		_exit(0);
	}
	wait(NULL);
	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	return 0;
}
"""), script='at "//touch":run(function(hit) print(hit.thread.id) end)\n')
    t.equal(r.status, 0, "status", r)
    t.equal(r.err.split(), ["main", "p1/main", "p2/worker#1", "worker#1"], "ids", r)


@params(2, 5)
def test_barrier_gate(t, n):
    """Nobody goes past the barrier before all have come; it stays open afterwards."""
    program = compile_text("workers.c", WORKERS)
    r = t.clean(t.run_gated(program, args=(str(n),), script='''
local b = BarrierGate("all in", %d)
at "//out":wait(b)
''' % n))
    t.check(r.stdout[:n].islower() and r.stdout[n:2 * n].isupper(), "all in before one is out", r)
    t.equal(r.report["gates"][0]["open"], True, "open in the report", r)


def test_barrier_serial(t):
    """serial: past the barrier one after the other, each when the one before has ended."""
    program = compile_text("workers.c", WORKERS)
    for _ in range(20 if t.full else 5):
        r = t.clean(t.run_gated(program, args=("4",), script='''
local b = BarrierGate("turns", 4, {serial = true})
at "//in":wait(b)
'''))
        pairs = [r.stdout[i:i + 2] for i in range(0, 8, 2)]
        t.check(all(p[0].upper() == p[1] for p in pairs), "one at a time", r)
        t.equal(sorted(p[0] for p in pairs), list("abcd"), "each once", r)


def test_barrier_too_many(t):
    """A barrier of more threads than there are: nobody can move, at once."""
    r = t.run_gated(compile_text("workers.c", WORKERS), args=("3",), script='''
local b = BarrierGate("four", 4)
at "//in":wait(b)
''')
    t.verdict(r, 122)
    t.check(r.spent < 5, "verdict comes at once", r)


def test_gate_type(t):
    """A tester's own type: init's arguments, ready asked again, passed and opened called."""
    r = t.run_gated(compile_text("workers.c", WORKERS), args=("3",), script='''
local Slots = Gate.type "Slots"
function Slots:init(n) self.free = n end
function Slots:ready(hit) return self.free > 0 end
function Slots:passed(hit) self.free = self.free - 1; print("passed " .. hit.thread.id) end
function Slots:opened() self.free = self.free + 1; print("opened", self.is_open, self.name) end
local s = Slots("slots", 1)
at "//in":wait(s)
at("//out", {after = true}):open(s)
''')
    t.equal(r.status, 0, "status", r)
    pairs = [r.stdout[i:i + 2] for i in range(0, 6, 2)]
    t.check(all(p[0].upper() == p[1] for p in pairs), "one at a time", r)
    t.equal(r.err.count("passed worker#"), 3, "calls of passed", r)
    t.equal(r.err.count("opened\ttrue\tslots") or r.err.count("opened true slots"), 3,
            "calls of opened", r)
    t.equal(r.report["gates"][0]["kind"], "Slots", "kind in the report", r)


def test_globals_of_a_script(t):
    """A global that the script sets somewhere, or only looks for, is nil until it is set; others are misspelt."""
    program = compile_text("workers.c", WORKERS)
    r = t.run_gated(program, args=("3",), script='''
assert(io == nil and not os)
at "//in":run(function(hit) n = (n or 0) + 1 if DEBUG then print(n) end end)
expect(function(run) return n == 3 end, "three arrivals")
warn "@on" warn("three ", "are expected")
''')
    t.equal((r.status, r.err), (0, "gatectl: warning: three are expected\n"), "outcome", r)
    r = t.run_gated(program, args=("3",), script='at "//in":run(function(hit) n = (m or 0) + o end)')
    t.error(r, where=r"gates\d+\.lua:1: undefined name 'o'")


def test_ready_still_decides(t):
    """open() on a tester's type does not let threads through while ready says no."""
    r = t.run_gated(compile_text("workers.c", WORKERS), args=("2",), options=["--gate-limit", "0.5"],
                    script='''
local Never = Gate.type "Never"
function Never:ready(hit) return false end
local g = Never "no"
at("//in", {thread = "worker#1"}):wait(g)
at("//in", {thread = "worker#2"}):open(g)
''')
    t.check(r.status in (121, 122), "held for ever", r)


def test_when_is_asked_again(t):
    r = t.clean(t.run_gated(compile_text("workers.c", WORKERS), args=("3",), script='''
local out = 0
at("//out", {after = true}):run(function() out = out + 1 end)
at("//in", {thread = "worker#1"}):when(function() return out == 2 end)
at("//in", {thread = "worker#2"}):when(function() return out == 1 end)
'''))
    t.equal(r.stdout, "cCbBaA\n", "order", r)


def test_run_waits_inside(t):
    r = t.clean(t.run_gated(compile_text("workers.c", WORKERS), args=("3",), script='''
local g, out = SimpleGate "g", 0
at("//out", {after = true}):run(function(hit)
  out = out + 1
  if out == 2 then g:open() end
end)
at("//in", {thread = "worker#1"}):run(function() g:wait() end)
at("//in", {thread = "worker#2"}):run(function() wait_until(function() return out == 1 end) end)
'''))
    t.equal(r.stdout, "cCbBaA\n", "order", r)


def test_verbs_in_the_order_written(t):
    """Verbs of one place, then the next place at the same location."""
    r = t.run_gated(compile_text("workers.c", WORKERS), args=("1",), script='''
at "//in":run(function() print "1" end):log "2":run(function() print "3" end)
at "//in":log "4"
at "//in":run(function() print "5" end)
''')
    t.equal(r.status, 0, "status", r)
    t.equal([l[-1] for l in r.err.splitlines()], list("12345"), "lines", r)


def test_log(t):
    r = t.run_gated(compile_text("workers.c", WORKERS), args=("2",), script='''
at("//in", {thread = "worker#2"}):log "thread {hit.thread.id} count {hit.count} sum {1 + 2} brace {{}}"
''')
    t.equal(r.status, 0, "status", r)
    t.check("thread worker#2 count 1 sum 3 brace {}" in r.err, "line of the log", r)
    t.equal(r.stdout[-1:], "\n", "stdout untouched", r)


def test_print_goes_to_stderr(t):
    r = t.run_gated(compile_text("workers.c", WORKERS), args=("1",), script='''
print("at load", 1, nil, true)
at "//in":run(function(hit) print(hit.file:match("[^/]*$"), hit.line, hit.func, hit.count) end)
''')
    t.equal(r.status, 0, "status", r)
    line = 1 + WORKERS.splitlines().index("\tput((char)(long)arg); /* gate: in */")
    t.equal([l.split() for l in r.err.splitlines()],
            [["at", "load", "1", "nil", "true"], ["workers.c", str(line), "worker", "1"]],
            "printed", r)
    t.equal(r.stdout, "aA\n", "stdout", r)


@params("", '"SIGABRT"', '"TERM"', "6")
def test_kill(t, signal):
    status = {"": 137, '"SIGABRT"': 134, '"TERM"': 143, "6": 134}[signal]
    program = compile_text("killed.c", r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
static void nothing(int sig) { (void)sig; }
int main(void)
{
	struct rlimit none = {0, 0};
	setrlimit(RLIMIT_CORE, &none);
	signal(SIGTERM, nothing);
	printf("before\n");
	fflush(stdout); /* gate: flush */
	printf("never\n"); /* gate: die */
	return 0;
}
""")
    r = t.run_gated(program, script='at "//die":kill(%s)\n' % signal)
    t.equal(r.stdout, "before\n", "stdout", r)
    if signal == '"TERM"':
        t.check(r.status == 143, "dies although SIGTERM is handled: the program dies here", r)
    else:
        t.clean(r, status)


def test_kill_with_expect(t):
    r = t.clean(t.run_gated(compile_text("workers.c", WORKERS), args=("2",), script='''
at("//out", {thread = "worker#2"}):kill "SIGKILL"
expect { signal = "SIGKILL" }
'''))
    t.equal(r.stdout, "", "stdout", r)


def test_after(t):
    r = t.run_gated(compile_text("two.c", TWO), script='''
local n = 0
at("put", {thread = "alpha#1"}):run(function() n = n + 1 end)
at "//a2":run(function() print("before", n) end)
at("//a2", {after = true}):run(function() print("after", n) end)
''')
    t.equal(r.status, 0, "status", r)
    t.equal(r.err.split(), ["before", "1", "after", "2"], "calls inside the statement", r)


def test_optional(t):
    program = compile_text("branch.c", r"""
#include <stdio.h>
int main(int argc, char **argv)
{
	if (argc > 5)
		printf("never\n"); /* gate: never */
	return 0;
}
""")
    t.clean(t.run_gated(program, script='at("//never", {optional = true}):run(function() end)\n'))
    t.verdict(t.run_gated(program, script='at "//never":run(function() end)\n'), 120)


# ---- events -------------------------------------------------------------------------------------

EVENTS = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int n, signals;
static void on_signal(int sig) { (void)sig; signals++; }
static void *worker(void *arg) { n++; return arg; }
int main(void)
{
	pthread_t t;
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
	for (int i = 0; i < 3; i++) {
		pthread_create(&t, NULL, worker, NULL);
		pthread_join(t, NULL);
		raise(SIGUSR1);
	}
	raise(SIGUSR2);
	for (int i = 0; i < 2; i++) {
		if (fork() == 0) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		wait(NULL);
	}
	printf("n %d signals %d\n", n, signals);
	return 0;
}
"""


@params(("thread-start", '{thread = "worker#*"}', 3), ("thread-exit", '{thread = "worker"}', 3),
        ("exit", '{thread = "main", hit = 1}', None), ("fork", "nil", 2), ("fork", '{thread = "main"}', 2),
        ("exec", "nil", 2), ("signal", '{signal = "SIGUSR1"}', 3), ("signal", "{signal = 12}", 1),
        ("signal", '{thread = "main", signal = "USR1", hit = 2}', None))
def test_event_counts(t, case):
    event, options, count = case
    r = t.run_gated(compile_text("events.c", EVENTS), script='''
on("%s", %s):run(function(hit) print(hit.thread.id) end)
''' % (event, options))
    t.equal(r.status, 0, "status", r)
    t.equal(r.stdout, "n 3 signals 4\n", "stdout", r)
    if count is not None:
        t.equal(len(r.err.splitlines()), count, "calls", r)
        t.arrivals(r, event, count)
    else:
        t.equal(len(r.err.splitlines()), 1, "calls", r)


def test_thread_start_of_main_is_explained(t):
    """Main of a child process is started, that of the program is there from the beginning; it is said what to do."""
    program = compile_text("events.c", EVENTS)
    t.clean(t.run_gated(program, script='on("thread-start", {thread = "p1/main"}):run(function() end)\n'))
    r = t.run_gated(program, script='on("thread-start", {thread = "main"}):run(function() end)\n')
    t.verdict(r, 120)
    t.check('try: at "main": the main thread exists from the beginning, and no thread starts it\n' in r.err, "what to do", r)
    t.clean(t.run_gated(program, script='at("main", {thread = "main"}):run(function() end)\n'))


def test_event_load(t):
    target = Target("dlopen_loop").build()
    r = t.clean(t.run_gated(target.path, script='on("load", {object = "libplug.so"}):run(function() end)\n'))
    t.arrivals(r, "load", 20)
    t.verdict(t.run_gated(target.path, script='on("load", {object = "libnothing.so"}):run(function() end)\n'),
              120)


def test_event_load_at_start(t):
    """A library that the program is linked with is loaded, too."""
    target = Target("linked_so").build()
    r = t.clean(t.run_gated(target.path, script='on("load", {object = "libctor.so"}):run(function() end)\n'))
    t.arrivals(r, "load", 1)


def test_event_throw(t):
    program = compile_text("throws.cc", r"""
#include <cstdio>
#include <stdexcept>
int main()
{
	int caught = 0;
	for (int i = 0; i < 5; i++) {
		try {
			if (i % 2) throw std::runtime_error("x"); else throw i;
		} catch (int) {
			caught++;
		} catch (...) {
			caught += 10;
		}
	}
	printf("%d\n", caught);
}
""")
    r = t.clean(t.run_gated(program, script='on "throw":run(function() end)\n'))
    t.equal(r.stdout, "23\n", "stdout", r)
    t.arrivals(r, "throw", 5)


def test_event_throw_static(t):
    program = compile_text("throws.cc", r"""
#include <cstdio>
int main()
{
	try { throw 1; } catch (int n) { printf("%d\n", n); }
}
""", "-g -static")
    r = t.clean(t.run_gated(program, script='on "throw":run(function() end)\n'))
    t.arrivals(r, "throw", 1)


def test_event_never(t):
    program = compile_text("quiet.c", "int main(void) { return 0; }\n")
    for event in ("fork", "exec", "signal", "throw", "thread-start"):
        r = t.run_gated(program, script='on "%s":run(function() end)\n' % event)
        t.check(r.status in (120, 125) if event == "throw" else r.status == 120, event, r)
        t.clean(t.run_gated(program, script='on("%s", {optional = true}):run(function() end)\n' % event))


def test_thread_start_can_hold(t):
    """worker#2 does not execute its first instruction before worker#3 has ended."""
    r = t.clean(t.run_gated(compile_text("workers.c", WORKERS), args=("3",), script='''
local g, h = SimpleGate "three ended", SimpleGate "two ended"
on("thread-start", {thread = "worker#2"}):wait(g)
on("thread-exit", {thread = "worker#3"}):open(g)
on("thread-start", {thread = "worker#1"}):wait(h)
on("thread-exit", {thread = "worker#2"}):open(h)
'''))
    t.equal(r.stdout, "cCbBaA\n", "order", r)


@params("return 3", "exit(3)", "_exit(3)", "syscall(SYS_exit_group, 3)")
def test_exit_can_hold(t, how):
    """The thread that ends the process is held while the others still run."""
    program = compile_text("leaving.c", r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static void *late(void *arg)
{
	usleep(100000);
	if (write(1, "late\n", 5) != 5) /* gate: late */
		perror("write");
	return arg; /* gate: written */
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, late, NULL);
	%s;
}
""" % how)
    r = t.clean(t.run_gated(program, script='''
local g = SimpleGate "late has written"
on("exit", {thread = "main"}):wait(g)
at "//written":open(g)
'''), 3)
    t.equal(r.stdout, "late\n", "the other thread ran on", r)


def test_signal_can_hold(t):
    program = compile_text("signalled.c", r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile int order[4], n;
static void on_usr1(int sig) { (void)sig; order[n++] = 1; }
static void *other(void *arg)
{
	order[n++] = 2;
	return arg; /* gate: done */
}
int main(void)
{
	pthread_t t;
	signal(SIGUSR1, on_usr1);
	pthread_create(&t, NULL, other, NULL);
	raise(SIGUSR1);
	pthread_join(t, NULL);
	printf("%d %d\n", order[0], order[1]);
	return 0;
}
""")
    for _ in range(5):
        r = t.clean(t.run_gated(program, script='''
local g = SimpleGate "other is done"
on("signal", {signal = "SIGUSR1"}):wait(g)
at "//done":open(g)
'''))
        t.equal(r.stdout, "2 1\n", "delivered after", r)


def test_fork_can_hold(t):
    """Held at a fork event in the parent while its child runs."""
    program = compile_text("forked.c", r"""
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	volatile int *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (fork() == 0) {
		usleep(50000);
		*shared = 7;
		_exit(0); /* gate: stored */
	}
	printf("%d\n", *shared);
	wait(NULL);
	return 0;
}
""")
    r = t.clean(t.run_gated(program, script='''
local g = SimpleGate "child has stored"
on("fork", {thread = "main"}):wait(g)
at("//stored", {thread = "p1/main"}):open(g)
'''))
    t.equal(r.stdout, "7\n", "stdout", r)


def test_gate_across_processes(t):
    """One gate holds a thread of the parent until a child's thread opens it, and the other way."""
    program = compile_text("across.c", r"""
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile char *text;
static volatile int *length;
__attribute__((noinline)) static void put(char c) { text[(*length)++] = c; }
int main(void)
{
	text = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	length = (volatile int *)(text + 2048);
	if (fork() == 0) {
		put('a'); /* gate: c1 */
		put('b'); /* gate: c2 */
		_exit(0);
	}
	put('A'); /* gate: p1 */
	put('B'); /* gate: p2 */
	wait(NULL);
	printf("%s\n", (char *)text);
	return 0;
}
""")
    for order, text in (("//p2 -> //c1", "ABab"), ("//c2 -> //p1", "abAB"),
                        ("//c1 -> //p1 -> //c2 -> //p2", "aAbB")):
        r = t.clean(t.run_gated(program, options=["--order", order]))
        t.equal(r.stdout, text + "\n", order, r)


def test_elide_sleep(t):
    program = compile_text("sleeps.c", r"""
#include <stdio.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
	unsigned left = sleep(30); /* gate: sleep */
	int u = usleep(900000); /* gate: usleep */
	struct timespec ts = {20, 0};
	int n = nanosleep(&ts, NULL); /* gate: nano */
	printf("%u %d %d\n", left, u, n);
	return 0;
}
""")
    r = t.clean(t.run_gated(program, script='''
elide_sleep "//sleep"
elide_sleep "//usleep"
elide_sleep "//nano"
'''))
    t.equal(r.stdout, "0 0 0\n", "as if it had slept", r)
    t.check(r.spent < 8, "it did not sleep", r)


# ---- the script's world --------------------------------------------------------------------------

def test_require_beside_the_script(t):
    t.file("helper.lua", 'local m = {}\nfunction m.place(g) at "//in":wait(g) end\nreturn m\n')
    script = t.file("main.lua", '''
local helper = require "helper"
local g = SimpleGate "g"
helper.place(g)
on("thread-start", {thread = "worker#1"}):open(g)
''')
    r = t.clean(t.gate("run", "-g", script, "--", compile_text("workers.c", WORKERS), "2"))
    t.equal(sorted(r.stdout.strip()), list("ABab"), "stdout", r)


@params("%s/mod", "../%s/mod", "./mod")
def test_require_stays_beside_the_script(t, name):
    """However the script is named."""
    folder = os.path.dirname(t.file("mod.lua", "print 'loaded'\n"))
    name = name.replace("%s", folder if name.startswith("%") else os.path.basename(folder))
    script = t.file("main.lua", 'require "%s"\n' % name)
    program = compile_text("workers.c", WORKERS)
    for called in ("main.lua", script):
        r = t.gate("run", "-g", called, "--", program, cwd=folder)
        t.error(r, where="main.lua:1: module '%s': only files beside the script" % name)
        t.check("loaded" not in r.err, "nothing is loaded", r)
    sub = os.path.join(folder, "sub")
    os.makedirs(sub, exist_ok=True)
    os.replace(os.path.join(folder, "mod.lua"), os.path.join(sub, "mod.lua"))
    t.file("main.lua", 'require "sub.mod"\n')
    for called in ("main.lua", script):
        r = t.gate("run", "-g", called, "--", program, cwd=folder)
        t.equal((r.status, r.err.count("loaded")), (0, 1), "a file in a folder beside it", r)


def test_several_scripts(t):
    one = t.file("one.lua", 'local g = SimpleGate "g"\nat "//in":open(g)\n')
    two = t.file("two.lua", 'at "//out":run(function() end)\nexpect { exit = 0 }\n')
    t.clean(t.gate("run", "-g", one, "--gates=" + two, "--", compile_text("workers.c", WORKERS)))


def test_no_io_no_os(t):
    r = t.run_gated(compile_text("workers.c", WORKERS), script='''
for _, name in ipairs {"io", "os", "dofile", "loadfile", "debug"} do
  print(select(2, pcall(function() return type(_G[name]) end)) == "table" and name or "nil")
end
print(type(string), type(table), type(math), type(utf8), type(coroutine), type(require))
''')
    t.equal(r.status, 0, "status", r)
    t.equal(r.err.split(), ["nil"] * 5 + ["table"] * 5 + ["function"], "the world of a script", r)


def test_verbose(t):
    """-v: a line on stderr for what happens; stdout is the program's all the same."""
    r = t.run_gated(compile_text("two.c", TWO), options=["-v"], script='''
local g = SimpleGate "the gate"
at "//a1":wait(g)
at("//b3", {after = true}):open(g)
''')
    t.equal((r.status, r.stdout), (0, "xyz123\n"), "outcome", r)
    t.check("the gate" in r.err and "alpha#1" in r.err and "beta#1" in r.err, "lines", r)
