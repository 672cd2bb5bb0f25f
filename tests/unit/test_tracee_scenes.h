/*
 * A program whose instructions are hit in all circumstances, and counters of its hits. The program
 * is the test itself: with the name of a scene as argument it plays the scene.
 */
#ifndef TEST_TARGET_SCENES_H
#define TEST_TARGET_SCENES_H

#include "test_tracee_drive.h"
#include "tracer/tracee/traps/traps.h"
#include "tracer/tracee/attach/attach.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

/* clang-format off */
#define FUNC(name) ".text\n.globl " name "\n.type " name ", @function\n" name ":\n"
#define LABEL(name) ".globl " name "\n" name ":\n"
__asm__(FUNC("nop_line") "nopl 0(%rax)\nret\n"
	FUNC("push_line") "push %rbp\npop %rbp\nret\n"
	FUNC("empty") "ret\n"
	FUNC("calls") "sub $8, %rsp\n" LABEL("call_site") "call empty\nadd $8, %rsp\nret\n"
	FUNC("calls_by") "sub $8, %rsp\n" LABEL("call_by_site") "call *%rdi\nadd $8, %rsp\nret\n"
	FUNC("branches") "test $1, %dil\n" LABEL("branch_site") "jz 1f\n"
	"lock incq counter(%rip)\n1: ret\n"
	FUNC("counts") LABEL("count_site") "lock incq counter(%rip)\n" LABEL("return_site") "ret\n"
	FUNC("asks_tid") "mov $186, %eax\n" LABEL("syscall_site") "syscall\nret\n"
	FUNC("loads") LABEL("load_site") "mov (%rdi), %eax\n" LABEL("behind_load") "ret\n"
	FUNC("undefined") LABEL("ud2_site") "ud2\nret\n"
	FUNC("waits") "mov $0, %eax\n" LABEL("wait_site") "syscall\nret\n");
/* clang-format on */

void nop_line(void);
void push_line(void);
void empty(void);
void calls(void);
void calls_by(void (*f)(void));
void branches(long n);
void counts(void);
long asks_tid(void);
int loads(const int *p);
void undefined(void);
long waits(int fd, void *buf, size_t n);
extern const char call_site[], call_by_site[], branch_site[], count_site[], return_site[],
	syscall_site[], load_site[], behind_load[], wait_site[], ud2_site[];
volatile long counter;

enum { ROUNDS = 3000, THREADS = 2 };

/* ---- scenes of the program under test -------------------------------------------------------- */

static volatile sig_atomic_t alarms, finished;

static void on_alarm(int signal)
{
	(void)signal;
	alarms++;
	getppid();
}

static void start_alarms(int flags)
{
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART | flags};
	const struct itimerval often = {{0, 100}, {0, 100}};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

static void *hammer(void *arg)
{
	(void)arg;
	for (long i = 0; i < ROUNDS; i++) {
		nop_line();
		push_line();
		calls();
		calls_by(empty);
		branches(i);
		counts();
		if (asks_tid() != gettid())
			abort();
	}
	return NULL;
}

static void wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			abort();
	if (status)
		abort();
}

/* Every second child does a round of its own. */
static void *fork_all_the_time(void *arg)
{
	static char *const argv[] = {"true", NULL};
	pid_t pid;

	(void)arg;
	while (!finished) {
		if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ))
			abort();
		wait_for(pid);
		pid = fork();
		if (!pid) {
			execv("/bin/true", argv);
			_exit(1);
		}
		wait_for(pid);
	}
	return NULL;
}

static int hammer_together(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, hammer, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return counter == THREADS * ROUNDS * 3 / 2 ? 0 : 1;
}

static int scene_hammer(void)
{
	return hammer_together();
}

static int scene_alarms(void)
{
	int bad;

	start_alarms(0);
	bad = hammer_together();
	return bad || !alarms;
}

static int scene_forks(void)
{
	pthread_t forker;
	int bad;

	start_alarms(0);
	pthread_create(&forker, NULL, fork_all_the_time, NULL);
	bad = hammer_together();
	finished = 1;
	pthread_join(forker, NULL);
	return bad;
}

static char *page;
static sigjmp_buf out_of_handler;
static const void *fault_pc, *fault_addr;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	fault_pc = (void *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	fault_addr = info->si_addr;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void on_fault_jump(int signal, siginfo_t *info, void *context)
{
	on_fault(signal, info, context);
	siglongjmp(out_of_handler, 1);
}

static int fault_once(void (*handler)(int, siginfo_t *, void *), int flags)
{
	static char stack[64 * 1024];
	const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
	const struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};

	sigaltstack(&alternate, NULL);
	sigaction(SIGSEGV, &action, NULL);
	mprotect(page, 4096, PROT_NONE);
	fault_pc = fault_addr = NULL;
	if (!sigsetjmp(out_of_handler, 1))
		loads((int *)page);
	getppid();
	return fault_pc == load_site && fault_addr == page ? 0 : 1;
}

static void on_undefined(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	fault_addr = info->si_addr;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
}

static int scene_undefined(void)
{
	const struct sigaction action = {.sa_sigaction = on_undefined, .sa_flags = SA_SIGINFO};

	sigaction(SIGILL, &action, NULL);
	undefined();
	return fault_addr == ud2_site ? 0 : 1;
}

/* Eight arrivals: each faults once; the handler repairs the page or jumps away. */
static int scene_faults(void)
{
	int bad = 0;

	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < 2; i++) {
		bad += fault_once(on_fault, 0);
		bad += fault_once(on_fault_jump, 0);
		bad += fault_once(on_fault, SA_ONSTACK);
		bad += fault_once(on_fault_jump, SA_ONSTACK);
	}
	return bad;
}

static int ends[2];

static void on_alarm_write(int signal)
{
	if (++alarms == 5 && write(ends[1], "x", 1) != 1)
		_exit(9);
	(void)signal;
}

/* One arrival: the read is restarted after each of five signals. */
static int scene_restart(void)
{
	struct sigaction action = {.sa_handler = on_alarm_write, .sa_flags = SA_RESTART};
	const struct itimerval often = {{0, 2000}, {0, 2000}};
	char byte;

	if (pipe(ends))
		return 1;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	return waits(ends[0], &byte, 1) == 1 && byte == 'x' ? 0 : 2;
}

static void *exec_self(void *arg)
{
	(void)arg;
	nop_line();
	execl("/proc/self/exe", "again", "exit7", (char *)NULL);
	return NULL;
}

static void *sleep_long(void *arg)
{
	(void)arg;
	pause();
	return NULL;
}

static int scene_exec(void)
{
	pthread_t thread;

	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, sleep_long, NULL);
	pthread_create(&thread, NULL, exec_self, NULL);
	pause();
	return 1;
}

static int scene_exit7(void)
{
	nop_line();
	return 7;
}

static int scene_vfork(void)
{
	pid_t pid = vfork();

	if (!pid) {
		syscall(SYS_getppid);
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	wait_for(pid);
	pid = fork();
	if (!pid) {
		nop_line();
		_exit(memcmp((void *)nop_line, "\xcc", 1) ? 0 : 3);
	}
	wait_for(pid);
	nop_line();
	return 0;
}

static void *fork_for_ever(void *arg)
{
	(void)arg;
	for (;;) {
		pid_t pid = fork();

		if (!pid) {
			nop_line();
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	return NULL;
}

/* Processes are killed while their threads fork: some children are reported by no process. */
static int scene_orphans(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (int i = 0; i < 40; i++) {
		const struct timespec some_time = {.tv_nsec = 1000000 + i * 100000};
		pthread_t thread;
		pid_t pid = fork();

		if (!pid) {
			for (int k = 0; k < 3; k++)
				pthread_create(&thread, NULL, fork_for_ever, NULL);
			pause();
		}
		nanosleep(&some_time, NULL);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
	return 0;
}

static int scene_handled(void)
{
	signal(SIGTERM, on_alarm);
	signal(SIGUSR1, SIG_IGN);
	nop_line();
	return 0;
}

static const struct scene scenes[] = {
	{"hammer", scene_hammer},	{"alarms", scene_alarms},   {"forks", scene_forks},
	{"faults", scene_faults},	{"restart", scene_restart}, {"exec", scene_exec},
	{"exit7", scene_exit7},		{"vfork", scene_vfork},	    {"handled", scene_handled},
	{"undefined", scene_undefined}, {"orphans", scene_orphans},
};

/* ---- running a scene and counting hits ------------------------------------------------------- */

struct counted {
	struct tracee *t;
	struct tracee_event ev;
	int counts[TRACEE_EMPTY + 1];
	long hits;
	int status;
	bool no_follow, trace_exit;
	const void *sites[8]; /* addresses in this process */
	struct tracee_site *placed[8];
	void (*at_site)(struct counted *r);
};

static inline bool is_this_executable(const struct tracee_process *p)
{
	char link[64], theirs[4096] = "", ours[4096] = "";

	snprintf(link, sizeof(link), "/proc/%d/exe", p->pid);
	return readlink(link, theirs, sizeof(theirs) - 1) > 0 &&
	       readlink("/proc/self/exe", ours, sizeof(ours) - 1) > 0 && !strcmp(theirs, ours);
}

static inline void place_sites(struct counted *r)
{
	ERROR(err);

	for (size_t i = 0; i < 8 && r->sites[i]; i++) {
		r->placed[i] = tracee_site_add(r->t, r->ev.process, r->ev.thread,
					       there(r->ev.process, r->sites[i]), r, &err);
		if (!r->placed[i])
			fail_msg("%s", err.text);
	}
}

static inline void start(struct counted *r, const char *scene)
{
	char name[32];
	char *const argv[] = {"/proc/self/exe", name, NULL};
	const struct tracee_launch how = {.argv = argv,
					  .stdin_fd = -1,
					  .stdout_fd = -1,
					  .stderr_fd = -1,
					  .tick_ms = 20,
					  .no_follow = r->no_follow,
					  .trace_exit = r->trace_exit};
	ERROR(err);

	snprintf(name, sizeof(name), "%s", scene);
	r->t = tracee_launch(&how, &err);
	if (!r->t)
		fail_msg("%s", err.text);
	living = r->t;
	tracee_wait(r->t, &r->ev);
	assert_int_equal(r->ev.kind, TRACEE_EXEC);
	place_sites(r);
	tracee_resume(r->t, r->ev.thread);
}

static inline void one_event(struct counted *r)
{
	struct arch_regs regs;

	tracee_wait(r->t, &r->ev);
	r->counts[r->ev.kind]++;
	if (r->ev.kind == TRACEE_EXEC && is_this_executable(r->ev.process))
		place_sites(r);
	if (r->ev.kind == TRACEE_PROCESS_GONE && r->ev.process->is_root)
		r->status = r->ev.status;
	if (r->ev.kind == TRACEE_SITE) {
		r->hits++;
		assert_ptr_equal(r->ev.site->user, r);
		if (r->hits % 64 == 1 && !tracee_regs(r->ev.thread, &regs))
			assert_int_equal(regs.dwarf[ARCH_DWARF_PC], r->ev.site->addr);
		if (r->at_site)
			r->at_site(r);
	}
	if (r->ev.thread && r->ev.kind != TRACEE_THREAD_GONE)
		tracee_resume(r->t, r->ev.thread);
}

static inline void finish(struct counted *r)
{
	do
		one_event(r);
	while (r->ev.kind != TRACEE_EMPTY);
	sweep(NULL);
}

static inline void run_scene(struct counted *r, const char *scene)
{
	start(r, scene);
	finish(r);
}

/* Plays the scene and exits without a leak check, which cannot run under a tracer. */
static inline void play_scene(const char *name)
{
	_exit(play(scenes, sizeof(scenes) / sizeof(*scenes), name));
}

#endif
