"""hit:call: functions of the program run on the arriving thread, and nothing else has changed.

Quick: 20 runs of the queues. Full: 1000 while both processors are kept busy.
"""

import re

from harness import BUILDS, COMPILERS, compile_text, params, symbol_address, timeout
from test_examples import load

# ---- a queue's own size function ---------------------------------------------------------------

QUEUE_C = r"""
#include <pthread.h>
#include <stdio.h>
struct node { struct node *next; };
struct queue { pthread_mutex_t lock; struct node *head; long touched; };
static struct queue queue = {.lock = PTHREAD_MUTEX_INITIALIZER};
__attribute__((noinline)) int queue_size(struct queue *q)
{
	int n = 0;
	pthread_mutex_lock(&q->lock);
	for (struct node *i = q->head; i; i = i->next)
		n++;
	pthread_mutex_unlock(&q->lock);
	return n;
}
static __attribute__((noinline)) void put(struct queue *q, struct node *n)
{
	pthread_mutex_lock(&q->lock);
	n->next = q->head;
	q->head = n;
	for (int i = 0; i < 20000; i++)
		*(volatile long *)&q->touched += 1;
	pthread_mutex_unlock(&q->lock);
}
static void *taker(void *arg)
{
	struct queue *q = arg;
	printf("taken from %d\n", queue_size(q)); /* gate: take */
	return arg;
}
int main(void)
{
	struct node nodes[5];
	pthread_t t;
	pthread_create(&t, NULL, taker, &queue);
	for (int i = 0; i < 5; i++)
		put(&queue, &nodes[i]);
	for (int i = 0; i < 200; i++)
		queue_size(&queue);
	pthread_join(t, NULL);
	return 0;
}
"""

QUEUE_CC = r"""
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>
class Queue {
public:
	__attribute__((noinline)) std::size_t size() const
	{
		std::lock_guard<std::mutex> guard(lock_);
		return items_.size();
	}
	__attribute__((noinline)) void put(int i)
	{
		std::lock_guard<std::mutex> guard(lock_);
		for (volatile int k = 0; k < 20000; k = k + 1)
			;
		items_.push_back(i);
	}
	__attribute__((noinline)) void take()
	{
		std::printf("taken from %zu\n", size()); // gate: take
	}

private:
	mutable std::mutex lock_;
	std::deque<int> items_;
};
int main()
{
	Queue queue;
	std::thread t([&] { queue.take(); });
	for (int i = 0; i < 5; i++)
		queue.put(i);
	for (int i = 0; i < 200; i++)
		queue.size();
	t.join();
	return 0;
}
"""


def queue_program(language, build):
    compiler, level = build.split("-")
    name, text = ("queue.c", QUEUE_C) if language == "c" else ("queue.cc", QUEUE_CC)
    return compile_text(name, text, "-g -" + level, compiler=COMPILERS[compiler][language != "c"])


@params(*[(language, build) for language in ("c", "c++") for build in BUILDS])
@timeout(180)
def test_queue_size(t, case):
    language, build = case
    program = queue_program(language, build)
    call = 'h:call("queue_size", h.var.q)' if language == "c" else 'h:call("Queue::size", h.var.this)'
    script = 'at "//take":when(function(h) return %s == 5 end)\n' % call
    with load(t) as runs:
        for run in range(runs if build != "clang-O0" or t.full else 5):
            r = t.clean(t.run_gated(program, script, report=run == 0, leftover=run == 0))
            t.equal(r.stdout, "taken from 5\n", "stdout", r)


def test_gates_inside_do_not_hold(t):
    """The called function passes its own gate, and that is no arrival."""
    r = t.clean(t.run_gated(queue_program("c", "gcc-O0"), script="""
local never = SimpleGate "never"
at("queue_size", {thread = "taker"}):run(function(h) print("arrival", h.count) end)
at "//take":run(function(h) for i = 1, 50 do h:call("queue_size", h.var.q) end print("called") end)
"""))
    t.equal(r.err.splitlines(), ["called", "arrival\t1"], "stderr", r)
    t.arrivals(r, "queue_size", 1)
    r = t.clean(t.run_gated(queue_program("c", "gcc-O0"), script="""
local open = SimpleGate "open"
at("queue_size", {thread = "taker"}):wait(open)
at "//take":run(function(h) print(h:call("queue_size", h.var.q)) open:open() end)
"""))
    t.check(re.match(r"[0-5]\n$", r.err), "the call was held", r)


# ---- the thread is as before -------------------------------------------------------------------

STATE = r"""
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#define CALLED __attribute__((noinline, used))
unsigned long in[16], out[16], flags_in, flags_out;
unsigned char ymm_in[16][32] __attribute__((aligned(32))), ymm_out[16][32] __attribute__((aligned(32)));
unsigned char zone_in[128], zone_out[128];
unsigned mxcsr_in = 0x5f80, mxcsr_out;
unsigned short fcw_in = 0x067f, fcw_out;
int have_avx;
double st_out;
static jmp_buf outer;
static sigjmp_buf outer_sig;
static volatile int handled, jumped, progress, ended;
static char altstack[65536];
void probe(void);
__asm__(".text\n.type probe, @function\nprobe:\n.cfi_startproc\n"
	"push %rbp\n.cfi_adjust_cfa_offset 8\npush %rbx\n.cfi_adjust_cfa_offset 8\n"
	"push %r12\n.cfi_adjust_cfa_offset 8\npush %r13\n.cfi_adjust_cfa_offset 8\n"
	"push %r14\n.cfi_adjust_cfa_offset 8\npush %r15\n.cfi_adjust_cfa_offset 8\n"
	"lea zone_in(%rip), %rsi\nlea -128(%rsp), %rdi\nmov $128, %ecx\nrep movsb\n"
	"ldmxcsr mxcsr_in(%rip)\nfninit\nfldcw fcw_in(%rip)\nfldpi\n"
	"lea ymm_in(%rip), %rax\ncmpl $0, have_avx(%rip)\nje 1f\n"
#define Y(n) "vmovaps " #n "*32(%rax), %ymm" #n "\n"
#define X(n) "movaps " #n "*32(%rax), %xmm" #n "\n"
#define ALL(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11) M(12) M(13) M(14) M(15)
	ALL(Y) "jmp 2f\n1:" ALL(X) "2:"
	"mov in+8(%rip), %rbx\nmov in+16(%rip), %rcx\nmov in+24(%rip), %rdx\nmov in+32(%rip), %rsi\n"
	"mov in+40(%rip), %rdi\nmov in+48(%rip), %rbp\nmov in+64(%rip), %r8\nmov in+72(%rip), %r9\n"
	"mov in+80(%rip), %r10\nmov in+88(%rip), %r11\nmov in+96(%rip), %r12\nmov in+104(%rip), %r13\n"
	"mov in+112(%rip), %r14\nmov in+120(%rip), %r15\nmov in(%rip), %rax\n"
	".globl gate_here\ngate_here: nop\n"
	"mov %rax, out(%rip)\nmov %rbx, out+8(%rip)\nmov %rcx, out+16(%rip)\nmov %rdx, out+24(%rip)\n"
	"mov %rsi, out+32(%rip)\nmov %rdi, out+40(%rip)\nmov %rbp, out+48(%rip)\nmov %rsp, out+56(%rip)\n"
	"mov %r8, out+64(%rip)\nmov %r9, out+72(%rip)\nmov %r10, out+80(%rip)\nmov %r11, out+88(%rip)\n"
	"mov %r12, out+96(%rip)\nmov %r13, out+104(%rip)\nmov %r14, out+112(%rip)\nmov %r15, out+120(%rip)\n"
	"lea ymm_out(%rip), %rax\n"
#define YS(n) "vmovaps %ymm" #n ", " #n "*32(%rax)\n"
#define XS(n) "movaps %xmm" #n ", " #n "*32(%rax)\n"
	"testl $1, have_avx(%rip)\nje 1f\n" ALL(YS) "vzeroupper\njmp 2f\n1:" ALL(XS) "2:"
	"stmxcsr mxcsr_out(%rip)\nfnstcw fcw_out(%rip)\nfstpl st_out(%rip)\n"
	"lea -128(%rsp), %rsi\nlea zone_out(%rip), %rdi\nmov $128, %ecx\nrep movsb\n"
	"movl $0x1f80, -4(%rsp)\nldmxcsr -4(%rsp)\nfninit\n"
	"pop %r15\n.cfi_adjust_cfa_offset -8\npop %r14\n.cfi_adjust_cfa_offset -8\n"
	"pop %r13\n.cfi_adjust_cfa_offset -8\npop %r12\n.cfi_adjust_cfa_offset -8\n"
	"pop %rbx\n.cfi_adjust_cfa_offset -8\npop %rbp\n.cfi_adjust_cfa_offset -8\n"
	"ret\n.cfi_endproc\n.size probe, .-probe\n");

/* ---- called ---- */
CALLED int f_plain(int n) { return n + 1; }
CALLED int f_segv(void) { return *(volatile int *)8; }
CALLED int f_jump_to_null(void) { return ((int (*)(void))0)(); }
CALLED int f_abort(void) { abort(); }
CALLED int f_fpe(void) { volatile int z = 0; return (z + 7) / z; }
CALLED int f_ill(void) { __asm__ volatile("ud2"); return 0; }
CALLED int f_int3(void) { __asm__ volatile("int3"); return 0; }
CALLED int f_exit(void) { exit(7); }
CALLED int f__exit(void) { _exit(7); }
CALLED int f_quick_exit(void) { quick_exit(7); }
CALLED int f_raw_exit(void) { syscall(SYS_exit, 7); return 0; }
CALLED int f_pthread_exit(void) { pthread_exit(NULL); }
CALLED int f_exec(void) { execl("/bin/echo", "echo", "exec was made", NULL); return 0; }
CALLED int f_exec_missing(void) { return execl("/proc/none", "x", NULL) == -1 && errno == ENOENT; }
CALLED int f_longjmp_out(void) { longjmp(outer, 1); }
CALLED int f_siglongjmp_out(void) { siglongjmp(outer_sig, 1); }
CALLED static void jump(jmp_buf *b) { longjmp(*b, 5); }
CALLED int f_longjmp_in(void)
{
	jmp_buf b;
	int r = setjmp(b);
	if (r == 0)
		jump(&b);
	return r;
}
CALLED int f_siglongjmp_in(void)
{
	sigjmp_buf b;
	int r = sigsetjmp(b, 1);
	if (r == 0)
		siglongjmp(b, 6);
	return r;
}
CALLED int f_pause(void) { return pause(); }
CALLED int f_spin(void) { for (;;) progress = progress; }
CALLED int f_lock(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&m);
	return pthread_mutex_lock(&m);
}
CALLED int recurse(volatile int *p) { volatile int a[64]; a[0] = p ? *p : 1; return recurse(a) + a[0]; }
CALLED int f_recurse(void) { return recurse(NULL); }
CALLED int f_deep(int n) { volatile char a[100]; a[0] = 1; return n ? f_deep(n - 1) + a[0] : 0; }
CALLED int f_errno(void) { errno = 5; return close(-1); }
CALLED int f_mask(void)
{
	sigset_t s;
	sigfillset(&s);
	return sigprocmask(SIG_SETMASK, &s, NULL);
}
CALLED int f_raise(void) { return raise(SIGUSR1); }
CALLED int f_kill(void) { return kill(getpid(), SIGUSR2); }
CALLED int f_fork(void)
{
	int status;
	pid_t pid = fork();
	if (pid == 0)
		_exit(3);
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}
CALLED int f_vfork(void)
{
	int status;
	pid_t pid = vfork();
	if (pid == 0)
		_exit(4);
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}
static void *in_thread(void *arg) { return arg; }
CALLED int f_thread(void)
{
	pthread_t t;
	void *r;
	pthread_create(&t, NULL, in_thread, (void *)9);
	pthread_join(t, &r);
	return (long)r;
}
CALLED int f_malloc(void)
{
	char *volatile p = malloc(100000);
	memset(p, 1, 100000);
	free(p);
	return 8;
}
CALLED int f_dirty(void)
{
	static const unsigned m = 0x1fbf;
	__asm__ volatile("pcmpeqd %%xmm0, %%xmm0; pcmpeqd %%xmm7, %%xmm7; pcmpeqd %%xmm15, %%xmm15;"
			 "ldmxcsr %0; fninit; fld1; fld1; fld1; fldz; fstp %%st(0);"
			 "mov $-1, %%rbx; mov $-1, %%r10; mov $-1, %%r15; stc"
			 : : "m"(m) : "rbx", "r10", "r15", "xmm0", "xmm7", "xmm15", "cc");
	if (have_avx)
		__asm__ volatile("vpxor %%xmm1, %%xmm1, %%xmm1; vzeroall" : : : "memory");
	return 11;
}
CALLED int f_nanosleep(void)
{
	struct timespec ts = {0, 20000000};
	return nanosleep(&ts, NULL);
}

static void count(int sig) { handled += sig == SIGUSR1 ? 1 : 100; }
static void at_end(void) { ended++; puts("atexit"); }

static void print_state(void)
{
	sigset_t s;
	stack_t a;
	unsigned long mask = 0;
	sigprocmask(SIG_SETMASK, NULL, &s);
	for (int i = 1; i < 64; i++)
		mask |= (unsigned long)(sigismember(&s, i) == 1) << i;
	sigaltstack(NULL, &a);
	printf("mask %lx, altstack %d %zu, jumped %d\n", mask, a.ss_sp == altstack, a.ss_size, jumped);
	printf("mxcsr %x fcw %x st %.6f\n", mxcsr_out, fcw_out, st_out);
	printf("registers%s", memcmp(in, out, sizeof(in)) ? " differ:" : " same");
	for (int i = 0; i < 16; i++)
		if (in[i] != out[i])
			printf(" %d: %lx %lx", i, in[i], out[i]);
	printf("\nred zone %s, ", memcmp(zone_in, zone_out, 128) ? "differs" : "same");
	printf("vectors %s\n", memcmp(ymm_in, ymm_out, sizeof(ymm_in)) ? "differ" : "same");
}

int main(int argc, char **argv)
{
	stack_t alt = {.ss_sp = altstack, .ss_size = sizeof(altstack)};
	int saved, rounds = argc > 1 ? atoi(argv[1]) : 1;
	sigset_t s;
	have_avx = __builtin_cpu_supports("avx") != 0;
	sigaltstack(&alt, NULL);
	signal(SIGUSR1, count);
	signal(SIGUSR2, count);
	sigemptyset(&s);
	sigaddset(&s, SIGWINCH);
	sigaddset(&s, SIGURG);
	sigprocmask(SIG_BLOCK, &s, NULL);
	atexit(at_end);
	for (int i = 0; i < 16; i++)
		in[i] = 0x1111111111111111ul * i + 0xabcdef;
	in[7] = 0; /* rsp */
	for (int i = 0; i < 128; i++)
		zone_in[i] = i ^ 0x5a;
	for (int i = 0; i < 16; i++)
		for (int k = 0; k < (have_avx ? 32 : 16); k++)
			ymm_in[i][k] = i * 16 + k;
	if (setjmp(outer) || sigsetjmp(outer_sig, 1))
		jumped++;
	for (int i = 0; i < rounds && !jumped; i++) {
		errno = 77;
		probe();
		saved = errno;
		out[7] = 0;
		printf("errno %d\n", saved);
		print_state();
	}
	printf("handled %d\n", handled);
	return 3;
}
"""
RETURNS = {  # function: arguments and what it returns
    "f_plain": ("41", "42"), "f_longjmp_in": ("", "5"), "f_siglongjmp_in": ("", "6"),
    "f_deep": ("10000", "10000"), "f_errno": ("", "-1"), "f_mask": ("", "0"),
    "f_malloc": ("", "8"), "f_dirty": ("", "11"),
    "f_nanosleep": ("", "0"),
}
RAISES = {  # function: what its error says
    "f_segv": "SIGSEGV", "f_jump_to_null": "SIGSEGV", "f_abort": "SIGABRT", "f_fpe": "SIGFPE",
    "f_ill": "SIGILL", "f_int3": "SIGTRAP", "f_exit": "exit", "f__exit": "exit",
    "f_quick_exit": "exit", "f_raw_exit": "exit", "f_pthread_exit": "exit|left", "f_exec": "exec|another program",
    "f_longjmp_out": "longjmp|left", "f_siglongjmp_out": "longjmp|left", "f_recurse": "SIGSEGV",
    "f_pause": "limit|longer|1 s|second", "f_spin": "limit|longer|1 s|second",
    "f_lock": "limit|longer|1 s|second",
    # the others are held meanwhile, those that are new, too: nobody can wait for them
    "f_fork": "it took longer than 1000 ms$", "f_thread": "it took longer than 1000 ms$",
    "f_vfork": "start a process and wait for it \\(vfork\\)$", "f_exec_missing": "run another program$",
}
SIGNALS = {"f_raise": 1, "f_kill": 100}  # function: what the handlers have counted afterwards


def state_program():
    path = compile_text("state.c", STATE, "-g -O1 -no-pie")
    return path, symbol_address(path, "gate_here")


def call_script(address, function, args=""):
    args = ", " + args if args else ""
    return """at "*0x%x":run(function(h)
	local ok, value = pcall(function() return h:call("%s"%s) end)
	print(ok, value)
	print(pcall(function() return h:call("f_plain", h.count) end))
end)
""" % (address, function, args)


def run_call(t, function, args="", rounds=1, again=True):
    """What the call gave; the program has noticed nothing, and can be called again."""
    path, address = state_program()
    bare = t.run_bare(path, [rounds])
    r = t.run_gated(path, call_script(address, function, args), args=[rounds])
    t.equal(r.status, 3, "status", r)
    t.check("gatectl:" not in r.err, "gatectl speaks", r)
    got, after = r.err.splitlines()[:2]
    t.equal(after, "true\t2", "the call after it", r)
    t.equal(len(r.err.splitlines()), 2 * rounds, "lines", r)
    return r, bare, got


@params(*RETURNS)
def test_returns(t, function):
    args, value = RETURNS[function]
    r, bare, got = run_call(t, function, args)
    t.equal(got, "true\t" + value, "result", r)
    t.equal(r.stdout, bare.stdout, "stdout", r)
    t.check("registers same" in bare.stdout and "vectors same" in bare.stdout, "bare", bare)


@params(*RAISES)
def test_raises(t, function):
    r, bare, got = run_call(t, function)
    t.check(got.startswith("false\t"), "no error", r)
    t.check(re.search(RAISES[function], got), "the error does not say %s" % RAISES[function], r)
    t.check("gates1.lua:2:" in got, "the error has no line", r)
    t.check(function in got, "the error does not name the function", r)
    t.equal(r.stdout, bare.stdout, "stdout", r)


@params(*SIGNALS)
def test_signal_during_the_call(t, function):
    """It is delivered once, afterwards or inside, never twice and never lost."""
    r, bare, got = run_call(t, function)
    t.equal(got, "true\t0", "result", r)
    t.equal(r.stdout, bare.stdout.replace("handled 0", "handled %d" % SIGNALS[function]), "stdout",
            r)


def test_uncaught_error_is_a_fault(t):
    path, address = state_program()
    r = t.run_gated(path, 'at "*0x%x":run(function(h)\n\th:call("f_segv")\nend)\n' % address)
    t.error(r, 125, r"gates1\.lua:2: .*SIGSEGV")


def test_everything_in_a_row(t):
    """Good and bad calls, 30 times, on one arrival and the next."""
    path, address = state_program()
    names = [n for n in [*RETURNS, *RAISES] if not re.search("pause|spin|lock|recurse|f_fork|f_thread", n)]
    calls = "".join('\tpcall(h.call, h, "%s"%s)\n' % (n, ", 9" if RETURNS.get(n, ("", 0))[0] else "")
                    for n in names)
    bare = t.run_bare(path, [30])
    r = t.run_gated(path, 'at "*0x%x":run(function(h)\n%send)\n' % (address, calls), args=[30])
    t.clean(r, 3)
    t.equal(r.stdout, bare.stdout, "stdout", r)


# ---- C++ ---------------------------------------------------------------------------------------

THROW = r"""
#include <cstdio>
#include <stdexcept>
#include <string>
#define CALLED __attribute__((noinline, used))
CALLED int thrower(int n) { if (n > 0) throw std::runtime_error("too many"); return 0; }
CALLED int caught(int n)
{
	try {
		return thrower(n);
	} catch (const std::runtime_error &e) {
		return (int)std::string(e.what()).size();
	}
}
CALLED int nothrow(int n) noexcept { return thrower(n); }
namespace shop {
template <class T> struct Box {
	T value;
	CALLED T get() const { return value; }
	CALLED T plus(T other) const { return value + other; }
	CALLED static T twice(T v) { return 2 * v; }
};
struct Base {
	int id;
	virtual ~Base() {}
	CALLED virtual int number() const { return id; }
};
struct Derived : Base {
	CALLED int number() const override { return id * 10; }
};
CALLED int overloaded(int) { return 1; }
}
int main()
{
	shop::Box<long> box{20};
	shop::Derived derived;
	derived.id = 4;
	shop::Base &base = derived;
	int result = 0;
	try {
		result += thrower(0); // gate: here
		result += thrower(1);
	} catch (const std::exception &e) {
		std::printf("caught %s\n", e.what());
	}
	std::printf("%d %ld %d\n", result, box.get() + box.plus(1) + box.twice(1), base.number());
	return 0;
}
"""


@params("gcc -O0", "clang -O0", "gcc -O1")
def test_cxx(t, options):
    compiler, level = options.split()
    program = compile_text("throw.cc", THROW, "-g " + level, compiler={"gcc": "g++"}.get(compiler,
                           "clang++"))
    bare = t.run_bare(program)
    calls = [('"caught", 0', "true\t0"), ('"caught", 1', "true\t8"), ('"thrower", 0', "true\t0"),
             ('"thrower", 1', "false\t.*(exception|SIGABRT|throw|terminate)"),
             ('"nothrow", 1', "false\t.*(exception|SIGABRT|throw|terminate)"),
             ('"shop::overloaded", 1', "true\t1"), ('"caught", 1', "true\t8")]
    if level == "-O0":
        calls += [('"shop::Box<long>::plus", h.var.box, 22', "true\t42"),
                  ('"shop::Box<long>::get", h.var.box', "true\t20"),
                  ('"shop::Box<long>::twice", 21', "true\t42"),
                  ('"shop::Derived::number", h.var.derived', "true\t40"),
                  ('"shop::Base::number", h.var.derived', "true\t4")]
    lines = "".join("\tprint(pcall(h.call, h, %s))\n" % c for c, _ in calls)
    r = t.clean(t.run_gated(program, 'at "//here":run(function(h)\n%send)\n' % lines))
    t.equal(r.stdout, bare.stdout, "stdout", r)
    got = [l for l in r.err.splitlines() if l.startswith(("true\t", "false\t"))]  # terminate() speaks
    t.equal(len(got), len(calls), "lines", r)
    wrong = ["%s: %s" % (c, g) for (c, e), g in zip(calls, got) if not re.match(e, g)]
    t.equal(wrong, [], "calls", r)


# ---- arguments and results ---------------------------------------------------------------------

VALUES = r"""
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#define CALLED __attribute__((noinline, used))
enum color { RED = 1, GREEN = 5, BLUE = -3 };
struct pair { long a, b; };
struct mixed { double d; long n; };
struct doubles { double a, b; };
struct floats { float a, b, c; };
struct small { int a; char b; };
struct big { long a, b, c; };
struct queue { int count; struct queue *other; };
CALLED signed char id_i8(signed char x) { return x; }
CALLED unsigned char id_u8(unsigned char x) { return x; }
CALLED short id_i16(short x) { return x; }
CALLED unsigned short id_u16(unsigned short x) { return x; }
CALLED int id_i32(int x) { return x; }
CALLED unsigned id_u32(unsigned x) { return x; }
CALLED long id_i64(long x) { return x; }
CALLED unsigned long id_u64(unsigned long x) { return x; }
CALLED bool id_bool(bool x) { return x; }
CALLED bool not_bool(bool x) { return !x; }
CALLED float id_float(float x) { return x; }
CALLED double id_double(double x) { return x; }
CALLED long double id_long_double(double x) { return x; }
CALLED enum color id_color(enum color x) { return x; }
CALLED int number_of(enum color x) { return x; }
CALLED int length(const char *s) { return s ? (int)strlen(s) : -1; }
CALLED int compare(const char *a, const char *b) { return strcmp(a, b); }
CALLED const char *word(int n) { return n == 1 ? "one" : n == 2 ? "" : NULL; }
CALLED double mix(int a, double b, short c, float d, long e, double f, unsigned char g, double h, const char *i, bool j)
{
	return a + 10 * b + 100 * c + 1000 * d + 1e4 * e + 1e5 * f + 1e6 * g + 1e7 * h + 1e8 * strlen(i) + 1e9 * j;
}
CALLED long six(long a, long b, long c, long d, long e, long f)
{
	return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f;
}
CALLED double eight(double a, double b, double c, double d, double e, double f, double g, double h)
{
	return a + 10 * b + 100 * c + 1e3 * d + 1e4 * e + 1e5 * f + 1e6 * g + 1e7 * h;
}
CALLED long seven(long a, long b, long c, long d, long e, long f, long g)
{
	return six(a, b, c, d, e, f) + 1000000 * g;
}
CALLED struct pair get_pair(long a) { return (struct pair){a, a + 1}; }
CALLED struct mixed get_mixed(long a) { return (struct mixed){a + 0.5, a}; }
CALLED struct doubles get_doubles(double a) { return (struct doubles){a, a * 2}; }
CALLED struct floats get_floats(float a) { return (struct floats){a, a * 2, a * 3}; }
CALLED struct small get_small(int a) { return (struct small){a, 'x'}; }
CALLED struct big get_big(long a) { return (struct big){a, a, a}; }
CALLED void nothing(int *p) { if (p) *p += 1; }
CALLED int count_of(struct queue *q) { return q ? q->count : -1; }
CALLED struct queue *other_of(struct queue *q) { return q->other; }
CALLED int same(const void *a, const void *b) { return a == b; }
CALLED int call_back(int (*f)(int), int n) { return f(n) + 1; }
static inline __attribute__((always_inline)) int inlined(int n) { return n * 3; }
CALLED int at_align(void) { unsigned long sp; __asm__("mov %%rsp, %0" : "=r"(sp)); return sp % 8 == 0; }
CALLED __attribute__((noinline)) int aligned_movaps(void)
{
	volatile char room[16] __attribute__((aligned(16)));
	__asm__ volatile("movaps %%xmm0, %0" : "=m"(room));
	return 1;
}
int main(int argc, char **argv)
{
	struct queue second = {7, NULL}, queue = {3, &second};
	struct queue *q = &queue, *none = NULL;
	int number = argc;
	enum color c = GREEN;
	char text[] = "local text";
	printf("%d\n", inlined(argc) + q->count + c + (none != NULL)); /* gate: here */
	printf("%d %s %d\n", number, text, id_i32(1));
	return 0;
}
"""
VALUE_CALLS = [
    ('h:call("id_i8", -5)', "-5"), ('h:call("id_i8", 127)', "127"), ('h:call("id_u8", 200)', "200"),
    ('h:call("id_i16", -30000)', "-30000"), ('h:call("id_u16", 60000)', "60000"),
    ('h:call("id_i32", -2147483648)', "-2147483648"), ('h:call("id_u32", 4000000000)', "4000000000"),
    ('h:call("id_i64", math.mininteger)', "-9223372036854775808"),
    ('h:call("id_i64", -1)', "-1"),
    ('h:call("id_u64", 0x7fffffffffffffff)', "9223372036854775807"),
    ('h:call("id_bool", true)', "true"), ('h:call("id_bool", false)', "false"),
    ('h:call("not_bool", true)', "false"),
    ('h:call("id_float", 0.25)', "0.25"), ('h:call("id_double", -1.5e300)', "-1.5e+300"),
    ('h:call("id_double", 3)', "3.0"), ('h:call("id_i32", 3.0)', "3"),
    ('h:call("id_long_double", 2.5)', "2.5"),
    ('h:call("id_color", "GREEN") == 5', "true"), ('h:call("id_color", "BLUE").name', "BLUE"),
    ('h:call("number_of", "BLUE")', "-3"), ('h:call("number_of", h.var.c)', "5"),
    ('h:call("number_of", 1)', "1"),
    ('h:call("length", "hello")', "5"), ('h:call("length", "")', "0"), ('h:call("length", nil)', "-1"),
    ('h:call("length", ("x"):rep(5000))', "5000"), ('h:call("length", h.var.text)', "10"),
    ('h:call("compare", "same", "same")', "0"), ('h:call("compare", "b", "a") > 0', "true"),
    ('h:call("word", 1):string()', "one"), ('h:call("word", 2):string()', ""),
    ('h:call("word", 3)', "nil"),
    ('h:call("mix", 1, 2.0, 3, 4.0, 5, 6.0, 7, 8.0, "123456789", true)', "1987654321.0"),
    ('h:call("six", 1, 2, 3, 4, 5, 6)', "654321"),
    ('h:call("eight", 1, 2, 3, 4, 5, 6, 7, 8)', "87654321.0"),
    ('h:call("get_pair", 5).a + h:call("get_pair", 5).b', "11"),
    ('h:call("get_mixed", 5).d', "5.5"), ('h:call("get_mixed", 5).n', "5"),
    ('h:call("get_doubles", 1.5).b', "3.0"), ('h:call("get_floats", 1.5).c', "4.5"),
    ('h:call("get_small", 9).a', "9"), ('h:call("get_small", 9).b', "120"),
    ('h:call("nothing", nil)', "nil"),
    ('h:call("count_of", h.var.q)', "3"), ('h:call("count_of", nil)', "-1"),
    ('h:call("count_of", h.var.none)', "-1"),
    ('h:call("count_of", h.var.q.other)', "7"), ('h:call("other_of", h.var.q).count', "7"),
    ('h:call("other_of", h:call("other_of", h.var.q))', "nil"),
    ('h:call("same", h.var.q, h:eval "&queue")', "1"),
    ('h:call("call_back", h:eval "&id_i32", 4)', "5"),
    ('h:call("at_align")', "1"), ('h:call("aligned_movaps")', "1"),
    ('h:frame(0):call("id_i32", 6)', "6"),
    ('h:call("strlen", "from libc")', "9"),
]
ERROR_CALLS = [
    ('h:call("no_such_function", 1)', "no_such_function"),
    ('h:call("id_i32")', "id_i32.*argument|argument.*id_i32"),
    ('h:call("id_i32", 1, 2)', "id_i32.*argument|argument.*id_i32"),
    ('h:call("inlined", 1)', "inline"),
    ('h:call("number_of", "PURPLE")', "PURPLE"),
    ('h:call("id_i32", "text")', "id_i32|text|string|int"),
    ('h:call("id_i32", 2.5)', r"2\.5|integer|whole number"),
    ('h:call("id_i32", {})', "table"),
    ('h:call("id_i32", print)', "function"),
    ('h:call("seven", 1, 2, 3, 4, 5, 6, 7)', "seven|argument|6"),
    ('h:call("get_big", 1)', "get_big|struct big|memory|bytes"),
    ('h:call(nil)', "string"), ('h:call("")', ""), ('h:call("h\\0i")', "zero"),
    ('h:call("queue")', "queue"),
]


@params("gcc -O0", "gcc -O2", "clang -O0")
def test_values(t, options):
    compiler, level = options.split()
    program = compile_text("values.c", VALUES, "-g " + level, compiler=compiler)
    if level != "-O0":  # locals may have gone
        calls = [c for c in VALUE_CALLS if "h.var" not in c[0] and "&queue" not in c[0]]
    else:
        calls = VALUE_CALLS
    lines = "".join("\tprint(pcall(function() return %s end))\n" % c for c, _ in calls)
    bare = t.run_bare(program)
    r = t.clean(t.run_gated(program, 'at "//here":run(function(h)\n%send)\n' % lines))
    got = r.err.splitlines()
    t.equal(len(got), len(calls), "lines", r)
    wrong = ["%s: %s" % (c, g) for (c, e), g in zip(calls, got) if g != "true\t" + e]
    t.equal(wrong, [], "calls")
    t.equal(r.stdout, bare.stdout, "stdout", r)


def test_wrong_calls(t):
    program = compile_text("values.c", VALUES, "-g -O0")
    lines = "".join("\tprint(pcall(function() return %s end))\n" % c for c, _ in ERROR_CALLS)
    r = t.clean(t.run_gated(program, 'at "//here":run(function(h)\n%send)\n' % lines))
    got = r.err.splitlines()
    t.equal(len(got), len(ERROR_CALLS), "lines", r)
    wrong = ["%s: %s" % (c, g) for (c, e), g in zip(ERROR_CALLS, got)
             if not g.startswith("false\t") or not re.search(e, g.split("\t", 1)[1], re.S)]
    t.equal(wrong, [], "calls")


def test_call_that_writes(t):
    """Conditions that read what the call has written are asked again."""
    program = compile_text("values.c", VALUES, "-g -O0")
    r = t.clean(t.run_gated(program, """at "//here":run(function(h)
	h:call("nothing", h:eval "&number")
	h:call("nothing", h:eval "&number")
	print(h.var.number)
end)
"""))
    t.equal(r.err, "3\n", "stderr", r)
    t.equal(r.stdout.splitlines()[1], "3 local text 1", "stdout", r)


# ---- the others --------------------------------------------------------------------------------

OTHERS = r"""
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static volatile long runs, held_steps;
static volatile int stop, arrived;
__attribute__((noinline)) long wait_progress(long n)
{
	long from = runs;
	while (runs < from + n)
		;
	return held_steps;
}
static void *runner(void *arg)
{
	while (!stop)
		runs++;
	return arg;
}
static void *held(void *arg)
{
	arrived = 1;
	held_steps++; /* gate: held */
	return arg;
}
static void *caller(void *arg)
{
	while (!arrived)
		;
	usleep(20000);
	runs += 0; /* gate: call */
	return arg;
}
int main(void)
{
	pthread_t r, h, c;
	pthread_create(&r, NULL, runner, NULL);
	pthread_create(&h, NULL, held, NULL);
	pthread_create(&c, NULL, caller, NULL);
	pthread_join(c, NULL);
	pthread_join(h, NULL);
	stop = 1;
	pthread_join(r, NULL);
	printf("%ld\n", held_steps);
	return 0;
}
"""


def test_other_threads_keep_their_state(t):
    """Those who run do, those who are held stay so."""
    r = t.clean(t.run_gated(compile_text("others.c", OTHERS), script="""
local go = SimpleGate "go"
at "//held":wait(go)
at "//call":run(function(h)
	for i = 1, 20 do print(h:call("wait_progress", 10000)) end
end):open(go)
"""))
    t.equal(r.err, "0\n" * 20, "stderr", r)
    t.equal(r.stdout, "1\n", "stdout", r)


AT_SIGNAL = r"""
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static volatile int handled;
static int p[2];
static pthread_t first;
__attribute__((noinline)) int twice(int n) { return 2 * n; }
__attribute__((noinline)) int crash(void) { return *(volatile int *)0; }
static void count(int sig) { handled++; }
static void *sender(void *arg)
{
	usleep(30000);
	pthread_kill(first, SIGUSR1);
	return NULL;
}
static void *writer(void *arg)
{
	sender(NULL);
	usleep(30000);
	write(p[1], "x", 1);
	return NULL;
}
int main(void)
{
	struct sigaction a = {.sa_handler = count}, b = {.sa_handler = count, .sa_flags = SA_RESTART};
	struct timespec ms = {5, 0};
	pthread_t t;
	char c = 0;
	int r;
	first = pthread_self();
	pipe(p);
	sigaction(SIGUSR1, &a, NULL);
	pthread_create(&t, NULL, sender, NULL);
	r = nanosleep(&ms, &ms);
	printf("nanosleep %d %s, remaining %s\n", r, strerror(errno), ms.tv_sec == 4 ? "4" : "wrong");
	pthread_join(t, NULL);
	sigaction(SIGUSR1, &b, NULL);
	pthread_create(&t, NULL, writer, NULL);
	errno = 0;
	r = read(p[0], &c, 1);
	printf("read %d %c %s\n", r, c, strerror(errno));
	pthread_join(t, NULL);
	pthread_create(&t, NULL, sender, NULL);
	while (handled < 3)
		r++;
	pthread_join(t, NULL);
	printf("handled %d\n", handled);
	return 0;
}
"""


@params("twice", "crash")
def test_call_at_a_signal(t, function):
    """The thread may be in the middle of a system call; that goes on, or is cut short, as it would."""
    program = compile_text("at_signal.c", AT_SIGNAL)
    bare = t.run_bare(program)
    arg = ", 21" if function == "twice" else ""
    r = t.clean(t.run_gated(program, script="""on("signal", {signal = "SIGUSR1"}):run(function(h)
	print(pcall(function() return h:call("%s"%s) end))
end)
""" % (function, arg)))
    t.equal(r.stdout, bare.stdout, "stdout", r)
    t.equal(len(r.err.splitlines()), 3, "lines", r)
    for line in r.err.splitlines():
        t.check(re.match("true\t42$" if arg else "false\t.*SIGSEGV", line), "result", r)


EVENTS = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int twice(int n) { return 2 * n; }
static void *thread(void *arg) { return arg; }
int main(int argc, char **argv)
{
	pthread_t t;
	int status;
	pid_t pid;
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	pid = fork();
	if (pid == 0)
		exit(twice(4));
	waitpid(pid, &status, 0);
	printf("%d\n", WEXITSTATUS(status));
	return 0;
}
"""


@params("thread-start", "thread-exit", "exit", "fork")
def test_call_at_an_event(t, event):
    """It works, or says that it cannot be; the program goes on."""
    program = compile_text("events.c", EVENTS)
    r = t.clean(t.run_gated(program, script="""on "%s":run(function(h)
	print(pcall(function() return h:call("twice", 21) end))
end)
""" % event))
    t.equal(r.stdout, "8\n", "stdout", r)
    t.check(r.err, "no arrival", r)
    for line in r.err.splitlines():
        t.check(re.match("true\t42$|false\t.+", line), "result", r)


STORM = r"""
#include <sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
enum { N = 3000 };
static volatile int handled, sent, n, over;
static pthread_t first;
__attribute__((noinline)) int work(int k)
{
	volatile int s = 0;
	for (int i = 0; i < 2000; i++)
		s += i & k;
	return k;
}
static void on_rt(int sig, siginfo_t *i, void *u)
{
	if (i->si_value.sival_int == handled)
		handled++;
}
static void *sender(void *arg)
{
	while (n == 0)
		sched_yield();
	for (int i = 0; i < N; i++) {
		union sigval v = {.sival_int = i};
		while (pthread_sigqueue(first, SIGRTMIN, v))
			usleep(100);
		sent++;
		if (i % 20 == 0)
			usleep(200);
	}
	return arg;
}
int main(void)
{
	struct sigaction a = {.sa_sigaction = on_rt, .sa_flags = SA_SIGINFO};
	pthread_t t;
	first = pthread_self();
	sigaction(SIGRTMIN, &a, NULL);
	pthread_create(&t, NULL, sender, NULL);
	while (handled < N && n < 1000000)
		n++; /* gate: here */
	pthread_join(t, NULL);
	printf("%d of %d\n", handled, sent);
	return 0;
}
"""


@timeout(120)
def test_calls_in_a_storm_of_signals(t):
    """Queued signals of which some arrive during calls: all are handled, in order, once."""
    r = t.clean(t.run_gated(compile_text("storm.c", STORM), seconds=60,
                            script="""local wrong = 0
at "//here":run(function(h)
	if h:call("work", h.count % 1000) ~= h.count % 1000 then print "wrong" end
end)
"""))
    t.equal((r.stdout, r.err), ("3000 of 3000\n", ""), "output", r)
