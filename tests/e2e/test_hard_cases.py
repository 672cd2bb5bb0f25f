"""Cases that once went wrong: each is the smallest program that showed it."""

import os

from harness import compile_text, params

BUILDS = ("gcc -O0", "gcc -O1", "gcc -O2", "gcc -O3 -funroll-loops", "clang -O0", "clang -O1", "clang -O2",
          "clang -O3")


def build(name, text, options, extra=""):
    compiler, flags = options.split(" ", 1)
    return compile_text(name, text, "-g %s %s" % (flags, extra), compiler=compiler)


LOOP = r"""
#include <stdio.h>
volatile int a, b;
int main(void)
{
	for (int i = 0; i < 40; i++) {
		a += i; /* gate: one */
		b += 2; /* gate: two */
	}
	printf("%d %d\n", a, b);
	return 0;
}
"""


@params(*BUILDS)
def test_every_copy_of_an_unrolled_loop(t, options):
    r = t.run_gated(build("loop.c", LOOP, options),
                    script='at "//one":run(function() end)\nat "//two":run(function() end)\n')
    t.clean(r)
    t.arrivals(r, "//one", 40)
    t.arrivals(r, "//two", 40)


STARVING = r"""
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
enum { HAMMERS = 16 };
static volatile int stop, n[HAMMERS], m;
static void *hammer(void *arg)
{
	volatile int *mine = arg;
	while (!stop)
		++*mine; /* gate: hot */
	return arg;
}
static void *work(void *arg)
{
	for (int i = 0; i < HAMMERS; i++)
		while (!n[i])
			sched_yield();
	for (int i = 0; i < 300; i++)
		m++; /* gate: mine */
	stop = 1;
	return arg;
}
int main(void)
{
	pthread_t t[HAMMERS];
	pthread_create(&t[0], NULL, work, NULL);
	for (int i = 1; i < HAMMERS; i++)
		pthread_create(&t[i], NULL, hammer, (void *)&n[i]);
	hammer((void *)&n[0]);
	for (int i = 0; i < HAMMERS; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", m);
	return 0;
}
"""


def test_no_thread_starves(t):
    """Threads that run into their traps all the time leave room for one that has 300 to pass."""
    r = t.run_gated(compile_text("starving.c", STARVING),
                    script='at "//hot":run(function() end)\nat "//mine":run(function() end)\n', report=True)
    t.clean(r)
    t.arrivals(r, "//mine", 300)


ADJACENT = r"""
#include <pthread.h>
#include <stdio.h>
static volatile int x, y, seen;
static void *writer(void *arg)
{
	x = 1; /* gate: first */
	y = 1; /* gate: second */
	return arg;
}
static void *reader(void *arg)
{
	seen = x * 10 + y; /* gate: between */
	return arg;
}
int main(void)
{
	pthread_t w, r;
	pthread_create(&w, NULL, writer, NULL);
	pthread_create(&r, NULL, reader, NULL);
	pthread_join(w, NULL);
	pthread_join(r, NULL);
	printf("%d\n", seen);
	return 0;
}
"""


@params("//first -> //between, //between -> //second", "//between -> //second, //first -> //between")
def test_order_between_neighbours(t, order):
    """The end of a statement comes before the begin of the next, in whatever order they are written."""
    r = t.run_gated(compile_text("adjacent.c", ADJACENT), script='order "%s"\n' % order)
    t.clean(r)
    t.equal(r.stdout, "10\n", "stdout", r)


PROLOGUE = r"""
#include <pthread.h>
#include <stdio.h>
extern int use(int a, int b);
static int __attribute__((noinline)) callee(int a)
{
	return use(a, 1) + use(a, 2) + a;
}
static int __attribute__((noinline)) depth(int n)
{
	int r = callee(n); /* gate: call */
	if (n > 0)
		r += depth(n - 1);
	return r; /* gate: last */
}
__attribute__((noinline)) int use(int a, int b)
{
	__asm__ volatile("" ::: "memory");
	return a + b;
}
int main(void)
{
	printf("%d\n", depth(9));
	return 0;
}
"""


@params(*BUILDS)
def test_after_in_every_frame(t, options):
    """`after` is counted once for each execution, in recursion, wherever the prologue is."""
    r = t.run_gated(build("prologue.c", PROLOGUE, options),
                    script='at("//call", {after = true}):run(function() end)\n'
                           'at("callee", {after = true}):run(function() end)\n')
    t.clean(r)
    t.equal([p["arrivals"] for p in r.report["places"]], [10, 10], "arrivals", r)


LIBRARY = "#include <stdio.h>\nvoid plug(void)\n{\n\tputs(\"plugged\");\n}\n"
LOADER = r"""
#include <dlfcn.h>
int main(int argc, char **argv)
{
	void *h = dlopen(argv[1], RTLD_NOW);
	void (*f)(void) = h && argc > 1 ? (void (*)(void))dlsym(h, "plug") : 0;
	if (!f)
		return 9;
	f();
	return 0;
}
"""


def test_library_with_a_relative_name(t):
    library = compile_text("libplug.c", LIBRARY, "-g -shared -fPIC")
    os.symlink(library, t.path("libplug.so"))
    r = t.run_gated(compile_text("loader.c", LOADER, "-g", libs="-ldl"), args=("./libplug.so",), cwd=t.tmp,
                    script='at "libplug.so!plug":run(function() end)\n')
    t.clean(r)
    t.arrivals(r, "libplug.so!plug", 1)


LAMBDA = r"""
#include <algorithm>
#include <cstdio>
static int run(int *v, int n)
{
	int big = 0;
	std::for_each(v, v + n, [&](int x) { if (x > 2) big++; }); /* gate: line */
	return big;
}
int main()
{
	int v[] = {1, 2, 3, 4, 5};
	std::printf("%d\n", run(v, 5));
	return 0;
}
"""


@params("gcc -O0", "gcc -O2", "clang -O0")
def test_statement_with_a_lambda(t, options):
    compiler, flags = options.split()
    program = compile_text("lambda.cc", LAMBDA, "-g " + flags, compiler=compiler)
    r = t.run_gated(program, script='at "run;for_each":run(function() end)\n')
    t.clean(r)
    t.arrivals(r, "run;for_each", 1)


ASYNC = r"""
#include <future>
#include <cstdio>
#include <thread>
static int twice(int a) { return 2 * a; }
struct Queue { void drain(int) {} };
int main()
{
	Queue q;
	std::thread member(&Queue::drain, &q, 3);
	member.join();
	auto f = std::async(std::launch::async, twice, 21);
	std::printf("%d\n", f.get());
	return 0;
}
"""


def test_names_of_start_routines_that_were_passed(t):
    r = t.run_gated(compile_text("async.cc", ASYNC, "-g"), script="")
    t.clean(r)
    t.equal([x["id"] for x in r.report["threads"]], ["main", "Queue::drain#1", "twice#1"], "ids", r)


PENDING = r"""
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int n;
int main(void)
{
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		n++; /* gate: held */
		_exit(0);
	}
	usleep(100000);
	kill(pid, SIGTERM);
	waitpid(pid, &status, 0);
	printf("%d\n", WIFSIGNALED(status) ? WTERMSIG(status) : -1);
	return 0;
}
"""


def test_fatal_signal_to_a_held_process(t):
    """Held threads do not keep a process alive, also where there is no other thread to take it."""
    r = t.run_gated(compile_text("pending.c", PENDING),
                    script='local g = SimpleGate "never"\nat "//held":wait(g)\n')
    t.equal((r.status, r.stdout), (0, "15\n"), "outcome", r)


WATCHED = r"""
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static sem_t s;
static volatile int handled, done;
static void handler(int sig)
{
	handled += sig != 0;
}
static void *taker(void *arg)
{
	struct timespec t = {0, 30000000};
	pthread_kill(*(pthread_t *)arg, SIGUSR1);
	nanosleep(&t, NULL);
	while (sem_wait(&s)) /* gate: take */
		;
	return arg;
}
int main(void)
{
	pthread_t t, self = pthread_self();
	signal(SIGUSR1, handler);
	pthread_create(&t, NULL, taker, &self);
	for (int i = 0; i < 3; i++) {
		pthread_kill(t, SIGUSR1);
		usleep(2000);
	}
	done = 1; /* gate: give */
	sem_post(&s);
	pthread_join(t, NULL);
	puts("done");
	return 0;
}
"""


def test_blocked_after_signals(t):
    """A signal on the way does not make [c] forget the thread."""
    r = t.run_gated(compile_text("watched.c", WATCHED), script='order "[//take] -> //give"\n')
    t.clean(r)
    t.equal(r.stdout, "done\n", "stdout", r)


COPY_IN_PROLOGUE = r"""
#include <stdio.h>
static volatile int one = 1;
#define SAY(x) printf("%s = %lld\n", #x, (long long)(x))
static __attribute__((noinline)) void gate(const char *name)
{
	printf("@%s\n", name);
	fflush(stdout);
}
static inline __attribute__((always_inline)) int copied(int k, int seed)
{
	int local = k * 3 + seed;
	struct { int x, y; } pair = { local, k };

	gate("copied"); /* gate: copied */
	SAY(k);
	SAY(local);
	SAY(pair.x);
	SAY(pair.y);
	return local;
}
static __attribute__((noinline)) void copies(int seed)
{
	int sum = copied(4, seed);

	sum += copied(sum, one);
	gate("copies");
	SAY(sum);
	SAY(seed);
}
int main(int argc, char **argv)
{
	(void)argv;
	copies(argc + one);
	copies(one);
	return 0;
}
"""


@params(*BUILDS)
def test_copy_that_is_mixed_with_a_prologue(t, options):
    """gcc says that some instructions of the copy are of the function around it."""
    r = t.run_gated(build("prologue.c", COPY_IN_PROLOGUE, options),
                    script='at "//copied":run(function(hit) print(hit.func, select(2, pcall(function()'
                           ' return hit.var.k end))) end)\n')
    t.clean(r)
    t.arrivals(r, "//copied", 4)
    for line, k in zip(r.err.splitlines(), (4, 14, 4, 13)):
        t.check(line == "copied\t%d" % k or "optimised out at this line" in line, line, r)


LAMBDA_IN_SORT = r"""
#include <algorithm>
#include <vector>
#include <cstdio>
#include <cstdlib>
volatile int sink;
static __attribute__((noinline)) int sorts(int n)
{
	std::vector<int> v;
	for (int i = 0; i < n; i++) v.push_back((i * 7919) % 1009);
	std::sort(v.begin(), v.end(), [](int a, int b) {
		sink = sink + 1; // gate: lambda
		return a < b;
	});
	return v[0] + v[n / 2];
}
int main(int argc, char **argv) { int r = 0; for (int i = 1; i < 200; i += 13) r += sorts(i); printf("%d %d\n", sink, r); return 0; }
"""


@params(*BUILDS)
def test_lambda_inlined_into_a_library(t, options):
    """Instructions of the lambda are mixed with those of std::sort; loops are rotated."""
    compiler, flags = options.replace("gcc", "g++").replace("clang", "clang++").split(" ", 1)
    program = compile_text("lambda_sort.cc", LAMBDA_IN_SORT, "-g " + flags, compiler=compiler)
    r = t.clean(t.run_gated(program, script='at "//lambda":run(function() end)\n'))
    t.arrivals(r, "//lambda", int(r.stdout.split()[0]))


ONE_LINE_FUNCTIONS = r"""
#include <cstdio>
struct Queue {
	int n = 41;
	int size() const { return n; } // gate: size
	void push(int v) { n += v; } // gate: push
};
static int twice(int k) { return k * 2; } // gate: twice
int main()
{
	Queue q;
	q.push(q.size());
	printf("%d %d\n", q.n, twice(q.n));
	return 0;
}
"""


@params("g++ -O0", "g++ -Og", "clang++ -O0")
def test_function_on_one_line(t, options):
    """The line on which a function begins: its arguments are where the debug information says."""
    program = build("one_line.cc", ONE_LINE_FUNCTIONS, options, "-fno-inline")
    r = t.clean(t.run_gated(program, script='''
at "//size":run(function(hit) print("size", hit.var.n) end)
at "//push":run(function(hit) print("push", hit.var.v, hit.var.this.n) end)
at "//twice":run(function(hit) print("twice", hit.var.k) end)
'''))
    t.equal(r.err, "size\t41\npush\t41\t41\ntwice\t82\n", "what was read", r)


RETURN_AND_DESTRUCTOR = r"""
#include <cstdio>
#include <deque>
#include <mutex>
class Account
{
	int balance_ = 100;
	std::mutex mutex_;
	std::deque<int> all_;

public:
	__attribute__((noinline)) int withdraw(int amount)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		int rest = amount * 2;
		all_.push_back(amount);
		return rest + balance_; // gate: returns
	}
};
int main()
{
	Account a;
	int first = a.withdraw(30);
	printf("%d %d\n", first, a.withdraw(40));
	return 0;
}
"""


@params("g++ -O0", "g++ -O2", "clang++ -O0", "clang++ -O2")
def test_return_with_a_destructor_between(t, options):
    """gcc goes back to the line behind the destructor, to hand the value over."""
    r = t.clean(t.run_gated(build("returns.cc", RETURN_AND_DESTRUCTOR, options),
                            script='at "//returns":run(function() end)\n'))
    t.arrivals(r, "//returns", 2)
