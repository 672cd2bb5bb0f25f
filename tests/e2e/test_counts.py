"""No arrival is lost and none is counted twice, whatever happens around the trapped line."""

from harness import compile_text, params

HAMMER = r"""
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long rounds;
static atomic_int ticks, forks, stop;
static volatile long sums[8];
static char *mode;

static void on_alarm(int sig)
{
	(void)sig;
	atomic_fetch_add(&ticks, 1);
}

static long sum(void)
{
	long all = 0;

	for (int i = 0; i < 8; i++)
		all += sums[i];
	return all;
}

/* Each 100 us, if somebody has come further: a timer leaves no time for the program where a signal takes longer than its
 * period, as it may under ptrace. */
static void *ticker(void *arg)
{
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	for (int sent = 1; !atomic_load(&stop); sent++) {
		long before = sum();

		kill(getpid(), SIGALRM);
		while (!atomic_load(&stop) && (atomic_load(&ticks) < sent || sum() == before))
			usleep(100);
	}
	return arg;
}

static void *hammer(void *arg)
{
	volatile long *n = arg;
	for (long i = 0; i < rounds; i++)
		*n += 1; /* gate: hot */
	return NULL;
}

static void *forker(void *arg)
{
	while (!atomic_load(&stop)) {
		int status = 0;
		pid_t pid = fork();
		if (pid == 0) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		while (waitpid(pid, &status, 0) != pid)
			;
		if (status == 0)
			atomic_fetch_add(&forks, 1);
		usleep(1000);
	}
	return arg;
}

int main(int argc, char **argv)
{
	int threads = atoi(argv[1]);
	pthread_t t[8], f, k;
	rounds = atol(argv[2]);
	mode = argc > 3 ? argv[3] : "";
	if (strstr(mode, "ticks")) {
		struct sigaction sa = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
		sigaction(SIGALRM, &sa, NULL);
		pthread_create(&k, NULL, ticker, NULL);
	}
	if (strstr(mode, "fork"))
		pthread_create(&f, NULL, forker, NULL);
	for (int i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, hammer, (void *)&sums[i]);
	for (int i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	atomic_store(&stop, 1);
	if (strstr(mode, "fork"))
		pthread_join(f, NULL);
	if (strstr(mode, "ticks"))
		pthread_join(k, NULL);
	printf("%ld\n", sum());
	return 0;
}
"""

SCRIPTS = {
    "run": 'at "//hot":run(function() end)\n',
    "wait": 'local Free = Gate.type "Free"\nfunction Free:ready() return true end\nat "//hot":wait(Free "g")\n',
    "when": 'at "//hot":when(function() return true end)\n',
}


def hammer(t, flags, script, threads, n, mode=""):
    program = compile_text("hammer.c", HAMMER, flags)
    r = t.run_gated(program, script=script, args=(str(threads), str(n), mode), seconds=600)
    t.clean(r)
    t.equal(r.stdout, "%d\n" % (threads * n), "the program's own sum", r)
    t.arrivals(r, "//hot", threads * n)
    return r


def rounds(t):
    return 200000 if t.full else 20000


@params("run", "wait", "when")
def test_two_threads(t, kind):
    hammer(t, "-g -O0", SCRIPTS[kind], 2, rounds(t))


@params("gcc -O2", "clang -O0", "clang -O2")
def test_two_threads_built(t, build):
    compiler, opt = build.split()
    # clang gives all copies of an unrolled line one row: nobody could count them apart
    flags = "-g " + opt + (" -fno-unroll-loops" if compiler == "clang" else "")
    program = compile_text("hammer.c", HAMMER, flags, compiler=compiler)
    n = rounds(t)
    r = t.run_gated(program, script=SCRIPTS["run"], args=("2", str(n)), seconds=600)
    t.clean(r)
    t.arrivals(r, "//hot", 2 * n)


def test_with_signals(t):
    hammer(t, "-g -O0", SCRIPTS["run"], 2, rounds(t), "ticks")


def test_with_fork_exec(t):
    hammer(t, "-g -O0", SCRIPTS["run"], 2, rounds(t), "fork")


def test_with_all(t):
    hammer(t, "-g -O0", SCRIPTS["run"], 4, rounds(t) // 2, "ticks fork")


def test_hit_count_is_exact(t):
    """hit.count as the script sees it: 1, 2, 3 ... without a hole, whichever thread it is."""
    script = '''
local n = 0
at "//hot":run(function(hit)
  n = n + 1
  if hit.count ~= n then error("count " .. hit.count .. ", arrival " .. n) end
end)
'''
    hammer(t, "-g -O0", script, 3, rounds(t) // 4)


def test_each_thread_counted_alone(t):
    """The thread option: three places at one line, each sees its own thread and no other."""
    program = compile_text("hammer.c", HAMMER)
    n = rounds(t) // 8
    script = "".join('at("//hot", {thread = "hammer#%d"}):run(function() end)\n' % k
                     for k in (1, 2, 3))
    r = t.run_gated(program, script=script, args=("3", str(n)), seconds=600)
    t.clean(r)
    t.equal([p["arrivals"] for p in r.report["places"]], [n, n, n], "arrivals", r)


def test_children_are_counted(t):
    """A line reached by the program and by its forked children: all of them arrive at the place."""
    program = compile_text("children.c", r"""
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int n;
int main(void)
{
	for (int i = 0; i < 5; i++)
		if (fork() == 0) {
			for (int k = 0; k < 100; k++)
				n++; /* gate: hot */
			_exit(n);
		}
	int status, sum = 0;
	while (wait(&status) > 0)
		sum += WEXITSTATUS(status);
	printf("%d\n", sum);
	return 0;
}
""")
    r = t.clean(t.run_gated(program, script=SCRIPTS["run"]))
    t.equal(r.stdout, "500\n", "stdout", r)
    t.arrivals(r, "//hot", 500)


def test_no_follow_leaves_children_alone(t):
    """With --no-follow children run untouched: with clean bytes, and they do not arrive."""
    program = compile_text("nofollow.c", r"""
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int n;
static void work(void)
{
	for (int k = 0; k < 100; k++)
		n++; /* gate: hot */
}
int main(void)
{
	int status, sum = 0;
	for (int i = 0; i < 5; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			work();
			_exit(n);
		}
		waitpid(pid, &status, 0);
		sum += WEXITSTATUS(status);
		pid = vfork();
		if (pid == 0)
			_exit(3);
		waitpid(pid, &status, 0);
		sum += WEXITSTATUS(status);
	}
	work();
	printf("%d %d\n", sum, n);
	return 0;
}
""")
    r = t.clean(t.run_gated(program, script=SCRIPTS["run"], options=["--no-follow"]))
    t.equal(r.stdout, "515 100\n", "stdout", r)
    t.arrivals(r, "//hot", 100)


def test_hit_range(t):
    """hit = k acts at the k-th arrival only; {a, b} from a to b; the others pass."""
    program = compile_text("hammer.c", HAMMER)
    script = '''
local seen = {}
at("//hot", {hit = 5}):run(function(hit) print("five", hit.count) end)
at("//hot", {hit = {7, 9}}):run(function(hit) print("range", hit.count) end)
'''
    r = t.run_gated(program, script=script, args=("1", "50"))
    t.equal(r.status, 0, "status", r)
    t.equal([l.split() for l in r.err.splitlines()],
            [["five", "5"], ["range", "7"], ["range", "8"], ["range", "9"]], "what was printed", r)
    t.equal([p["arrivals"] for p in r.report["places"]][0] >= 5, True, "arrivals", r)


def test_return_counts_calls(t):
    """FUNC%return once a call, whichever return it is; a recursive function once for each frame."""
    program = compile_text("returns.c", r"""
#include <stdio.h>
__attribute__((noinline)) static int pick(int n)
{
	if (n % 3 == 0)
		return 5;
	if (n % 3 == 1) {
		volatile int x = n;
		return x + 1;
	}
	return n;
}
__attribute__((noinline)) static int down(int n)
{
	volatile int k = n;
	if (n == 0)
		return 0;
	return down(n - 1) + k;
}
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 90; i++)
		sum += pick(i);
	printf("%d\n", sum + down(20));
	return 0;
}
""")
    r = t.clean(t.run_gated(program, script='''
at "pick%return":run(function() end)
at "pick":run(function() end)
at "down%return":run(function() end)
'''))
    t.arrivals(r, "pick%return", 90)
    t.arrivals(r, "pick", 90)
    t.arrivals(r, "down%return", 21)


@params("gcc -O0", "gcc -O2", "clang -O0", "clang -O2")
def test_return_through_tail_calls(t, build):
    """A function that ends in a tail jump when optimised returns once a call all the same."""
    compiler, opt = build.split()
    program = compile_text("tails.c", r"""
#include <stdio.h>
__attribute__((noinline)) int leaf(int n)
{
	volatile int k = n;
	return k + 1;
}
__attribute__((noinline)) int middle(int n)
{
	if (n % 2)
		return leaf(n * 3);
	return leaf(n);
}
int (*volatile pointer)(int) = leaf;
__attribute__((noinline)) int indirect(int n)
{
	return pointer(n);
}
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 50; i++)
		sum += middle(i) + indirect(i);
	printf("%d\n", sum);
	return 0;
}
""", "-g " + opt, compiler=compiler)
    bare = t.run_bare(program)
    r = t.clean(t.run_gated(program, script='''
at "middle%return":run(function() end)
at "indirect%return":run(function() end)
at "leaf%return":run(function() end)
'''))
    t.equal(r.stdout, bare.stdout, "stdout", r)
    t.arrivals(r, "middle%return", 50)
    t.arrivals(r, "indirect%return", 50)
    t.arrivals(r, "leaf%return", 100)


DESTRUCTORS = r"""
#include <cstdio>
#define NOINLINE __attribute__((noinline))
struct Far {
	int far = 0;
	NOINLINE ~Far() { far = 1; }
};
struct Base : virtual Far {
	virtual ~Base();
};
struct Derived : Base {
	~Derived() override;
};
struct Plain {
	virtual ~Plain();
};
NOINLINE Base::~Base()
{
	std::puts("base"); // gate: base
} // gate: base-end
NOINLINE Derived::~Derived()
{
	std::puts("derived"); // gate: derived
} // gate: derived-end
NOINLINE Plain::~Plain()
{
	std::puts("plain"); // gate: plain
} // gate: plain-end
Plain *volatile plain;
int main()
{
	for (int i = 0; i < 5; i++) {
		Derived here;
		Base *volatile base = new Derived;
		delete base;
		plain = new Plain;
		delete plain;
	}
	Plain last;
	return 0;
}
"""


@params(*(f"{c} {o} {more}" for c in ("gcc", "clang") for o in ("-O0", "-O1", "-O2") for more in ("-g", "-g -fPIC")), "gcc -O0 -g0", "clang -O0 -g0")
def test_destructors(t, build):
    """A virtual destructor is up to three functions, of which one calls another, or has a copy of it: it is called once all the same."""
    compiler, opt, *more = build.split()
    program = compile_text("destructors.cc", DESTRUCTORS, " ".join((opt, *more)), compiler={"gcc": "g++", "clang": "clang++"}[compiler])
    places = {"Base::~Base": 10, "Derived::~Derived": 10, "Plain::~Plain": 6}
    if opt == "-O0":
        places.update({f + "%return": n for f, n in places.items()})
    if "-g" in more:
        places.update({"//base": 10, "//derived": 10, "//plain": 6})
    if "-g" in more and opt == "-O0":  # else there may be nothing left
        places.update({"//base-end": 10, "//derived-end": 10, "//plain-end": 6})
    r = t.clean(t.run_gated(program, script="".join(f'at "{p}":run(function() end)\n' for p in places)))
    for place, count in places.items():
        t.arrivals(r, place, count)


@params("gcc -O0", "gcc -O2", "clang -O0", "clang -O2")
def test_after_once_for_each_execution(t, build):
    """after = true: once for each execution, when the statement is done, calls and loops included."""
    compiler, opt = build.split()
    program = compile_text("after.c", r"""
#include <stdio.h>
static volatile int n, m;
__attribute__((noinline)) static int f(int x)
{
	n += x;
	return x;
}
int main(void)
{
	for (int i = 0; i < 30; i++) {
		m += f(1); /* gate: call */
		n++; /* gate: plain */
	}
	printf("%d %d\n", n, m);
	return 0;
}
""", "-g " + opt, compiler=compiler)
    r = t.clean(t.run_gated(program, script='''
local before, after = 0, 0
at "//call":run(function() before = before + 1; if before ~= after + 1 then error "before" end end)
at("//call", {after = true}):run(function() after = after + 1; if before ~= after then error "after" end end)
at("//plain", {after = true}):run(function() end)
'''))
    t.equal(r.stdout, "60 30\n", "stdout", r)
    t.equal([p["arrivals"] for p in r.report["places"]], [30, 30, 30], "arrivals", r)


INLINED_LOOPS = r"""
#include <stdatomic.h>
#include <stdio.h>
__attribute__((noinline)) static int use(int x)
{
	__asm__ volatile("" : : "r"(x) : "memory");
	return x;
}
static inline __attribute__((always_inline)) void until(int n)
{
	while (use(n) > 3)
		n--;
}
static inline __attribute__((always_inline)) void take(atomic_int *p)
{
	while (atomic_exchange(p, 1))
		;
}
static inline __attribute__((always_inline)) void leave(atomic_int *p)
{
	atomic_store(p, 0);
}
static atomic_int lock;
static long shared;
__attribute__((noinline)) static void locks(int n)
{
	for (int i = 0; i < n; i++) {
		take(&lock); /* gate: take */
		shared++;
		leave(&lock); /* gate: leave */
	}
}
__attribute__((noinline)) static int begins(int n)
{
again:
	take(&lock); /* gate: begins */
	leave(&lock);
	if (use(n--) > 0)
		goto again;
	return n;
}
__attribute__((noinline)) static int cases(int n)
{
	switch (n) {
	case 0: use(1); break;
	case 1: use(n + 2); return 5;
	case 2: take(&lock); /* gate: case */
		leave(&lock);
		break;
	case 3: use(n + 7); return 9;
	case 4: use(n + 3); return 4;
	case 5: use(n + 1); return 3;
	case 6: use(n + 12); return 2;
	}
	return use(n);
}
int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < argc + 4; i++)
		until(argc + 5); /* gate: until */
	locks(argc + 20);
	begins(6);
	for (int i = 0; i < 28; i++)
		cases(i % 7);
	printf("%ld\n", shared);
	return 0;
}
"""


@params("gcc -O0", "gcc -Og", "gcc -O1", "gcc -O2", "clang -O0", "clang -O1")
def test_inlined_loops(t, build):
    """A line that is a call which was inlined, and begins with a loop: entered once for each execution, wherever its code begins and whatever
    of it was moved out of the loop around it."""
    compiler, opt = build.split()
    program = compile_text("inlined_loops.c", INLINED_LOOPS, "-g " + opt, compiler=compiler)
    r = t.clean(t.run_gated(program, script='''at("//take"):run(function() end)\nat("//leave"):run(function() end)\nat("//until"):run(function() end)
at("//begins"):run(function() end)\nat("//case"):run(function() end)
'''))
    counts = {p["location"]: p["arrivals"] for p in r.report["places"]}
    if build == "clang -O1":  # it comes to the loop's head without a jump: each round is counted
        t.check(counts.pop("//until") >= 5, "the loop is reached", r)
    if build in ("gcc -Og", "gcc -O1", "gcc -O2"):  # gcc 14 (-O2: all): its first round begins with a constant only, which stands before the loop
        t.check(counts.pop("//begins") >= 6, "each round but the first", r)
    t.equal(counts, {k: n for k, n in {"//take": 21, "//leave": 21, "//until": 5, "//begins": 7, "//case": 4}.items() if k in counts}, "arrivals", r)


HALVES = r"""
static volatile unsigned g;
static unsigned depth;
__attribute__((noinline)) static unsigned val(unsigned x) { g = x; return x; }
static inline unsigned half(unsigned a, unsigned b)
{
	if (depth > 2)
		return a;
	depth++; /* gate: behind */
	for (unsigned k = 1; k-- > 0;)
		g += val(k);
	g++;
	b ^= val(a);
	depth--;
	g += val(a & b) + val(a) + val(b);
	return b * 2;
}
int main(void)
{
	if (val(1) % 3 == 0)
		g = half(1, 2);
	g += half(val(2), 4);
	if (val(5) > 5)
		g += half(3, 7) + half(g, 1);
	g += half(9, g);
	val(3);
	depth = g; /* a constant would leave nothing of the call: gcc 16 */
	g += half(g, 7);
	return 0;
}
"""


@params("gcc -O0", "gcc -O2", "gcc -O3")
def test_halves(t, build):
    """gcc cuts the function in two, and inlines the second half into the first: that is no call."""
    program = compile_text("halves.c", HALVES, "-g " + build.split()[1])
    r = t.clean(t.run_gated(program, script='at("half"):run(function() end)\nat("//behind"):run(function() end)\n'))
    t.equal([p["arrivals"] for p in r.report["places"]], [3, 2], build)


MACRO = r"""
static volatile int g;
__attribute__((noinline)) static void ext(int x) { g = x; }
__attribute__((noinline)) static int val(int x) { return g + x; }
#define CHECK(x) do { if ((x) & 1) ext(x); } while (0)
int main(void)
{
	int v = val(1);
	CHECK(v); /* gate: macro */
	g++;
	return 0;
}
"""


@params("gcc -O0", "gcc -Og", "gcc -O2", "clang -O0")
def test_unlikely_part_of_a_macro(t, build):
    """gcc puts it elsewhere, with the mark of the macro: it is no other execution."""
    compiler, flags = build.split()
    program = compile_text("macro.c", MACRO, "-g " + flags, compiler=compiler)
    r = t.clean(t.run_gated(program, script='at("//macro"):run(function() end)\n'))
    t.equal(r.report["places"][0]["arrivals"], 1, build)
