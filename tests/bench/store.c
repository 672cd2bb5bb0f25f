/*
 * A thread is held until somebody stores something; whoever stores meets no gate.
 *
 *     store WHO [ROUNDS]
 *
 * Prints one line a round: the time from the store to the release in microseconds, and what the
 * released thread has seen. The store is made when the thread has been seen held in /proc, but for
 * the WHO that begin with race-.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct cell {
	volatile long x;
	long far[15];
};
struct node {
	struct node *volatile next;
	volatile long value;
};
struct queue {
	volatile long count;
	struct node *volatile head;
	struct cell a, b, c, d, e, f;
	volatile long long stored_ns; /* behind everything: on no watched word */
	volatile int turn;
};

static struct queue *queue;
static volatile int taker_tid, round_nr, released;
static volatile int *volatile flag_on_stack;
static volatile long long released_ns;
static pthread_barrier_t begin, end;
static struct node nodes[3];
static const char *who;

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void die(const char *what)
{
	fprintf(stderr, "store: %s: %s\n", what, strerror(errno));
	_exit(9);
}

/* ---- the one that is held ------------------------------------------------------------------- */

static __attribute__((noinline)) void publish(volatile int *flag)
{
	flag_on_stack = flag;
}

static __attribute__((noinline)) long take(struct queue *q)
{
	volatile int flag = 0;
	long seen;

	publish(&flag);
	seen = q->count; /* gate: take */
	released_ns = now();
	released = 1;
	return seen * 10 + flag;
}

static void *taker(void *arg)
{
	taker_tid = (int)syscall(SYS_gettid);
	for (;;) {
		long seen;

		pthread_barrier_wait(&begin);
		if (round_nr < 0)
			return arg;
		seen = take(arg);
		if (*who)
			printf("%.1f us, saw %ld\n", (double)(released_ns - queue->stored_ns) / 1e3, seen);
		pthread_barrier_wait(&end);
	}
}

static int held_now(void)
{
	char path[64], text[256] = "", *state;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", taker_tid);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		die(path);
	close(fd);
	state = strrchr(text, ')');
	return state && state[2] == 't';
}

static void wait_held(void)
{
	for (int looks = 0, tries = 0; looks < 5; tries++) {
		/* behind publish() the gate is the first to stop it */
		looks = flag_on_stack && held_now() ? looks + 1 : 0;
		if (tries > 20000)
			die("nobody was held");
		usleep(500);
	}
}

/* ---- those who store ------------------------------------------------------------------------ */

static void store(void)
{
	struct queue *q = queue;

	q->a.x = q->b.x = q->c.x = q->d.x = q->e.x = 1;
	/* many do it: the first store is the one that lets go */
	__sync_val_compare_and_swap(&q->stored_ns, 0, now());
	q->f.x = 1;
	q->count = 3;
}

static void *store_late(void *arg)
{
	store();
	return arg;
}

static void store_new_thread(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, store_late, NULL))
		die("pthread_create");
	pthread_join(t, NULL);
}

static void store_many(void)
{
	pthread_t t[50];

	for (int i = 0; i < 50; i++)
		if (pthread_create(&t[i], NULL, store_late, NULL))
			die("pthread_create");
	for (int i = 0; i < 50; i++)
		pthread_join(t[i], NULL);
}

static void reap(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			die("waitpid");
}

static void store_fork(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid == 0) {
		store();
		_exit(0);
	}
	reap(pid);
}

static void store_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		store();
		_exit(0);
	}
	reap(pid);
}

static int store_clone_child(void *arg)
{
	(void)arg;
	store();
	_exit(0);
}

static void store_clone_vm(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	pid_t pid = clone(store_clone_child, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);

	if (pid < 0)
		die("clone");
	reap(pid);
}

/* The kernel writes: a pipe is read into the variables. */
static void store_kernel(void)
{
	long three = 3, one = 1;
	int p[2];
	struct queue *q = queue;

	if (pipe(p) < 0 || write(p[1], &one, sizeof(one)) < 0 || write(p[1], &three, sizeof(three)) < 0)
		die("pipe");
	q->a.x = q->b.x = q->c.x = q->d.x = q->e.x = 1;
	q->stored_ns = now();
	if (read(p[0], (void *)&q->f.x, sizeof(one)) < 0 ||
	    read(p[0], (void *)&q->count, sizeof(three)) < 0)
		die("read");
	close(p[0]);
	close(p[1]);
}

/* A local variable of the held thread, through a pointer. */
static void store_stack(void)
{
	queue->stored_ns = now();
	*flag_on_stack = 1;
}

static void store_atomic(void)
{
	struct queue *q = queue;

	q->a.x = q->b.x = q->c.x = q->d.x = q->e.x = 1;
	q->stored_ns = now();
	__atomic_fetch_add(&q->f.x, 1, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&q->count, 3, __ATOMIC_SEQ_CST);
}

/* One wide store over everything. */
static void store_wide(void)
{
	struct queue new = *queue;
	struct queue *q = queue;

	new.a.x = new.b.x = new.c.x = new.d.x = new.e.x = new.f.x = 1;
	new.count = 3;
	new.stored_ns = q->stored_ns = now();
	memcpy(q, &new, sizeof(new));
}

static void on_signal(int sig)
{
	(void)sig;
	store();
}

static void store_handler(void)
{
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
}

/* Stores that do not suffice come first. */
static void store_steps(void)
{
	for (long i = -200; i < 3; i++)
		queue->count = i;
	store();
}

static void relink(void)
{
	usleep(rand() % 3000);
	nodes[0] = (struct node){NULL, 1};
	queue->head = &nodes[0];
	usleep(rand() % 3000);
	nodes[1] = (struct node){NULL, 2};
	nodes[0].next = &nodes[1];
	usleep(rand() % 3000);
	nodes[2] = (struct node){NULL, 1};
	queue->head = &nodes[2];
	usleep(rand() % 3000);
	nodes[2].next = &nodes[1];
	usleep(rand() % 3000);
	store();
	nodes[1].value = 3;
}

static const struct {
	const char *name;
	void (*store)(void);
} kinds[] = {
	{"thread", store},	  {"new-thread", store_new_thread}, {"many", store_many},
	{"fork", store_fork},	  {"vfork", store_vfork},	    {"clone-vm", store_clone_vm},
	{"kernel", store_kernel}, {"atomic", store_atomic},	    {"wide", store_wide},
	{"handler", store_handler}, {"steps", store_steps},	    {"relink", relink},
	{"stack", store_stack},
};

/* ---- rounds --------------------------------------------------------------------------------- */

static void reset(void)
{
	memset((void *)queue, 0, sizeof(*queue));
	released = 0;
	flag_on_stack = NULL;
}

static void spin(long n)
{
	for (volatile long i = 0; i < n; i++)
		;
}

static void race(unsigned round)
{
	pthread_barrier_wait(&begin);
	spin(rand() % (round % 2 ? 3000 : 100000));
	store();
	pthread_barrier_wait(&end);
}

static void held(void (*store_by)(void))
{
	pthread_barrier_wait(&begin);
	wait_held();
	if (released)
		die("released before the store");
	store_by();
	pthread_barrier_wait(&end);
}

int main(int argc, char **argv)
{
	void (*by)(void) = NULL;
	int rounds = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t t;

	who = argc > 1 ? argv[1] : "thread";
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(kinds[i].name, who) == 0)
			by = kinds[i].store;
	if (!by && strcmp(who, "race") != 0)
		die(who);
	queue = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (queue == MAP_FAILED)
		die("mmap");
	pthread_barrier_init(&begin, NULL, 2);
	pthread_barrier_init(&end, NULL, 2);
	pthread_create(&t, NULL, taker, queue);
	srand((unsigned)now());
	for (round_nr = 0; round_nr < rounds; round_nr++) {
		reset();
		if (by)
			held(by);
		else
			race((unsigned)round_nr);
	}
	round_nr = -1;
	pthread_barrier_wait(&begin);
	pthread_join(t, NULL);
	puts("end");
	return 0;
}
