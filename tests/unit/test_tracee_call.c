/*
 * Functions of the program run by a stopped thread: the program's state is unchanged afterwards.
 *
 * The test launches itself: with the name of a scene as argument it plays that scene, which checks
 * its own registers, errno and signal mask at the end.
 */
#include "test_tracee_drive.h"
#include "tracer/tracee/threads/threads.h"
#include "tracer/tracee/syscalls/syscalls.h"
#include "tracer/tracee/signals/signals.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

/* clang-format off */
/* All registers are set before a nop at which calls are made; returns 0 if they are unchanged. */
__asm__(".text\n.globl keeps\n.type keeps, @function\nkeeps:\n"
	"push %rbx\npush %rbp\npush %r12\npush %r13\npush %r14\npush %r15\n"
	"movq $0x1122334455667788, %rax\nmovq %rax, %xmm0\nmovq %rax, %xmm7\nmovq %rax, %xmm15\n"
	"movq %rax, -16(%rsp)\nmovq %rax, -128(%rsp)\n"
	"mov $2, %ebx\nmov $3, %ecx\nmov $4, %edx\nmov $5, %esi\nmov $6, %edi\nmov $7, %ebp\n"
	"mov $8, %r8d\nmov $9, %r9d\nmov $10, %r10d\nmov $11, %r11d\nmov $12, %r12d\n"
	"mov $13, %r13d\n"
	"mov $14, %r14d\nmov $15, %r15d\nfldpi\nfld1\nstd\nstc\n"
	".globl keeps_site\nkeeps_site: nopl 0(%rax)\n"
	"jnc 9f\ncld\n"
	"cmp %rax, -16(%rsp)\njne 9f\ncmp %rax, -128(%rsp)\njne 9f\n"
	"add %rcx, %rbx\nadd %rdx, %rbx\nadd %rsi, %rbx\nadd %rdi, %rbx\nadd %rbp, %rbx\n"
	"add %r8, %rbx\nadd %r9, %rbx\nadd %r10, %rbx\nadd %r11, %rbx\nadd %r12, %rbx\n"
	"add %r13, %rbx\nadd %r14, %rbx\nadd %r15, %rbx\ncmp $119, %rbx\njne 9f\n"
	"movq %xmm0, %rcx\ncmp %rcx, %rax\njne 9f\nmovq %xmm7, %rcx\ncmp %rcx, %rax\njne 9f\n"
	"movq %xmm15, %rcx\ncmp %rcx, %rax\njne 9f\n"
	"fsubrp %st, %st(1)\nfldpi\nfld1\nfsubrp %st, %st(1)\nfcomip %st(1), %st\n"
	"fstp %st(0)\njne 9f\n"
	"xor %eax, %eax\njmp 8f\n9: cld\nmov $1, %eax\n"
	"8: pop %r15\npop %r14\npop %r13\npop %r12\npop %rbp\npop %rbx\nret\n"
	".globl site_line\n.type site_line, @function\nsite_line: nopl 0(%rax)\nret\n");
/* clang-format on */

long keeps(void);
void site_line(void);
extern const char keeps_site[];

/* ---- called functions ------------------------------------------------------------------------ */

static volatile long calls;
static jmp_buf outer;

__attribute__((noinline)) static double mean(double a, double b, const char *text)
{
	calls++;
	errno = ENOTTY;
	return (a + b) / 2 + (double)strlen(text);
}

__attribute__((noinline)) static long six(long a, long b, long c, long d, long e, long f)
{
	return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f;
}

__attribute__((noinline)) static long crash(volatile long *at)
{
	return *at;
}

__attribute__((noinline)) static void give_up(void)
{
	abort();
}

__attribute__((noinline)) static void leave(int how)
{
	if (how == 1)
		exit(7);
	else if (how == 2)
		_exit(7);
	else if (how == 3)
		pthread_exit(NULL);
	execl("/bin/true", "true", (char *)NULL);
}

__attribute__((noinline)) static void jump_out(void)
{
	longjmp(outer, 1);
}

__attribute__((noinline)) static long jump_within(long n)
{
	jmp_buf here;
	volatile long rounds = 0;

	if (setjmp(here) < n) {
		rounds++;
		longjmp(here, (int)rounds);
	}
	return rounds;
}

__attribute__((noinline)) static void block(int how)
{
	pause();
	while (how)
		calls++;
}

__attribute__((noinline)) static long recurse(long n)
{
	volatile char room[64];

	room[0] = (char)n;
	return n ? recurse(n - 1) + 1 + room[0] - (char)n : 0;
}

__attribute__((noinline)) static long meets_sites(long n)
{
	for (long i = 0; i < n; i++)
		site_line();
	return n;
}

__attribute__((noinline)) static long masks(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	raise(SIGUSR1);
	return 5;
}

__attribute__((noinline)) static void breaks(void)
{
	__asm__ volatile("int3");
}

__attribute__((noinline)) static long sleeps(void)
{
	const struct timespec some = {.tv_nsec = 1000000};

	return nanosleep(&some, NULL);
}

static void *nothing(void *arg)
{
	return arg;
}

__attribute__((noinline)) static long makes(int how)
{
	pthread_t thread;

	if (how)
		return system("true");
	return pthread_create(&thread, NULL, nothing, NULL);
}

/* ---- scenes ---------------------------------------------------------------------------------- */

static volatile sig_atomic_t usr1;

static void on_usr1(int signal)
{
	(void)signal;
	usr1++;
}

static volatile bool sites_are_there;

/* Also runs into the temporary traps that a call sets in longjmp. */
static void *spin_sites(void *arg)
{
	(void)arg;
	while (!sites_are_there)
		jump_within(2);
	for (long i = 0; i < 3000; i++) {
		site_line();
		jump_within(2);
	}
	return NULL;
}

/* Nothing has changed, however often a call was made here. */
static int scene_keeps(void)
{
	sigset_t before, after;
	pthread_t other;
	int bad = 0;

	signal(SIGUSR1, on_usr1);
	sigprocmask(SIG_SETMASK, NULL, &before);
	pthread_create(&other, NULL, spin_sites, NULL);
	for (int i = 0; i < 4; i++) {
		if (setjmp(outer))
			_exit(90);
		errno = EXDEV;
		bad |= keeps() != 0;
		sites_are_there = true;
		bad |= errno != EXDEV ? 2 : 0;
	}
	sigprocmask(SIG_SETMASK, NULL, &after);
	bad |= memcmp(&before, &after, sizeof(long)) ? 4 : 0;
	pthread_join(other, NULL);
	return bad | (usr1 ? 8 : 0);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Only signals with a handler without SA_RESTART give EINTR. */
static int scene_sleep(void)
{
	struct timespec long_time = {.tv_nsec = 300000000}, left = {0};
	double start = now();

	if (nanosleep(&long_time, &left) < 0)
		return errno == EINTR && usr1 ? 0 : 1;
	return now() - start >= 0.299 ? 0 : 2;
}

static const struct scene scenes[] = {{"keeps", scene_keeps}, {"sleep", scene_sleep}};

/* ---- the tests ------------------------------------------------------------------------------- */

enum libc_function { ERRNO, LONGJMP, SIGLONGJMP, EXIT, PTHREAD_EXIT };

/* libc is at another address in the program, which has its own addresses here. */
static void *volatile libc_functions[] = {(void *)__errno_location, (void *)longjmp,
					  (void *)siglongjmp, (void *)exit, (void *)pthread_exit};

static uint64_t in_libc(struct tracee_process *p, enum libc_function which)
{
	uint64_t addr = 0;

	assert_int_equal(tracee_read(p, there(p, &libc_functions[which]), &addr, sizeof(addr)), 0);
	return addr;
}

static void start(struct run *r, char *scene)
{
	launch(r, scene, keeps_site);
}

/* Resumes until a thread is at the site (other sites are passed). Returns false at the end. */
static bool to_site(struct run *r, const void *here)
{
	for (next_event(r); r->ev.kind != TRACEE_EMPTY; next_event(r)) {
		if (r->ev.kind == TRACEE_SITE && r->ev.site->addr == there(r->ev.process, here))
			return true;
		go_on(r);
	}
	return false;
}

/* The call with the facts that a run knows: errno, and the functions that do not return. */
static struct tracee_call call_of(struct run *r, const void *function)
{
	struct tracee_process *p = r->ev.process;

	return (struct tracee_call){
		.function = there(p, function),
		.limit_ms = 5000,
		.errno_function = in_libc(p, ERRNO),
		.leaving = {in_libc(p, LONGJMP), in_libc(p, SIGLONGJMP)},
		.leaving_count = 2,
		.ending = {in_libc(p, EXIT), in_libc(p, PTHREAD_EXIT)},
		.ending_count = 2,
	};
}

static int make(struct run *r, struct tracee_call *call)
{
	error_fini(&r->err);
	return tracee_call(r->t, r->ev.thread, call, &r->err);
}

static void expect_result(struct run *r, const void *function, long argument, long result)
{
	struct tracee_call call = call_of(r, function);

	call.integer[0] = (uint64_t)argument;
	call.integers = 1;
	if (make(r, &call) < 0)
		fail_msg("%s", r->err.text);
	assert_int_equal(call.rax, result);
}

static void expect_failure(struct run *r, const void *function, long argument, const char *why)
{
	struct tracee_call call = call_of(r, function);

	call.integer[0] = (uint64_t)argument;
	call.integers = 1;
	call.limit_ms = strstr(why, "100 ms") ? 100 : 5000;
	assert_int_equal(make(r, &call), -1);
	assert_int_equal(r->err.code, ERROR_STATE);
	if (!strstr(r->err.text, why))
		fail_msg("'%s' instead of '%s'", r->err.text, why);
	error_fini(&r->err);
}

/* The program itself checks that nothing has changed. */
static void finish(struct run *r)
{
	do
		tracee_resume(r->t, r->ev.thread);
	while (to_site(r, keeps_site));
	assert_int_equal(r->status, 0);
	sweep(NULL);
}

static void values_go_in_and_out(void **state)
{
	struct run r = {0};
	struct tracee_call call;
	double result;

	(void)state;
	start(&r, "keeps");
	while (to_site(&r, keeps_site)) {
		call = call_of(&r, mean);
		call.vectors = 2;
		call.vector[0] = 1.5;
		call.vector[1] = 2.5;
		call.integers = call.texts = 1;
		call.text[0] = "seven..";
		assert_int_equal(make(&r, &call), 0);
		memcpy(&result, call.xmm0, sizeof(result));
		assert_true(fabs(result - 9) < 1e-9);
		call = call_of(&r, six);
		call.integers = 6;
		for (uint64_t i = 0; i < 6; i++)
			call.integer[i] = i + 1;
		assert_int_equal(make(&r, &call), 0);
		assert_int_equal(call.rax, 654321);
		tracee_resume(r.t, r.ev.thread);
	}
	assert_int_equal(r.counts[TRACEE_SITE], 4);
	assert_int_equal(r.status, 0);
}

static void failed_calls_leave_no_trace(void **state)
{
	struct run r = {0};

	(void)state;
	start(&r, "keeps");
	assert_true(to_site(&r, keeps_site));
	for (int i = 0; i < 2; i++) {
		expect_failure(&r, crash, 16, "SIGSEGV");
		expect_failure(&r, give_up, 0, "SIGABRT");
		for (int how = 0; how <= 3; how++)
			expect_failure(&r, leave, how, "it was about to");
		expect_failure(&r, jump_out, 0, "longjmp");
		expect_failure(&r, recurse, 1L << 40, "SIGSEGV");
		expect_failure(&r, breaks, 0, "SIGTRAP");
		expect_failure(&r, (void *)site_line - there(r.ev.process, 0), 0, "SIG");
		expect_failure(&r, makes, 1, "vfork");
		expect_result(&r, jump_within, 5, 5);
		expect_result(&r, recurse, 10000, 10000);
	}
	finish(&r);
}

static void long_calls_are_stopped(void **state)
{
	struct run r = {0};

	(void)state;
	start(&r, "keeps");
	assert_true(to_site(&r, keeps_site));
	expect_failure(&r, block, 0, "100 ms");
	expect_failure(&r, block, 1, "100 ms");
	finish(&r);
}

static void sites_inside_are_passed(void **state)
{
	struct run r = {0};

	(void)state;
	start(&r, "keeps");
	assert_true(to_site(&r, keeps_site));
	add_site(&r, site_line);
	add_site(&r, meets_sites);
	add_site(&r, six);
	do {
		expect_result(&r, meets_sites, 500, 500);
		tracee_resume(r.t, r.ev.thread);
	} while (to_site(&r, keeps_site));
	assert_int_equal(r.status, 0);
	/* hits of the other thread, all of them */
	assert_int_equal(r.counts[TRACEE_SITE], 4 + 3000);
}

static void held_and_called_again(void **state)
{
	struct run r = {0};
	struct tracee_event held;

	(void)state;
	start(&r, "keeps");
	assert_true(to_site(&r, keeps_site));
	held = r.ev;
	do { /* the other thread stops at its site */
		next_event(&r);
		go_on(&r);
	} while (r.ev.kind != TRACEE_TICK);
	r.ev = held;
	for (int i = 0; i < 20; i++) {
		struct arch_regs regs;

		expect_result(&r, jump_within, 3, 3);
		expect_failure(&r, crash, 16, "SIGSEGV");
		assert_int_equal(tracee_regs(held.thread, &regs), 0);
		assert_int_equal(regs.dwarf[ARCH_DWARF_PC], held.site->addr);
	}
	finish(&r);
	assert_int_equal(r.counts[TRACEE_SITE], 4);
}

static void signals_wait_until_the_call_is_over(void **state)
{
	struct run r = {0};

	(void)state;
	start(&r, "sleep");
	to_site(&r, keeps_site);
	assert_int_equal(r.status, 0);
	sweep(NULL);
	r = (struct run){0};
	start(&r, "keeps");
	assert_true(to_site(&r, keeps_site));
	expect_result(&r, masks, 0, 5);
	do
		tracee_resume(r.t, r.ev.thread);
	while (to_site(&r, keeps_site));
	assert_int_equal(r.counts[TRACEE_SIGNAL], 1);
	assert_int_equal(WEXITSTATUS(r.status), 8);
}

static void makes_a_thread(void **state)
{
	struct run r = {0};

	(void)state;
	start(&r, "keeps");
	assert_true(to_site(&r, keeps_site));
	expect_result(&r, makes, 0, 0);
	finish(&r);
	assert_int_equal(r.counts[TRACEE_THREAD_START], 2);
}

/* ---- in a sleeping thread -------------------------------------------------------------------- */

static void wait_until_blocked(struct run *r, struct tracee_thread *th)
{
	struct tracee_block look;

	do {
		next_event(r);
		go_on(r);
		tracee_look(th, &look);
	} while (look.activity != TRACEE_BLOCKED);
}

static void in_an_interrupted_sleep(const void *function, long result)
{
	struct run r = {0};
	struct tracee_thread *th;

	start(&r, "sleep");
	th = r.ev.thread;
	wait_until_blocked(&r, th);
	assert_int_equal(tracee_pause(r.t, th), 0);
	r.ev = (struct tracee_event){.thread = th, .process = th->process};
	expect_result(&r, function, 3, result);
	expect_failure(&r, crash, 16, "SIGSEGV");
	tracee_resume(r.t, th);
	assert_false(to_site(&r, keeps_site));
	assert_int_equal(r.status, 0);
	sweep(NULL);
}

static void sleepers_sleep_on(void **state)
{
	(void)state;
	in_an_interrupted_sleep(jump_within, 3);
	in_an_interrupted_sleep(sleeps, 0);
}

static void stopped_by_a_signal(bool drop)
{
	struct run r = {0};
	struct tracee_thread *th;

	start(&r, "sleep");
	th = r.ev.thread;
	wait_until_blocked(&r, th);
	kill(th->tid, SIGUSR2);
	do
		tracee_wait(r.t, &r.ev);
	while (r.ev.kind != TRACEE_SIGNAL);
	assert_int_equal(r.ev.signal, SIGUSR2);
	expect_result(&r, sleeps, 0, 0);
	if (drop)
		tracee_drop_signal(th);
	tracee_resume(r.t, th);
	assert_false(to_site(&r, keeps_site));
	assert_int_equal(drop ? WEXITSTATUS(r.status) : WTERMSIG(r.status), drop ? 0 : SIGUSR2);
	sweep(NULL);
}

static void signals_are_kept(void **state)
{
	(void)state;
	stopped_by_a_signal(true);
	stopped_by_a_signal(false);
}

static void dies_inside(void **state)
{
	struct run r = {0};
	struct tracee_call call;
	pid_t killer;

	(void)state;
	start(&r, "keeps");
	assert_true(to_site(&r, keeps_site));
	call = call_of(&r, block);
	killer = fork();
	if (!killer) {
		usleep(30000);
		kill(r.ev.process->pid, SIGKILL);
		_exit(0);
	}
	assert_int_equal(make(&r, &call), -1);
	assert_non_null(strstr(r.err.text, "ended"));
	error_fini(&r.err);
	assert_false(to_site(&r, keeps_site));
	assert_int_equal(WTERMSIG(r.status), SIGKILL);
}

static void registers_by_number(void **state)
{
	struct run r = {0};
	uint64_t value = 0;
	long double pi = 0;

	(void)state;
	start(&r, "keeps");
	assert_true(to_site(&r, keeps_site));
	assert_int_equal(tracee_vector(r.ev.thread, 17 + 15, &value, 8), 0);
	assert_int_equal(value, 0x1122334455667788);
	assert_int_equal(tracee_vector(r.ev.thread, 34, &pi, 10), 0);
	assert_true(fabsl(pi - 3.14159265358979323846L) < 1e-15L);
	assert_int_equal(tracee_vector(r.ev.thread, 33, &pi, 17), -1);
	value++;
	assert_int_equal(tracee_set_register(r.ev.thread, 17 + 15, &value, 8), 0);
	assert_int_equal(tracee_set_register(r.ev.thread, ARCH_DWARF_SP, &value, 8), -1);
	assert_int_equal(tracee_set_register(r.ev.thread, ARCH_DWARF_PC, &value, 8), -1);
	assert_int_equal(tracee_set_register(r.ev.thread, 0, &value, 8), 0);
	do
		tracee_resume(r.t, r.ev.thread);
	while (to_site(&r, keeps_site));
	assert_int_equal(WEXITSTATUS(r.status), 1); /* keeps() has detected the change */
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(values_go_in_and_out, sweep),
		cmocka_unit_test_teardown(failed_calls_leave_no_trace, sweep),
		cmocka_unit_test_teardown(long_calls_are_stopped, sweep),
		cmocka_unit_test_teardown(sites_inside_are_passed, sweep),
		cmocka_unit_test_teardown(held_and_called_again, sweep),
		cmocka_unit_test_teardown(signals_wait_until_the_call_is_over, sweep),
		cmocka_unit_test_teardown(makes_a_thread, sweep),
		cmocka_unit_test_teardown(sleepers_sleep_on, sweep),
		cmocka_unit_test_teardown(signals_are_kept, sweep),
		cmocka_unit_test_teardown(dies_inside, sweep),
		cmocka_unit_test_teardown(registers_by_number, sweep),
	};

	if (argc > 1)
		_exit(play(scenes, sizeof(scenes) / sizeof(*scenes),
			   argv[1])); /* no leak check: it cannot run under a tracer */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
