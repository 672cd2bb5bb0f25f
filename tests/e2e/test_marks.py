"""Rows that say where statements begin, and are not one execution each: before a function's end, in macros, in lambdas."""

from harness import compile_text, line_of, params

RETURNS = r"""
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int n;
__attribute__((noipa)) static int take(int fail)
{
	int keep = fail * 3;
	pthread_mutex_lock(&m);
	if (fail) {
		pthread_mutex_unlock(&m);
		return keep - 4; /* fails */
	}
	n++;
	pthread_mutex_unlock(&m);
	return 0; /* succeeds */
}
__attribute__((noipa)) static int only(int some)
{
	if (some)
		puts("some");
	return 0; /* always */
}
int main(void)
{
	for (int i = 0; i < 10; i++)
		take(i < 7);
	for (int i = 0; i < 6; i++)
		only(i & 1);
	return 0;
}
"""
BUILDS = ["%s -O%s" % (c, o) for c in ("gcc", "clang") for o in ("0", "1", "2", "s")]


def arrivals(t, name, text, build, marks):
    """Those at each of the lines that have code: {text: count}."""
    compiler, flags = build.split(" ", 1)
    program = compile_text(name, text, "-g " + flags, compiler=compiler)
    places = {mark: "%s:%d" % (name, line_of(text, mark)) for mark in marks}
    there = {m: p for m, p in places.items() if t.gate("lines", program, p).status == 0}
    r = t.clean(t.run_gated(program, "".join('at("%s", {optional = true}):run(function() end)\n' % p for p in there.values())))
    got = {p["location"]: p["arrivals"] for p in r.report["places"]}
    return {m: got[p] for m, p in there.items()}


@params(*BUILDS)
def test_return_that_others_pass_by(t, build):
    """Its mark without code stands where another return jumps to: it is no place, or one of its own."""
    want = {"/* fails */": 7, "/* succeeds */": 3, "/* always */": 6}
    got = arrivals(t, "returns.c", RETURNS, build, want)
    t.equal(got, {m: want[m] for m in got}, build)
    if build.startswith("gcc"):
        t.check("/* fails */" in got and "/* always */" in got, "have code")


MACRO = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#define CHECK(x) do { if (!(x)) abort(); } while (0)
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int n;
static int a[100];
static inline int put(int i)
{
	pthread_mutex_lock(&m);
	a[n++] = i;
	int r = n;
	pthread_mutex_unlock(&m);
	return r;
}
int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < 5 * argc; i++) {
		puts("a");
		CHECK(put(i) > 0); /* in a loop */
		puts("b");
	}
	for (int i = 0; i < 3; i++)
		CHECK(put(i) > 0); /* alone */
	return 0;
}
"""


@params(*(BUILDS + ["gcc -O3", "gcc -O2 -funroll-loops"]))
def test_macro_around_an_inlined_call(t, build):
    want = {"/* in a loop */": 5, "/* alone */": 3}
    if build == "clang -O2":
        del want["/* alone */"]  # unrolled under one row, which `lines` says
    t.equal(arrivals(t, "macro.c", MACRO, build, want), want, build)


VECTOR = r"""
#include <vector>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { if (!(x)) abort(); } while (0)
int main(int argc, char **)
{
	std::vector<int> vec;
	for (int i = 0; i < 5; i++) {
		vec.push_back(i * argc);
		puts("a");
		CHECK(!vec.empty()); // full
		puts("b");
	}
	return 0;
}
"""


@params("g++ -O0", "g++ -O1", "g++ -O2", "g++ -O3", "clang++ -O0", "clang++ -O1")
def test_macro_around_a_method(t, build):
    t.equal(arrivals(t, "full.cpp", VECTOR, build, ["// full"]), {"// full": 5}, build)


ARGUMENT = r"""
#include <stdatomic.h>
#include <stdio.h>
static atomic_int hits;
static inline int clampi(int v, int lo, int hi)
{
	if (v < lo)
		return lo;
	if (v > hi)
		return hi;
	return v;
}
static void work(int id)
{
	for (int k = 0; k < 6; k++) {
		puts("x");
		atomic_fetch_add(&hits, clampi(k * id, 1, 5)); /* adds */
		puts("y");
	}
}
static void alone(int id)
{
	for (int k = 0; k < 3; k++)
		atomic_fetch_add(&hits, clampi(k, 1, id)); /* in each round */
}
int main(int argc, char **argv)
{
	(void)argv;
	work(argc + 2);
	alone(argc + 3);
	return hits == 0;
}
"""


@params(*BUILDS)
def test_inlined_call_in_an_argument(t, build):
    """Also where the loop was unrolled: its rows come again, but between two parts of one execution."""
    want = {"/* adds */": 6}
    t.equal(arrivals(t, "argument.c", ARGUMENT, build, want), want, build)


WAITS = r"""
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>
static std::mutex m;
static std::condition_variable cv;
static std::queue<int> q;
static bool done;
static void consume()
{
	std::unique_lock<std::mutex> lk(m);
	cv.wait(lk, [] { return !q.empty() || done; }); // waits
	q.pop();
}
int main()
{
	std::thread t(consume);
	{
		std::lock_guard<std::mutex> lk(m);
		q.push(1);
	}
	cv.notify_one();
	t.join();
}
"""


@params("g++ -O0", "g++ -O1", "clang++ -O0", "clang++ -O1", "clang++ -O2", "clang++ -Os")
def test_lambda_in_an_inlined_call(t, build):
    """What is left of the statement is the call: the lambda's code is none of it."""
    compiler, flags = build.split()
    program = compile_text("waits.cpp", WAITS, "-g -pthread " + flags, compiler=compiler)
    r = t.gate("lines", program, "waits.cpp:%d" % line_of(WAITS, "// waits"))
    t.check(r.status == 0 and "operator()" not in r.stdout, "not in the lambda", r)


DELETES = """#include <cstdio>
struct A { virtual ~A() {} };
struct B : virtual A { };
static void del(A *a)
{
	delete a; /* gate: deletes */
}
int main()
{
	del(new B);
	del(new B);
}
"""
THROWS = """#include <stdexcept>
#include <string>
int cnt;
__attribute__((noinline)) int use(int v) { cnt++; asm volatile("" : "+r"(v) :: "memory"); return v; }
__attribute__((noinline)) int throws(int i)
{
	std::string s = "x" + std::to_string(i);
	if (i % 2)
		throw std::runtime_error(s); /* gate: throws */
	use(i);
	return i;
}
__attribute__((noinline)) int catches(int i)
{
	try {
		return throws(i);
	} catch (const std::exception &e) {
		use(e.what()[1] - '0'); /* gate: catches */
	}
	return use(0); /* gate: behind */
}
int main()
{
	for (int i = 0; i < 6; i++)
		catches(i); /* gate: calls */
	return cnt != 9;
}
"""
NO_MARKS = ["-O0", "-O2", "-O2 -flto", "-O3 -flto", "-O2 -g1", "-O1 -gno-statement-frontiers", "-O3 -gno-statement-frontiers"]


@params(*NO_MARKS)
def test_compiled_without_marks(t, flags):
    """Whether gcc marks statements is told by rows that begin none though their place is new, not by how many rows begin none:
    a function may lack marks where others have them."""
    want = {"/* gate: deletes */": 2}
    t.equal(arrivals(t, "deletes.cc", DELETES, "g++ " + flags, want), want, "a destructor")
    want = {"/* gate: throws */": 3, "/* gate: catches */": 3, "/* gate: behind */": 3, "/* gate: calls */": 6}
    t.equal(arrivals(t, "throws.cc", THROWS, "g++ " + flags, want), want, "exceptions")


INSTANCES = """#include <vector>
int cnt;
__attribute__((noinline)) int use(int v) { cnt++; asm volatile("" : "+r"(v) :: "memory"); return v; }
template <class F> __attribute__((noinline)) int invoke(F &f, const int &i)
{
	return f(i);
}
int main()
{
	std::vector<int> vec{10, 20, 30};
	auto a = [&](int x) {
		return use(x + vec[0]); /* first */
	};
	auto b = [&](int x) {
		return use(x + 1); /* second */
	};
	for (int i = 0; i < 3; i++)
		invoke(a, i);
	for (int i = 0; i < 3; i++)
		invoke(b, i);
	return cnt != 6;
}
"""


@params("g++ -O0", "g++ -O2", "clang++ -O0", "clang++ -O1", "clang++ -O2", "clang++ -Os", "clang++ -O3")
def test_lambda_in_one_of_several_instances(t, build):
    """The row of the function's entry stands before the statement at its address, and comes again in the other instance."""
    want = {"/* first */": 3, "/* second */": 3}
    t.equal(arrivals(t, "instances.cc", INSTANCES, build, want), want, build)
