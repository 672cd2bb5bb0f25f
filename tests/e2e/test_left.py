"""`after = true`: a statement that is left by an exception, by longjmp or with its thread has not been executed."""

from harness import compile_text, params

COUNT = """
local n = {}
for _, l in ipairs { %s } do
	n[l] = 0
	at(l, { after = true, optional = true }):run(function() n[l] = n[l] + 1 end)
end
expect(function() for l, c in pairs(n) do print(l .. " " .. c) end return true end, "counted")
"""


def executed(t, program, expected):
    """How often each location has been executed is as expected."""
    r = t.run_gated(program, script=COUNT % ", ".join('"%s"' % l for l in expected))
    t.clean(r)
    got = dict(line.split() for line in r.err.splitlines())
    wrong = {l: got.get(l) for l, n in expected.items() if got.get(l) != str(n)}
    t.equal(wrong, {}, "executed, and not as often as expected", r)


EXCEPTIONS = r"""
#include <cstdio>
#include <stdexcept>
#include <pthread.h>
#include <unistd.h>
#define APART __attribute__((noinline))
#define INTO inline __attribute__((always_inline))
volatile int sum, in_cleanup;
APART void add(int k) { sum = sum + k; }
APART int thrower(int k)
{
	if (k % 3 == 0)
		throw k; // gate: throw
	return k + 1;
}
APART void quiet(int k) // an exception that begins and ends while another one is on its way
{
	try {
		add(thrower(k)); // gate: quiet
	} catch (int) {
		add(1);
	}
}
struct Guard {
	int k;
	explicit Guard(int k) : k(k) { add(1); }
	~Guard() { quiet(k); add(-1); }
};
INTO int guarded(int k)
{
	Guard g(k);
	return thrower(k) + 1;
}
INTO int caught_inside(int k)
{
	try {
		Guard g(k);
		return thrower(k);
	} catch (int e) {
		return e;
	}
}
APART void in_try(int k)
{
	try {
		add(thrower(k)); // gate: in-try
	} catch (int e) {
		add(-e); // gate: handler
	}
	add(1); // gate: behind
}
APART void with_guard(int k)
{
	try {
		Guard here(k);
		add(guarded(k)); // gate: guarded
		add(2); // gate: not-thrown
	} catch (int) {
		add(3);
	}
	add(1);
}
APART void inside(int k)
{
	add(caught_inside(k)); // gate: inside
	add(1);
}
APART void one_line(int k)
{
	try { add(thrower(k)); } catch (int) { add(5); } // gate: one-line
	add(1);
}
APART void through(int k)
{
	Guard g(k);
	add(thrower(k)); // gate: through
}
APART void nested(int k)
{
	try {
		try {
			add(thrower(k)); // gate: inner
		} catch (int) {
			add(1);
			throw; // gate: rethrow
		}
		add(2); // gate: between
	} catch (int) {
		add(3); // gate: outer
	}
}
APART void loop(int n)
{
	for (int i = 0; i < n; i++) {
		try {
			add(thrower(i)); // gate: loop
		} catch (...) {
		}
	}
}
int (*volatile function)(int);
APART int other(int k) { return k; }
APART void by_pointer(int k)
{
	function = k & 1 ? thrower : other;
	try {
		add(function(k)); // gate: pointer
	} catch (int) {
	}
}
APART void temporary(int k)
{
	try {
		add(Guard(k).k + thrower(k)); // gate: temporary
	} catch (int) {
		add(1);
	}
}
APART void again(int k)
{
	if (k % 3 == 0)
		thrower(k); // gate: again
	add(1); // gate: end
}
APART void bounded(int k) noexcept(false)
{
	try {
		if (k % 2)
			throw std::runtime_error("odd"); // gate: odd
		add(1); // gate: even
	} catch (const std::exception &) {
		add(2); // gate: was-odd
	}
}
APART void pauses() { for (;;) usleep(1000); }
void *cancelled(void *ready)
{
	Guard g(1);
	*(volatile int *)ready = 1;
	pauses(); // gate: cancelled
	add(1);
	return nullptr;
}
int main()
{
	for (volatile int k = 0; k < 9; k = k + 1) {
		in_try(k);
		with_guard(k);
		inside(k);
		one_line(k);
		try { through(k); } catch (int) { add(1); }
		nested(k);
		by_pointer(k);
		temporary(k);
		try { again(k); } catch (int) { add(1); }
		bounded(k);
	}
	loop(9);
	volatile int ready = 0;
	pthread_t t;
	pthread_create(&t, nullptr, cancelled, (void *)&ready);
	while (!ready)
		usleep(100);
	pthread_cancel(t);
	pthread_join(t, nullptr);
	std::printf("%d\n", sum);
}
"""

THROWN = {
    "//throw": 0, "//quiet": 31, "//in-try": 6, "//handler": 3, "//behind": 9, "//guarded": 6,
    "//not-thrown": 6, "//inside": 9, "//one-line": 9, "//through": 6, "//inner": 6, "//rethrow": 0,
    "//between": 6, "//outer": 3, "//temporary": 6, "//loop": 6, "//pointer": 8, "//again": 0, "//end": 6,
    "//odd": 0, "//even": 5, "//was-odd": 4, "//cancelled": 0, "again": 6, "through": 6,
}

# What clang makes of the clean-up of a line counts as one more statement of it, with or without `after`.
AT_FAULT = {"clang++ -O0": ("//inside", "//temporary"), "clang++ -O2": ("//temporary",)}


@params("g++ -O0", "g++ -Og", "g++ -O2", "g++ -O2 -static-libgcc -static-libstdc++", "g++ -O2 -static", "clang++ -O0",
        "clang++ -O2")
def test_exceptions(t, build):
    """Caught in the same function, in the statement, in an inlined call of it, outside; while others are on their way;
    thrown again; from a cancelled thread; with the unwinder in the program itself."""
    compiler, flags = build.split(" ", 1)
    program = compile_text("exceptions.cc", EXCEPTIONS, flags="-g -pthread -w " + flags, compiler=compiler)
    faults = AT_FAULT.get(build, ())
    executed(t, program, {l: n for l, n in THROWN.items() if l not in faults})


JUMPS = r"""
#include <setjmp.h>
#include <stdio.h>
static jmp_buf back;
static volatile int done; /* else gcc 16 adds both statements of over() in one instruction, without a mark of the second one */
__attribute__((noinline)) static int leave(int k) {
	if (k % 3 == 0)
		longjmp(back, 1); /* gate: jump */
	return k;
}
__attribute__((noinline)) static void over(int k) {
	if (k % 2)
		done += leave(k); /* gate: over */
	done++; /* gate: next */
}
__attribute__((noinline)) static int deep(int k) { return leave(k) + 1; }
__attribute__((noinline)) static void within(int k) {
	volatile int n = k;
	if (!setjmp(back))
		done += deep(n); /* gate: deep */
	else
		done -= 1;
	done += setjmp(back) ? 1 : leave(n); /* gate: one */
	done++;
}
__attribute__((noinline)) static int even(int k) { return k; }
int (*volatile f)(int);
int main(void) {
	for (volatile int k = 0; k < 12; k++) {
		if (!setjmp(back))
			over(k);
		f = k % 2 ? leave : even;
		if (!setjmp(back))
			done += f(k); /* gate: call */
		within(k);
	}
	printf("%d\n", done);
	return 0;
}
"""

JUMPED = {"//jump": 0, "//over": 4, "//next": 10, "//deep": 8, "//one": 12, "//call": 10, "leave": 24, "even": 6,
          "over": 10}


@params("gcc -O0", "gcc -O2", "gcc -O2 -D_FORTIFY_SOURCE=2", "gcc -O1 -static", "clang -O0", "clang -O2")
def test_longjmp(t, build):
    """Back into the statement itself, into another one of the function, and out of it."""
    compiler, flags = build.split(" ", 1)
    executed(t, compile_text("jumps.c", JUMPS, flags="-g -w " + flags, compiler=compiler), JUMPED)


STACKS = r"""
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>
static sigjmp_buf back, in;
static int sum;
static void handler(int sig)
{
	siglongjmp(back, sig);
}
__attribute__((noinline)) static void faults(int k)
{
	if (k % 2)
		raise(SIGUSR1); /* gate: raise */
	sum++; /* gate: sum */
}
static void coroutine(void)
{
	for (;;) {
		if (!sigsetjmp(in, 0))
			siglongjmp(back, 1); /* gate: away */
		sum += 2;
	}
}
__attribute__((noinline)) static void yields(void)
{
	if (!sigsetjmp(back, 0))
		siglongjmp(in, 1); /* gate: to */
}
__attribute__((noinline)) static void crosses(int k)
{
	for (volatile int i = 0; i < k; i++)
		yields(); /* gate: crosses */
}
int main(void)
{
	size_t size = 1 << 16;
	char *one = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *two = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = {.ss_sp = one, .ss_size = size};
	struct sigaction act = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
	static ucontext_t context;

	sigaltstack(&stack, 0);
	sigaction(SIGUSR1, &act, 0);
	for (volatile int k = 0; k < 6; k++)
		if (!sigsetjmp(back, 1))
			faults(k);
	getcontext(&context);
	context.uc_stack.ss_sp = two;
	context.uc_stack.ss_size = size;
	makecontext(&context, coroutine, 0);
	if (!sigsetjmp(back, 0))
		setcontext(&context);
	crosses(5);
	printf("%d\n", sum);
	return 0;
}
"""


@params("gcc -O0", "clang -O1")
def test_stacks(t, build):
    """Out of a handler on a stack of its own; between the stacks of coroutines, which ends nothing."""
    compiler, flags = build.split(" ", 1)
    program = compile_text("stacks.c", STACKS, flags="-g -w " + flags, compiler=compiler)
    executed(t, program, {"//raise": 0, "//sum": 3, "//to": 0, "//crosses": 5})


ORDER = r"""
#include <cstdio>
static void a() { throw 1; }
static void b() { std::puts("b"); }
int main()
{
	try {
		a(); // gate: a
	} catch (int) {
	}
	b(); // gate: b
}
"""


def test_order(t):
    """What has only been left is no reason to go on."""
    program = compile_text("order.cc", ORDER, flags="-g -O0")
    r = t.run_gated(program, options=("--order", "//a -> //b"))
    t.verdict(r, 122)
    t.equal(r.stdout, "", "b has waited", r)


TAIL = r"""
#include <stdio.h>
__attribute__((noinline)) static void add(int k) { __asm__ volatile("" : : "r"(k) : "memory"); }
__attribute__((noinline)) static void tail(int k)
{
	add(k); /* gate: tail */
}
int main(void)
{
	for (int k = 0; k < 5; k++)
		tail(k);
	return 0;
}
"""


def test_tail(t):
    """A statement that is nothing but the jump that leaves it is told in the call that it is in."""
    executed(t, compile_text("tail.c", TAIL, flags="-g -O2"), {"//tail": 5})


FORKED = r"""
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static int start(volatile int *n)
{
	int pid = fork(); /* gate: fork */
	*n += pid != 0;
	return pid;
}
__attribute__((noinline)) static int begin(volatile int *n)
{
	return start(n) ? *n : -1; /* gate: begin */
}
int main(void)
{
	volatile int n = 0, pids = 0;
	for (int i = 0; i < 3; i++) {
		if (i == 1)
			n++; /* gate: joined */
		pids += begin(&n) < 0 ? -100 : 1; /* gate: call */
		if (pids < 0)
			_exit(0);
		wait(NULL);
	}
	return n != 4;
}
"""


@params("gcc -O0", "gcc -O2", "clang -O0", "clang -O2")
def test_forked(t, build):
    """Who is in the middle of a statement when it forks has a child that ends it, too, as a copy of what the parent had begun."""
    compiler, flags = build.split(" ", 1)
    program = compile_text("forked.c", FORKED, flags="-g " + flags, compiler=compiler)
    executed(t, program, {"//fork": 6, "//begin": 6, "//joined": 1, "//call": 6, "start": 6, "begin": 6})
