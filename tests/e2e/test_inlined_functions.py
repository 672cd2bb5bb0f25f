"""FUNC that was inlined: each call of it is one arrival, whatever the compiler has made of its copies."""

from harness import compile_text, params

BUILDS = [f"{c} {o}" for c in ("gcc", "clang") for o in ("-O0", "-O1", "-O2", "-O3")]


def counted(t, build, name, source, want, flags=""):
    """Each call begins once and is over once. The program counts the calls itself, where that does not change what it is."""
    compiler, opt = build.split()
    program = compile_text(name, source, " ".join(("-g", opt, flags)), compiler=compiler)
    for options in "{}", "{ after = true }":
        r = t.clean(t.run_gated(program, script="".join(f'at("{f}", {options}):run(function() end)\n' for f in want)))
        for function, count in want.items():
            t.arrivals(r, function, count)


BEGIN_WITH_LOOPS = r"""
#include <stdio.h>
#define INLINED static inline __attribute__((always_inline))
int n = 3, y = 4, x = 2;
INLINED void counts(int *p)
{
	for (int i = 0; i < 10; i++)
		printf("%d %d %d\n", i, n, *p);
	for (int i = 0; i < 10; i++)
		printf("%d %d %d\n", i, n, *p * x + 5 * n);
}
INLINED void waits(int *p)
{
	while (*p < 100)
		*p += printf("%d %d\n", n, *p);
}
INLINED void tries(int *p)
{
	do
		*p += printf("%d %d\n", n, *p);
	while (*p < 200);
}
int main(int argc, char **argv)
{
	(void)argv;
	for (int k = 0; k < 7; k++) {
		counts(&y);
		y = 0;
		waits(&y);
		tries(&y);
		y = 0;
		tries(&y);
	}
	if (argc > 5)
		counts(&x);
	counts(&n);
	tries(&x);
	return 0;
}
"""


@params(*BUILDS)
def test_a_function_that_begins_with_a_loop(t, build):
    """The rounds of its loop are none; that of the loop which calls it are."""
    counted(t, build, "begin.c", BEGIN_WITH_LOOPS, {"counts": 8, "waits": 7, "tries": 15})


CALLED_IN_LOOPS = r"""
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_flag flag = ATOMIC_FLAG_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int times = 5;
static int state, counter, head, tail, items[8];
static void spin_lock(void)
{
	while (atomic_flag_test_and_set(&flag))
		;
}
static void work(int k)
{
	spin_lock();
	state += k;
	atomic_flag_clear(&flag);
}
static void step(void)
{
	__atomic_add_fetch(&counter, 1, __ATOMIC_SEQ_CST);
}
static int take(int *item)
{
	pthread_mutex_lock(&mutex);
	if (head == tail) {
		pthread_mutex_unlock(&mutex);
		return 0;
	}
	*item = items[head++ % 8];
	pthread_mutex_unlock(&mutex);
	return 1;
}
__attribute__((noinline)) static int drain(void)
{
	int item, sum = 0;
	while (take(&item)) {
		printf("%d\n", item);
		sum += item;
	}
	return sum;
}
__attribute__((noinline)) static void steps(void)
{
	for (int round = 0; round < 3; round++) {
		step();
		puts("x");
	}
}
int main(void)
{
	int n = times;
	for (int i = 0; i < n; i++)
		work(i);
	for (int i = 0; i < 5; i++)
		items[tail++] = i;
	steps();
	return drain() + state != 20;
}
"""


@params(*BUILDS)
def test_a_function_that_is_called_in_a_loop(t, build):
    """Constants that were taken out of the loop, rounds that were unrolled, and a condition that was copied."""
    want = {"spin_lock": 5, "work": 5, "step": 3, "take": 6}
    if build in ("clang -O2", "clang -O3"):  # two rounds in one, and what is left of an odd number begins before it is known that there is one
        want = {"step": 3, "take": 6}
    counted(t, build, "called.c", CALLED_IN_LOOPS, want, "-pthread")


TRIED_AGAIN = r"""
#include <stdatomic.h>
#include <stdio.h>
static atomic_int left = 4;
static inline __attribute__((always_inline)) int try_it(void)
{
	if (atomic_fetch_sub(&left, 1) > 0)
		return 0;
	return 1;
}
int main(void)
{
	while (!try_it())
		;
	puts("done");
	return 0;
}
"""


@params(*BUILDS)
def test_a_function_that_a_loop_tries_again(t, build):
    """There is nothing in the loop but the copy: each of its rounds is a call."""
    counted(t, build, "tried.c", TRIED_AGAIN, {"try_it": 5})


@params("gcc -O0", "gcc -O2", "clang -O0", "clang -O2")
def test_variables_of_a_copy_are_known_or_reported(t, build):
    """Before a loop that it begins with a value may not be there yet: that of another function is not given for it."""
    compiler, opt = build.split()
    r = t.clean(t.run_gated(compile_text("begin.c", BEGIN_WITH_LOOPS, "-g " + opt, compiler=compiler), report=False, script="""
at "tries":run(function(hit)
	local known, value = pcall(function() return hit.arg[0] end)
	if known and math.type(value) ~= nil and value < 100 or not known and not value:find("before the loop") and not value:find("optimised out") then print(value) end
end)
"""))
    t.equal(r.err, "", build)


MOVED = r"""
#include <stdio.h>
struct s { void (*f)(struct s *), (*g)(struct s *); int val, *out; };
static int total;
static inline void add(int v)
{
	int t = total;
	total = t + v;
}
static void f(struct s *s) { s->val++; }
static void g(struct s *s) { printf("val %d total %d\n", *s->out, total); }
__attribute__((noinline)) static void work(struct s *s)
{
	s->f(s);
	*s->out = s->val;
	add(7);
	s->g(s);
}
int main(void)
{
	int out;
	struct s s = { f, g, 1, &out };
	work(&s);
	work(&s);
	return 0;
}
"""


@params(*BUILDS)
def test_stores_of_a_copy_were_moved(t, build):
    """gcc writes before the statement in front of the call, and says that the copy is entered behind that: who comes has written nothing."""
    compiler, opt = build.split()
    program = compile_text("moved.c", MOVED, "-g " + opt, compiler=compiler)
    r = t.clean(t.run_gated(program, script='at "add":run(function() print("total", program.var.total) end)'))
    t.equal([line.split()[1] for line in (r.err + r.stdout).split("\n") if line.startswith("total")], ["0", "7"], build, r)
