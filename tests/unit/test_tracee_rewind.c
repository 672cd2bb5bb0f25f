/*
 * Copies of a snapshot that are rewound to their start, and those that cannot be. The test launches
 * itself with the name of a scene, which prepares its state, becomes the snapshot in ready(), then
 * checks and changes the state. Shared memory remembers data between copies.
 */
#include "test_tracee_drive.h"
#include "tracer/tracee/snapshot/snapshot.h"
#include "tracer/tracee/attach/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

/* clang-format off */
__asm__(".text\n.globl ready\n.type ready, @function\nready: nopl 0(%rax)\nret\n");
/* clang-format on */

void ready(void);

static const long calls[] = {SYS_sched_yield, -1};

/* The exit status tells that a check failed, standard error which. */
#define CHECK(condition)                                                                           \
	do                                                                                         \
		if (!(condition)) {                                                                \
			fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                    \
			return 1;                                                                  \
		}                                                                                  \
	while (0)

enum { PAGE = 4096, PAGES = 16, DEEP = 300 * 1024, LARGE = 1 << 20, GUARD_INSTALL = 102 };

/* ---- state that is restored ------------------------------------------------------------------ */

static char data[3 * PAGE] = {1}, zeroes[64 * PAGE];
static _Thread_local int own = 7;
static struct {
	void *thread, *mapped, *heap;
	int file;
} * first; /* state found by the first copy; shared by all copies */

static void handler_a(int signal)
{
	(void)signal;
}

static void handler_b(int signal)
{
	(void)signal;
}

static void *new_map(size_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static volatile pid_t another;

static void *new_thread(void *arg)
{
	another = gettid();
	prctl(PR_SET_NAME, "another", 0, 0, 0);
	own = 9;
	*(void **)arg = &own;
	return malloc(100);
}

/* The kernel knows a thread for some time after its join. */
static int run_thread(void **of)
{
	char path[64];
	pthread_t id;

	CHECK(pthread_create(&id, NULL, new_thread, of) == 0 && pthread_join(id, NULL) == 0);
	for (snprintf(path, sizeof(path), "/proc/self/task/%d", another); access(path, F_OK) == 0;)
		sched_yield();
	return 0;
}

static bool is_all(const char *bytes, size_t n, char value)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i] != value)
			return false;
	return true;
}

static void (*handler_of(int signal))(int)
{
	struct sigaction is;

	sigaction(signal, NULL, &is);
	return is.sa_handler;
}

static bool blocks(int signal)
{
	sigset_t set;

	sigprocmask(0, NULL, &set);
	return sigismember(&set, signal);
}

/* Address below the used part of the stack. */
static volatile char *deep(void)
{
	return (volatile char *)__builtin_frame_address(0) - DEEP;
}

static int is_as_first(void *thread, void *mapped, void *heap, int file)
{
	if (!first->thread) {
		first->thread = thread;
		first->mapped = mapped;
		first->heap = heap;
		first->file = file;
	}
	CHECK(first->thread == thread);
	CHECK(first->mapped == mapped);
	CHECK(first->heap == heap);
	CHECK(first->file == file);
	return 0;
}

static int scene_all(void)
{
	char *heap = malloc(5000), *map = new_map((size_t)PAGES * PAGE),
	     *emptied = new_map(4 * PAGE);
	char *brk, *fixed = new_map(PAGE);
	const struct sigaction b = {.sa_handler = handler_b};
	void *thread, *mapped;
	sigset_t set;
	int file;

	first = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memset(heap, 'h', 5000);
	for (int i = 0; i < PAGES; i += 2)
		memset(map + i * PAGE, 'm', PAGE);
	memset(emptied, 'e', 4 * PAGE);
	memset(fixed, 'f', PAGE);
	signal(SIGUSR2, handler_a);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	CHECK(run_thread(&thread) == 0); /* the next thread gets its stack, with the guard page */
	brk = sbrk(0);
	ready();

	CHECK(data[0] == 1 && is_all(data + 1, sizeof(data) - 1, 0));
	CHECK(is_all(zeroes, sizeof(zeroes), 0));
	CHECK(is_all(heap, 5000, 'h'));
	for (int i = 0; i < PAGES; i++)
		CHECK(is_all(map + i * PAGE, PAGE, i % 2 ? 0 : 'm'));
	CHECK(is_all(emptied, 4 * PAGE, 'e'));
	CHECK(is_all(fixed, PAGE, 'f'));
	CHECK(*deep() == 0);
	CHECK(own == 7);
	CHECK(sbrk(0) == brk);
	CHECK(fegetround() == FE_TONEAREST);
	CHECK(handler_of(SIGUSR1) == SIG_DFL);
	CHECK(handler_of(SIGUSR2) == handler_a);
	CHECK(!blocks(SIGUSR1));

	memset(data, 2, sizeof(data));
	memset(zeroes + PAGE, 3, 5 * PAGE);
	free(heap);
	memset(malloc(200000), 4, 200000);
	memset(map, 5, (size_t)PAGES * PAGE);
	madvise(emptied, 2 * PAGE, MADV_DONTNEED);
	CHECK(is_all(emptied, 2 * PAGE, 0));
	mmap(fixed, PAGE, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*deep() = 6;
	own = 8;
	fesetround(FE_UPWARD);
	sigaction(SIGUSR1, &b, NULL);
	signal(SIGUSR2, SIG_IGN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	mapped = new_map(LARGE);
	memset(mapped, 7, LARGE);
	mprotect(mapped, PAGE, PROT_NONE);
	madvise((char *)mapped + PAGE, PAGE, GUARD_INSTALL);
	open("/dev/null", O_RDONLY);
	file = open("/dev/null", O_RDONLY);
	dup2(file, 50);
	CHECK(run_thread(&thread) == 0);
	return is_as_first(thread, mapped, sbrk(PAGE + 1), file);
}

/* ---- state that is not restored -------------------------------------------------------------- */

static int scene_folder(void)
{
	char at[PAGE];

	chdir("/proc");
	ready();
	CHECK(getcwd(at, sizeof(at)) && !strcmp(at, "/proc"));
	return chdir("/");
}

static int scene_mask(void)
{
	umask(022);
	ready();
	CHECK(umask(077) == 022);
	return 0;
}

static int scene_child(void)
{
	int status;
	pid_t child;

	ready();
	CHECK(waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD);
	child = fork();
	if (child == 0)
		_exit(5);
	CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 5);
	return 0;
}

static int scene_timer(void)
{
	struct itimerval is, later = {.it_value.tv_sec = 1000};

	ready();
	getitimer(ITIMER_REAL, &is);
	CHECK(!is.it_value.tv_sec && !is.it_value.tv_usec);
	return setitimer(ITIMER_REAL, &later, NULL);
}

static void *waits(void *arg)
{
	*(volatile int *)arg = 1;
	pause();
	return NULL;
}

static int scene_left(void)
{
	static volatile int waiting;
	pthread_t id;

	ready();
	CHECK(!waiting);
	pthread_create(&id, NULL, waits, (void *)&waiting);
	while (!waiting)
		sched_yield();
	return 0;
}

static int scene_unmapped(void)
{
	char *map = new_map(PAGE);

	*map = 'u';
	ready();
	CHECK(*map == 'u');
	return munmap(map, PAGE);
}

static int scene_protected(void)
{
	char *map = new_map(PAGE);

	ready();
	*map = 'p';
	return mprotect(map, PAGE, PROT_READ);
}

static int scene_closed(void)
{
	int file = open("/dev/null", O_RDONLY);

	ready();
	CHECK(fcntl(file, F_GETFD) == 0);
	return close(file);
}

static int scene_raised(void)
{
	struct sigaction once = {.sa_handler = handler_a, .sa_flags = SA_RESETHAND};

	sigaction(SIGUSR1, &once, NULL);
	ready();
	CHECK(handler_of(SIGUSR1) == handler_a);
	return raise(SIGUSR1);
}

static int scene_pending(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	ready();
	sigpending(&set);
	CHECK(!sigismember(&set, SIGUSR1));
	return kill(getpid(), SIGUSR1);
}

static int scene_named(void)
{
	char name[16] = "";

	prctl(PR_SET_NAME, "before", 0, 0, 0);
	ready();
	prctl(PR_GET_NAME, name, 0, 0, 0);
	CHECK(!strcmp(name, "before"));
	return prctl(PR_SET_NAME, "after", 0, 0, 0);
}

static int scene_worked(void)
{
	struct timespec worked;

	ready();
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &worked);
	CHECK(worked.tv_sec == 0);
	return 0;
}

/* Two pages are swapped. */
static int scene_swapped(void)
{
	char *a = new_map(PAGE), *b, *gap;

	new_map(PAGE);
	b = new_map(PAGE);
	gap = new_map(PAGE);
	munmap(gap, PAGE);
	*a = 'a';
	*b = 'b';
	ready();
	CHECK(*a == 'a' && *b == 'b');
	CHECK(mremap(a, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, gap) == gap);
	CHECK(mremap(b, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, a) == a);
	CHECK(mremap(gap, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, b) == b);
	return 0;
}

/* Sets the name of the first thread by a file of /proc. */
static int scene_written(void)
{
	char name[16] = "";
	int file;

	prctl(PR_SET_NAME, "before", 0, 0, 0);
	ready();
	prctl(PR_GET_NAME, name, 0, 0, 0);
	CHECK(!strcmp(name, "before"));
	file = open("/proc/self/comm", O_WRONLY);
	CHECK(write(file, "after", 5) == 5);
	return 0;
}

/* A shared robust lock: other processes learn when its owner dies. */
static int scene_locked(void)
{
	struct {
		pthread_mutex_t mutex;
		int runs;
	} *shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t how;

	pthread_mutexattr_init(&how);
	pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&shared->mutex, &how);
	ready();
	CHECK(pthread_mutex_trylock(&shared->mutex) == (shared->runs++ ? EOWNERDEAD : 0));
	pthread_mutex_consistent(&shared->mutex);
	return 0;
}

/* Copies that read their process id get a new one each. */
static int scene_asked(void)
{
	pid_t *last = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	ready();
	CHECK(getpid() != *last);
	*last = getpid();
	return 0;
}

/* Installing another seccomp filter kills the process. */
static int scene_strict(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	const struct sock_fprog filter = {sizeof(code) / sizeof(*code), code};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0);
	ready();
	return 0;
}

static int scene_aborts(void)
{
	ready();
	abort();
}

/* Exit status of scene_word(), which increments it: copies do not see each other's stores. */
static volatile int word = 11;

static int scene_word(void)
{
	ready();
	return word++;
}

static const struct scene scenes[] = {
	{"all", scene_all},	      {"folder", scene_folder},
	{"mask", scene_mask},	      {"child", scene_child},
	{"timer", scene_timer},	      {"left", scene_left},
	{"unmapped", scene_unmapped}, {"closed", scene_closed},
	{"raised", scene_raised},     {"protected", scene_protected},
	{"pending", scene_pending},   {"named", scene_named},
	{"worked", scene_worked},     {"aborts", scene_aborts},
	{"strict", scene_strict},     {"swapped", scene_swapped},
	{"written", scene_written},   {"locked", scene_locked},
	{"asked", scene_asked},	      {"word", scene_word},
};

/* ---- the tests ------------------------------------------------------------------------------- */

static struct tracee_process *start(struct run *r, const char *scene)
{
	char *const argv[] = {"/proc/self/exe", (char *)scene, NULL};
	const struct tracee_launch how = {.argv = argv,
					  .stdin_fd = -1,
					  .stdout_fd = -1,
					  .stderr_fd = -1,
					  .calls = calls,
					  .tick_ms = 5};

	*r = (struct run){.t = living = tracee_launch(&how, &r->err)};
	if (!r->t)
		fail_msg("%s", r->err.text);
	next_event(r);
	add_site(r, ready);
	go_on(r);
	until(r, TRACEE_SITE);
	assert_int_equal(tracee_keep(r->t, r->ev.thread), 0);
	return r->ev.process;
}

/* Runs one copy to its end. Returns its pid. */
static pid_t copied(struct run *r)
{
	struct tracee_thread *thread;
	struct tracee_process *p = tracee_copy(r->t, &thread, &r->err);
	pid_t pid;

	if (!p)
		fail_msg("%s", r->err.text);
	assert_true(p->is_root);
	pid = p->pid;
	r->status = -1;
	tracee_resume(r->t, thread);
	for (next_event(r); r->ev.kind != TRACEE_EMPTY; next_event(r))
		go_on(r);
	return pid;
}

static void test_put_back(void **state)
{
	struct run r;
	pid_t pid;

	(void)state;
	start(&r, "all");
	pid = copied(&r);
	assert_int_equal(r.status, 0);
	for (int i = 0; i < 50; i++) {
		assert_int_equal(copied(&r), pid);
		assert_int_equal(r.status, 0);
	}
}

static void test_not_put_back(void **state)
{
	static const char *const names[] = {"folder",	"mask",	  "child",  "timer",	 "left",
					    "unmapped", "closed", "raised", "protected", "pending",
					    "named",	"worked", "strict", "swapped",	 "written",
					    "locked",	"asked"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct run r;
		pid_t pid;

		start(&r, names[i]);
		pid = copied(&r);
		for (int k = 0; k < 12; k++) {
			if (r.status)
				fail_msg("%s: status %x", names[i], (unsigned)r.status);
			if (copied(&r) == pid)
				fail_msg("%s is put back", names[i]);
		}
		sweep(state);
	}
}

static void test_dies(void **state)
{
	struct run r;

	(void)state;
	start(&r, "aborts");
	for (int i = 0; i < 5; i++) {
		copied(&r);
		assert_int_equal(WTERMSIG(r.status), SIGABRT);
	}
}

/* The next copy, new or rewound, has what was written into the snapshot. */
static void test_kept_is_written(void **state)
{
	struct tracee_process *kept;
	struct run r;
	pid_t pid;
	int value;

	(void)state;
	kept = start(&r, "word");
	pid = copied(&r);
	assert_int_equal(WEXITSTATUS(r.status), 11);
	for (value = 20; value < 30; value++) {
		assert_int_equal(tracee_write(kept, there(kept, &word), &value, sizeof(value)), 0);
		assert_int_equal(copied(&r), pid);
		assert_int_equal(WEXITSTATUS(r.status), value);
	}
}

/* The copy that waits to be reused is killed. */
static void test_spare_is_killed(void **state)
{
	struct run r;
	pid_t pid;

	(void)state;
	start(&r, "word");
	for (int i = 0; i < 5; i++) {
		pid = copied(&r);
		assert_int_equal(WEXITSTATUS(r.status), 11);
		kill(pid, SIGKILL);
		assert_int_not_equal(copied(&r), pid);
		assert_int_equal(WEXITSTATUS(r.status), 11);
	}
}

static void test_nothing_is_left(void **state)
{
	struct run r;
	pid_t pid;

	start(&r, "word");
	pid = copied(&r);
	assert_int_equal(kill(pid, 0), 0);
	sweep(state);
	assert_int_equal(kill(pid, 0), -1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_put_back, sweep),
		cmocka_unit_test_teardown(test_not_put_back, sweep),
		cmocka_unit_test_teardown(test_dies, sweep),
		cmocka_unit_test_teardown(test_kept_is_written, sweep),
		cmocka_unit_test_teardown(test_spare_is_killed, sweep),
		cmocka_unit_test_teardown(test_nothing_is_left, sweep),
	};

	if (argc > 1)
		return play(scenes, sizeof(scenes) / sizeof(*scenes), argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
