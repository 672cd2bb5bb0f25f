/*
 * Watched words: each store by any thread is reported, and the program is not disturbed.
 *
 * The test launches itself: with the name of a scene as argument it plays that scene.
 */
#include "test_tracee_drive.h"
#include "tracer/tracee/threads/threads.h"
#include "tracer/tracee/traps/traps.h"
#include "tracer/tracee/syscalls/syscalls.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

/* clang-format off */
/* A store, followed directly by a site. */
__asm__(".text\n.globl stores\n.type stores, @function\n"
	"stores: incq words(%rip)\n.globl behind_store\nbehind_store: nopl 0(%rax)\nret\n"
	".globl ready\n.type ready, @function\nready: nopl 0(%rax)\nret\n");
/* clang-format on */

void stores(void);
void ready(void);
extern const char behind_store[];
volatile long words[8];

enum { STORES = 5000 };

/* ---- scenes ---------------------------------------------------------------------------------- */

static void *store_often(void *arg)
{
	for (int i = 0; i < STORES; i++)
		*(volatile long *)arg = i;
	return NULL;
}

static void *call_stores(void *arg)
{
	(void)arg;
	for (int i = 0; i < STORES; i++)
		stores();
	return NULL;
}

/* The first thread exists before the watch is set, the second is created later. */
static int scene_store(void)
{

	pthread_t first, second;

	ready();
	pthread_create(&first, NULL, store_often, (void *)&words[0]);
	pthread_create(&second, NULL, store_often, (void *)&words[3]);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	words[7] = 1;
	return 0;
}

static int scene_boundary(void)
{
	pthread_t other;

	ready();
	pthread_create(&other, NULL, call_stores, NULL);
	call_stores(NULL);
	pthread_join(other, NULL);
	return 0;
}

static void *store_until_told(void *arg)
{
	(void)arg;
	while (!words[1])
		words[0]++;
	return NULL;
}

static int scene_endless(void)
{
	pthread_t other;

	pthread_create(&other, NULL, store_until_told, NULL);
	ready();
	pthread_join(other, NULL);
	return 0;
}

/* ---- waits of all kinds ---------------------------------------------------------------------- */

static int ends[2], sockets[2], poller, semaphore;
static uint32_t futex_word;
static const struct timespec a_while = {.tv_nsec = 400000000}, long_time = {.tv_sec = 30};

static bool wait_epoll(void)
{
	struct epoll_event ev;

	return epoll_wait(poller, &ev, 1, -1) == 1;
}

static bool wait_read(void)
{
	char byte;

	return read(ends[0], &byte, 1) == 1;
}

static bool wait_sleep(void)
{
	struct timespec left, start, end;

	clock_gettime(CLOCK_MONOTONIC, &start);
	if (nanosleep(&a_while, &left) < 0)
		return false;
	clock_gettime(CLOCK_MONOTONIC, &end);
	return (end.tv_sec - start.tv_sec) * 1000000000 + end.tv_nsec - start.tv_nsec >=
	       a_while.tv_nsec;
}

static bool wait_futex(void)
{
	return !syscall(SYS_futex, &futex_word, FUTEX_WAIT, 0, &long_time, NULL, 0) ||
	       errno == EAGAIN; /* the word has changed meanwhile */
}

static bool wait_poll(void)
{
	struct pollfd fd = {.fd = sockets[1], .events = POLLIN};

	return poll(&fd, 1, 30000) == 1;
}

static bool wait_semaphore(void)
{
	struct sembuf down = {.sem_op = -1};

	return !semop(semaphore, &down, 1);
}

static bool wait_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	return sigtimedwait(&set, NULL, &long_time) == SIGUSR1;
}

static bool wait_receive(void)
{
	char byte;

	return recv(sockets[0], &byte, 1, 0) == 1;
}

static bool (*const waits[])(void) = {wait_epoll, wait_read,	  wait_sleep,  wait_futex,
				      wait_poll,  wait_semaphore, wait_signal, wait_receive};
enum { WAITS = sizeof(waits) / sizeof(*waits) };

static volatile pid_t waiters[WAITS];

static void *wait_somehow(void *arg)
{
	size_t i = (size_t)arg;

	waiters[i] = gettid();
	return waits[i]() ? NULL : (void *)(i + 1);
}

static void prepare_waits(void)
{
	struct epoll_event in = {.events = EPOLLIN};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	semaphore = semget(IPC_PRIVATE, 1, 0600);
	poller = epoll_create1(0);
	if (pipe(ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		abort();
	setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_sec = 30},
		   sizeof(struct timeval));
	epoll_ctl(poller, EPOLL_CTL_ADD, ends[0], &in);
}

static void end_waits(void)
{
	struct sembuf up = {.sem_op = 1};

	semop(semaphore, &up, 1);
	if (write(sockets[1], "x", 1) != 1 || write(sockets[0], "x", 1) != 1)
		abort();
	kill(getpid(), SIGUSR1);
	futex_word = 1;
	syscall(SYS_futex, &futex_word, FUTEX_WAKE, 1, NULL, NULL, 0);
	if (write(ends[1], "xx", 2) != 2)
		abort();
}

static int scene_waits(void)
{
	pthread_t threads[WAITS];
	void *result;
	int bad = 0;

	prepare_waits();
	for (size_t i = 0; i < WAITS; i++)
		pthread_create(&threads[i], NULL, wait_somehow, (void *)i);
	ready();
	end_waits();
	for (size_t i = 0; i < WAITS; i++) {
		pthread_join(threads[i], &result);
		if (result)
			bad = (int)(size_t)result;
	}
	semctl(semaphore, 0, IPC_RMID);
	return bad;
}

/* ---- other address spaces -------------------------------------------------------------------- */

static int scene_family(void)
{
	pid_t pid;
	char *const argv[] = {"true", NULL};

	ready();
	pid = fork();
	if (!pid) {
		words[0] = 1; /* in its own address space */
		execv("/bin/true", argv);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	pid = vfork();
	if (!pid) {
		words[0] = 2; /* in the shared address space */
		ready();
		execv("/bin/true", argv);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	words[0] = 3;
	return 0;
}

static void *store_after_leader(void *arg)
{
	char path[64], state = 0;

	(void)arg;
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", getpid());
	while (state != 'Z') {
		FILE *file = fopen(path, "r");

		if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
			abort();
		fclose(file);
	}
	ready();
	words[0] = 1;
	exit(0);
}

static int scene_leader(void)
{
	pthread_t other;

	pthread_create(&other, NULL, store_after_leader, NULL);
	pthread_exit(NULL);
}

static int scene_halt(void)
{
	pthread_t other;

	pthread_create(&other, NULL, store_until_told, NULL);
	ready();
	kill(getpid(), SIGSTOP);
	pthread_join(other, NULL);
	return 0;
}

static const struct scene scenes[] = {
	{"store", scene_store}, {"boundary", scene_boundary}, {"endless", scene_endless},
	{"waits", scene_waits}, {"family", scene_family},     {"leader", scene_leader},
	{"halt", scene_halt},
};

/* ---- the tests ------------------------------------------------------------------------------- */

/* Starts the scene, stopped in ready(). */
static void start(struct run *r, char *scene)
{
	launch(r, scene, (void *)ready);
	until(r, TRACEE_SITE);
}

static int watch(struct run *r, struct tracee_process *p, size_t n, const int *indexes)
{
	struct tracee_watch list[8];

	for (size_t i = 0; i < n; i++)
		list[i] = (struct tracee_watch){there(p, &words[indexes[i]]), sizeof(long)};
	return tracee_watch(r->t, p, list, n);
}

static void finish(struct run *r)
{
	do {
		go_on(r);
		next_event(r);
	} while (r->ev.kind != TRACEE_EMPTY);
	sweep(NULL);
}

static void every_store_counts(void **state)
{
	struct run r = {0};

	(void)state;
	start(&r, "store");
	assert_int_equal(watch(&r, r.ev.process, 4, (int[]){3, 1, 0, 7}), 0);
	finish(&r);
	assert_int_equal(r.status, 0);
	assert_int_equal(r.counts[TRACEE_WATCH], 2 * STORES + 1);
	r = (struct run){0};
	start(&r, "store");
	assert_int_equal(watch(&r, r.ev.process, 2, (int[]){1, 0}), 0);
	assert_int_equal(watch(&r, r.ev.process, 1, (int[]){3}), 0);
	finish(&r);
	assert_int_equal(r.counts[TRACEE_WATCH], STORES);
}

static void addresses_that_cannot_be_watched(void **state)
{
	struct run r = {0};
	struct tracee_process *p;
	uint64_t at;

	(void)state;
	start(&r, "store");
	p = r.ev.process;
	at = there(p, words);
	assert_int_equal(watch(&r, p, 5, (int[]){0, 1, 2, 3, 4}), -1);
	assert_int_equal(tracee_watch(r.t, p, &(struct tracee_watch){at + 2, 8}, 1), -1);
	assert_int_equal(tracee_watch(r.t, p, &(struct tracee_watch){at, 3}, 1), -1);
	assert_int_equal(tracee_watch(r.t, p, &(struct tracee_watch){1ull << 63, 8}, 1), -1);
	assert_int_equal(watch(&r, p, 1, (int[]){0}), 0);
	assert_int_equal(tracee_watch(r.t, p, (struct tracee_watch[]){{at, 8}, {1ull << 63, 8}}, 2),
			 -1);
	finish(&r);
	assert_int_equal(r.status, 0);
	assert_int_equal(r.counts[TRACEE_WATCH], 0);
}

static void parts_of_words(void **state)
{
	struct run r = {0};
	struct tracee_process *p;
	uint64_t at;

	(void)state;
	start(&r, "store");
	p = r.ev.process;
	at = there(p, words);
	assert_int_equal(
		tracee_watch(r.t, p, (struct tracee_watch[]){{at + 4, 4}, {at + 6, 2}, {at + 9, 1}},
			     3),
		0);
	finish(&r);
	assert_int_equal(r.counts[TRACEE_WATCH], STORES);
}

static void at_one_boundary(void **state)
{
	struct run r = {0};

	(void)state;
	start(&r, "boundary");
	assert_int_equal(watch(&r, r.ev.process, 1, (int[]){0}), 0);
	add_site(&r, behind_store);
	add_site(&r, (void *)stores);
	finish(&r);
	assert_int_equal(r.status, 0);
	assert_int_equal(r.counts[TRACEE_WATCH], 2 * STORES);
	assert_int_equal(r.counts[TRACEE_SITE], 4 * STORES + 1);
}

static void stop_storing(struct run *r)
{
	const long yes = 1;

	assert_int_equal(tracee_write(r->ev.process, there(r->ev.process, &words[1]), &yes, 8), 0);
}

/* A running thread gets the watch, and loses it while it stores. */
static void cleared_while_the_thread_runs(void **state)
{
	struct run r = {0};
	struct tracee_process *p;
	struct tracee_thread *held;

	(void)state;
	start(&r, "endless");
	held = r.ev.thread;
	p = r.ev.process;
	for (int round = 0; round < 20; round++) {
		assert_int_equal(watch(&r, p, 1, (int[]){0}), 0);
		until(&r, TRACEE_WATCH);
		assert_ptr_not_equal(r.ev.thread, held);
		go_on(&r);
		assert_int_equal(watch(&r, p, 2, (int[]){0, 5}), 0);
		until(&r, TRACEE_WATCH);
		go_on(&r);
		assert_int_equal(watch(&r, p, 1, (int[]){5}), 0);
		r.counts[TRACEE_WATCH] = 0;
		for (int i = 0; i < 2; i++)
			until(&r, TRACEE_TICK);
		assert_int_equal(watch(&r, p, 0, NULL), 0);
		until(&r, TRACEE_TICK);
		assert_int_equal(r.counts[TRACEE_WATCH], 0);
	}
	r.ev.thread = held;
	r.ev.process = p;
	stop_storing(&r);
	finish(&r);
	assert_int_equal(r.status, 0);
}

static bool all_wait(struct tracee *t, const struct tracee_process *p)
{
	struct tracee_thread *th = NULL;
	struct tracee_block look;
	size_t n = 0;

	while ((th = tracee_next_thread(t, th))) {
		if (th->tid == p->pid)
			continue;
		tracee_look(th, &look);
		n += look.activity == TRACEE_BLOCKED;
	}
	return n == WAITS;
}

static void sleepers_do_not_notice(void **state)
{
	struct run r = {0};
	struct tracee_event held;

	(void)state;
	start(&r, "waits");
	held = r.ev;
	do {
		until(&r, TRACEE_TICK);
	} while (!all_wait(r.t, held.process));
	for (int i = 0; i < 20; i++) {
		assert_int_equal(watch(&r, held.process, 1, (int[]){i % 8}), 0);
		assert_int_equal(watch(&r, held.process, 0, NULL), 0);
	}
	until(&r, TRACEE_TICK);
	r.ev = held;
	finish(&r);
	assert_int_equal(r.status, 0);
}

static void relatives(void **state)
{
	struct run r = {0};
	struct tracee_event held;

	(void)state;
	start(&r, "family");
	assert_int_equal(watch(&r, r.ev.process, 1, (int[]){0}), 0);
	go_on(&r);
	until(&r, TRACEE_SITE); /* the child of vfork: its parent cannot be interrupted */
	assert_int_equal(r.counts[TRACEE_WATCH], 1);
	held = r.ev;
	assert_int_equal(watch(&r, held.process, 2, (int[]){0, 5}), 0);
	until(&r, TRACEE_TICK);
	r.ev = held;
	finish(&r);
	assert_int_equal(r.status, 0);
	assert_int_equal(r.counts[TRACEE_WATCH], 2);
}

static void a_dead_first_thread(void **state)
{
	struct run r = {0};

	(void)state;
	start(&r, "leader");
	assert_int_equal(watch(&r, r.ev.process, 1, (int[]){0}), 0);
	finish(&r);
	assert_int_equal(r.status, 0);
	assert_int_equal(r.counts[TRACEE_WATCH], 1);
}

static void stores_while_the_thread_is_stopped(void **state)
{
	struct run r = {0};
	struct tracee_process *p;
	int ticks;

	(void)state;
	start(&r, "halt");
	p = r.ev.process;
	do {
		go_on(&r);
		next_event(&r);
		ticks = r.counts[TRACEE_TICK];
	} while (r.ev.kind != TRACEE_SIGNAL);
	go_on(&r);
	while (r.counts[TRACEE_TICK] < ticks + 4)
		until(&r, TRACEE_TICK);
	assert_int_equal(watch(&r, p, 1, (int[]){0}), 0);
	while (r.counts[TRACEE_TICK] < ticks + 8)
		until(&r, TRACEE_TICK);
	assert_int_equal(r.counts[TRACEE_WATCH], 0);
	kill(p->pid, SIGCONT);
	until(&r, TRACEE_WATCH);
	stop_storing(&r);
	finish(&r);
	assert_int_equal(r.status, 0);
}

/* A store during a call is reported by the call. */
static void stores_in_calls(void **state)
{
	struct run r = {0};
	struct tracee_call call;

	(void)state;
	start(&r, "endless");
	stop_storing(&r);
	assert_int_equal(watch(&r, r.ev.process, 1, (int[]){0}), 0);
	call = (struct tracee_call){.function = there(r.ev.process, (void *)stores)};
	r.counts[TRACEE_WATCH] = 0;
	assert_int_equal(tracee_call(r.t, r.ev.thread, &call, &r.err), 0);
	assert_true(call.wrote);
	call.function = there(r.ev.process, (void *)ready);
	assert_int_equal(tracee_call(r.t, r.ev.thread, &call, &r.err), 0);
	assert_false(call.wrote);
	finish(&r);
	assert_int_equal(r.status, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(every_store_counts, sweep),
		cmocka_unit_test_teardown(addresses_that_cannot_be_watched, sweep),
		cmocka_unit_test_teardown(parts_of_words, sweep),
		cmocka_unit_test_teardown(at_one_boundary, sweep),
		cmocka_unit_test_teardown(cleared_while_the_thread_runs, sweep),
		cmocka_unit_test_teardown(sleepers_do_not_notice, sweep),
		cmocka_unit_test_teardown(relatives, sweep),
		cmocka_unit_test_teardown(a_dead_first_thread, sweep),
		cmocka_unit_test_teardown(stores_while_the_thread_is_stopped, sweep),
		cmocka_unit_test_teardown(stores_in_calls, sweep),
	};

	if (argc > 1)
		_exit(play(scenes, sizeof(scenes) / sizeof(*scenes),
			   argv[1])); /* no leak check: it cannot run under a tracer */
	if (!tracee_watch_works()) {
		printf("skipped: debug registers of this machine report nothing\n"
		       "[  SKIPPED ] %zu test(s)\n",
		       sizeof(tests) / sizeof(*tests));
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
