"""What a verdict says of each thread: what it waits for, by its name in the source, who has it, and
where that one took it. Every program here is stuck for good, so the verdict comes at once."""

import os
import re

from harness import BUILDS, COMPILERS, compile_text, line_of, params
from patience import wall

HEAD = r"""
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
struct account { long balance; pthread_mutex_t lock; };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t both;
static sem_t never;
static uint32_t word;
static int x;
static void *first(void *arg);
static void start(void *(*routine)(void *), void *arg)
{
	pthread_t t;
	pthread_create(&t, NULL, routine, arg);
}
static void stay(void)
{
	sem_wait(&never);
	x++; /* no tail call */
}
static void meet(void)
{
	pthread_barrier_wait(&both);
}
static void start_and_meet(void *(*routine)(void *))
{
	pthread_barrier_init(&both, NULL, 2);
	start(routine, NULL);
	meet();
}
static void mutex_is(int type, int protocol, int robust)
{
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, type);
	pthread_mutexattr_setprotocol(&a, protocol);
	pthread_mutexattr_setrobust(&a, robust);
	pthread_mutex_init(&m, &a);
}
"""
# Of many: first() has done what it does first, then main waits for the mutex.
MAIN = r"""
int main(void)
{
	start_and_meet(first);
	pthread_mutex_lock(&m); /* WAITS */
	x++;
}
"""
OWNER = r"""
static void *first(void *arg)
{
	pthread_mutex_lock(&m); /* TAKES */
	meet();
	stay();
	return arg;
}
"""


def owned_mutex(attributes):
    return OWNER + MAIN.replace("start_and_meet", attributes + " start_and_meet"), ["main waits for mutex m held by first#1 (taken at {TAKES}), in main at {WAITS}",
      "first#1 waits for semaphore never"]


# name: (text behind HEAD, what must be said; {MARK} is the FILE:LINE of the line with that comment)
C = {
    "normal": owned_mutex(""),
    "recursive": owned_mutex("mutex_is(PTHREAD_MUTEX_RECURSIVE, 0, 0);"),
    "errorcheck": owned_mutex("mutex_is(PTHREAD_MUTEX_ERRORCHECK, 0, 0);"),
    "robust": owned_mutex("mutex_is(0, 0, PTHREAD_MUTEX_ROBUST);"),
    "inherit": owned_mutex("mutex_is(0, PTHREAD_PRIO_INHERIT, 0);"),
    "itself": (r"""
int main(void)
{
	pthread_mutex_lock(&m); /* TAKES */
	x++;
	pthread_mutex_lock(&m); /* WAITS */
	x++;
}
""", ["main waits for mutex m held by main itself (taken at {TAKES}), in main at {WAITS}",
      "try: main takes m again while it owns it"]),
    "owner_gone": (r"""
static void *first(void *arg) { pthread_mutex_lock(&m); return arg; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, first, NULL);
	pthread_join(t, NULL);
	pthread_mutex_lock(&m); /* WAITS */
	x++;
}
""", ["main waits for mutex m held by first#1, which has exited, in main at {WAITS}"]),
    "in_fork": (OWNER + r"""
int main(void)
{
	start_and_meet(first);
	if (fork() == 0) {
		pthread_mutex_lock(&m); /* WAITS */
		x++;
	}
	wait(NULL); /* PARENT */
	x++;
}
""", ["p1/main waits for mutex m held by first#1 of the process that was forked "
      "(taken at {TAKES}), in main at {WAITS}",
      "main waits for a child process (p1/main), in main at {PARENT}"]),
    "thread_mtx": (r"""
static mtx_t mine;
int main(void)
{
	mtx_init(&mine, mtx_plain);
	mtx_lock(&mine); /* TAKES */
	x++;
	mtx_lock(&mine); /* WAITS */
	x++;
}
""", ["main waits for mutex mine held by main itself (taken at {TAKES}), in main at {WAITS}"]),
    "condition": (r"""
int main(void)
{
	pthread_mutex_lock(&other);
	pthread_cond_wait(&changed, &other); /* WAITS */
	x++;
}
""", ["main waits for condition variable changed (with mutex other), in main at {WAITS}"]),
    "condition_held": (r"""
static _Atomic int waits;
static void *first(void *arg)
{
	pthread_mutex_lock(&m);
	waits = 1;
	pthread_cond_wait(&changed, &m); /* WAITS */
	x++;
	return arg;
}
int main(void)
{
	start(first, NULL);
	while (!waits)
		;
	pthread_mutex_lock(&m); /* TAKES */
	stay();
}
""", ["first#1 waits for condition variable changed (with mutex m held by main (taken at {TAKES})), in first at {WAITS}"]),
    "semaphore": (r"""
int main(void)
{
	sem_wait(&never); /* WAITS */
	x++;
}
""", ["main waits for semaphore never, in main at {WAITS}"]),
    "semaphore_as_lock": (r"""
static sem_t lock;
static void *first(void *arg)
{
	sem_wait(&lock); /* TAKES */
	meet();
	stay();
	return arg;
}
int main(void)
{
	pthread_barrier_init(&both, NULL, 2);
	sem_init(&lock, 0, 1);
	start(first, NULL);
	meet();
	sem_wait(&lock); /* WAITS */
	x++;
}
""", ["main waits for semaphore lock, which first#1 took at {TAKES}, in main at {WAITS}"]),
    "barrier": (r"""
static pthread_barrier_t three;
static void *first(void *arg)
{
	pthread_barrier_wait(&three);
	return arg;
}
int main(void)
{
	pthread_barrier_init(&three, NULL, 3);
	start(first, NULL);
	pthread_barrier_wait(&three); /* WAITS */
	x++;
}
""", ["main waits at barrier three, where 2 of 3 threads are, in main at {WAITS}"]),
    "once": (r"""
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void routine(void) { meet(); stay(); }
static void *first(void *arg)
{
	pthread_once(&once, routine);
	x++;
	return arg;
}
int main(void)
{
	start_and_meet(first);
	pthread_once(&once, routine); /* WAITS */
	x++;
}
""", ["main waits for the routine of once run by first#1, in main at {WAITS}"]),
    "readers": (r"""
static void *first(void *arg)
{
	pthread_rwlock_rdlock(&rw); /* TAKES */
	meet();
	stay();
	return arg;
}
int main(void)
{
	pthread_barrier_init(&both, NULL, 3);
	start(first, NULL);
	start(first, NULL);
	meet();
	pthread_rwlock_wrlock(&rw); /* WAITS */
	x++;
}
""", ["main waits for rwlock rw (to write) held by first#1 (taken at {TAKES}), "
      "first#2 (taken at {TAKES}), in main at {WAITS}"]),
    "writer": (r"""
static void *first(void *arg)
{
	meet();
	pthread_rwlock_wrlock(&rw); /* SECOND */
	x++;
	return arg;
}
int main(void)
{
	pthread_barrier_init(&both, NULL, 2);
	pthread_rwlock_wrlock(&rw); /* TAKES */
	start(first, NULL);
	meet();
	stay();
}
""", ["first#1 waits for rwlock rw (to write) held by main (taken at {TAKES}), in first at {SECOND}"]),
    "upgrade": (r"""
static void *first(void *arg)
{
	pthread_rwlock_rdlock(&rw); /* TAKES */
	meet();
	pthread_rwlock_wrlock(&rw); /* WAITS */
	x++;
	return arg;
}
int main(void)
{
	pthread_barrier_init(&both, NULL, 2);
	start(first, NULL);
	start(first, NULL);
	stay();
}
""", ["first#1 waits for rwlock rw (to write) held by first#1 itself (taken at {TAKES}), "
      "first#2 (taken at {TAKES}), in first at {WAITS}",
      "first#2 waits for rwlock rw (to write) held by first#1 (taken at {TAKES}), "
      "first#2 itself (taken at {TAKES}), in first at {WAITS}"]),
    "upgrade_behind": (r"""
static _Atomic int tid;
static void *first(void *arg)
{
	tid = (int)syscall(SYS_gettid);
	pthread_rwlock_wrlock(&rw); /* WRITES */
	x++;
	return arg;
}
int main(void)
{
	pthread_rwlockattr_t at;
	pthread_rwlockattr_init(&at);
	pthread_rwlockattr_setkind_np(&at, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&rw, &at);
	pthread_rwlock_rdlock(&rw); /* TAKES */
	start(first, NULL);
	while (!tid)
		;
	while (!pthread_rwlock_tryrdlock(&rw)) /* until the writer waits */
		pthread_rwlock_unlock(&rw);
	pthread_rwlock_rdlock(&rw); /* WAITS */
	x++;
}
""", ["main waits for rwlock rw (to read, after a waiting writer) held by 1 reader, in main at {WAITS}",
      "first#1 waits for rwlock rw (to write) held by 1 reader, in first at {WRITES}"]),
    "stream": (r"""
static void *first(void *arg)
{
	meet();
	fprintf(stdout, "never seen\n"); /* PRINTS */
	x++;
	return arg;
}
int main(void)
{
	pthread_barrier_init(&both, NULL, 2);
	flockfile(stdout);
	start(first, NULL);
	meet();
	stay();
}
""", ["first#1 waits for stream stdout held by main, in first at {PRINTS}"]),
    "raw_futex": (r"""
int main(void)
{
	syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0); /* WAITS */
	x++;
}
""", ["main waits for futex word, in main at {WAITS}"]),
    "join": (r"""
static void *first(void *arg) { stay(); return arg; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, first, NULL);
	pthread_join(t, NULL); /* WAITS */
	x++;
}
""", ["main joins first#1, in main at {WAITS}"]),
    "key_destructor": (r"""
static pthread_key_t key;
static void destroy(void *value)
{
	pthread_mutex_lock(value);
	x++;
}
static void *first(void *arg) { pthread_setspecific(key, &m); return arg; }
int main(void)
{
	pthread_t t;
	pthread_key_create(&key, destroy);
	pthread_mutex_lock(&m); /* TAKES */
	pthread_create(&t, NULL, first, NULL);
	pthread_join(t, NULL);
	x++;
}
""", ["first#1 waits for mutex m held by main (taken at {TAKES}) while the destructors of its keys run"]),
    "at_exit": (OWNER + r"""
static void leave(void)
{
	pthread_mutex_lock(&m); /* WAITS */
	x++;
}
int main(void)
{
	pthread_barrier_init(&both, NULL, 2);
	atexit(leave);
	start(first, NULL);
	meet();
	exit(0);
}
""", ["main waits for mutex m held by first#1 (taken at {TAKES}) while the process exits, "
      "in leave at {WAITS}"]),
    "child": (r"""
int main(void)
{
	pid_t pid = fork();
	if (pid == 0)
		stay();
	waitpid(pid, NULL, 0); /* WAITS */
	x++;
}
""", ["main waits for the child process p1/main, in main at {WAITS}",
      "p1/main waits for semaphore never"]),
    "pipe": (r"""
int main(void)
{
	int fd[2];
	char c;
	if (pipe(fd))
		return 1;
	if (fork() == 0)
		stay();
	close(fd[1]);
	if (read(fd[0], &c, 1) != 1) /* WAITS */
		return 1;
	x++;
}
""", ["main reads from a pipe (fd 3), whose other end is held by p1/main, in main at {WAITS}"]),
    "member_of_global": (r"""
static struct { int many; struct account accounts[3]; } bank;
static void *first(void *arg)
{
	pthread_mutex_lock(&bank.accounts[2].lock); /* TAKES */
	meet();
	stay();
	return arg;
}
int main(void)
{
	start_and_meet(first);
	struct account *a = &bank.accounts[2];
	pthread_mutex_lock(&a->lock); /* WAITS */
	x++;
}
""", ["main waits for mutex bank.accounts[2].lock held by first#1 (taken at {TAKES})"]),
    "given_back": (r"""
static void other_way(int n)
{
	pthread_mutex_lock(&m); /* TAKES */
	if (n > 100) {
		pthread_mutex_unlock(&m);
		return;
	}
	meet();
	stay();
}
static void *first(void *arg)
{
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
	other_way(x);
	return arg;
}
""" + MAIN, ["main waits for mutex m held by first#1 (taken at {TAKES}), in main at {WAITS}"]),
    # One of two ways: which one it came is not to be seen, so nothing is said of it.
    "two_ways": (r"""
static void *first(void *arg)
{
	if (arg)
		pthread_mutex_lock(&m);
	else
		pthread_mutex_lock(&m);
	meet();
	stay();
	return arg;
}
""" + MAIN, ["main waits for mutex m held by first#1, in main at {WAITS}"]),
    # The second time round the loop it was taken further down.
    "in_a_loop": (r"""
static void *first(void *arg)
{
	pthread_mutex_lock(&m);
	for (;;) {
		if (x++ > 0) {
			meet();
			stay();
		}
		pthread_mutex_unlock(&m);
		pthread_mutex_lock(&m);
	}
	return arg;
}
""" + MAIN, ["main waits for mutex m held by first#1, in main at {WAITS}"]),
    "each_time_round": (r"""
static void *first(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&m); /* TAKES */
		if (x++ > 0) {
			meet();
			stay();
		}
		pthread_mutex_unlock(&m);
	}
	return arg;
}
""" + MAIN, ["main waits for mutex m held by first#1 (taken at {TAKES}), in main at {WAITS}"]),
    "in_comment": (r"""
static void *first(void *arg)
{
	pthread_mutex_lock(&m); /* TAKES */
	// pthread_mutex_lock(&m);
	/* pthread_mutex_unlock(&m); */
#if 0
#define LEAVE() pthread_mutex_unlock(&m)
#endif
	const char *text = "pthread_mutex_lock(&m);";
	meet();
	stay();
	return (void *)text;
}
int main(void)
{
	start_and_meet(first);
	pthread_mutex_lock(
		&m); /* WAITS */
	x++;
}
""", ["main waits for mutex m held by first#1 (taken at {TAKES})"]),
}

# Local and allocated objects: what optimised code still knows of them differs.
HEAP = {
    "transfer": (r"""
struct job { struct account *from, *to; };
static void transfer(struct account *from, struct account *to)
{
	pthread_mutex_lock(&from->lock); /* TAKES */
	meet();
	pthread_mutex_lock(&to->lock); /* WAITS */
	to->balance++;
	pthread_mutex_unlock(&to->lock);
	pthread_mutex_unlock(&from->lock);
}
static void *teller(void *arg)
{
	struct job *j = arg;
	transfer(j->from, j->to);
	return arg;
}
int main(void)
{
	struct account *a = calloc(1, sizeof(*a)), *b = calloc(1, sizeof(*b));
	struct job jobs[2] = {{a, b}, {b, a}};
	pthread_t one, two;
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&one, NULL, teller, &jobs[0]);
	pthread_create(&two, NULL, teller, &jobs[1]);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
}
""", [r"teller#1 waits for mutex to->lock \([ab]->lock\) held by teller#2 \(taken at {TAKES}\), "
      r"in transfer at {WAITS}",
      r"teller#2 waits for mutex to->lock \([ab]->lock\) held by teller#1 \(taken at {TAKES}\), "
      r"in transfer at {WAITS}", "are taken in different orders"]),
    "wrapper": (r"""
static void lock_account(struct account *a)
{
	pthread_mutex_lock(&a->lock);
	x++;
}
static void take(pthread_mutex_t *which)
{
	pthread_mutex_lock(which); /* WAITS */
	x++;
}
static void *first(void *arg)
{
	struct account *mine = arg;
	lock_account(mine); /* TAKES */
	meet();
	stay();
	return arg;
}
int main(void)
{
	struct account *a = calloc(1, sizeof(*a));
	pthread_barrier_init(&both, NULL, 2);
	start(first, a);
	meet();
	take(&a->lock);
	x++;
}
""", [r"main waits for mutex a->lock held by first#1 \(taken at {TAKES}\), in take at {WAITS}"]),
    "local": (r"""
static void *first(void *arg)
{
	pthread_mutex_t *theirs = arg;
	pthread_mutex_lock(theirs); /* TAKES */
	meet();
	stay();
	return arg;
}
int main(void)
{
	pthread_mutex_t mine;
	pthread_mutex_init(&mine, NULL);
	pthread_barrier_init(&both, NULL, 2);
	start(first, &mine);
	meet();
	pthread_mutex_lock(&mine); /* WAITS */
	x++;
}
""", [r"main waits for mutex mine held by first#1 \(taken at {TAKES}\), in main at {WAITS}"]),
}

CXX_HEAD = r"""
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>
static std::latch never(1), met(1);
static std::atomic<int> x;
static void stay() { never.wait(); x++; }
"""

CXX = {
    "pool": (r"""
class Pool {
	std::mutex m;
	std::condition_variable work;
	bool stop = false;
	std::thread t;
public:
	Pool() {
		t = std::thread([this] {
			std::unique_lock<std::mutex> lock(m);
			met.count_down();
			while (!stop)
				work.wait(lock); /* WAITS */
			x++;
		});
	}
	~Pool() {
		met.wait();
		m.lock(); /* given back by the wait */
		m.unlock();
		stop = true;
		t.join(); /* JOINS */
		x++;
	}
};
int main() { Pool pool; }
""", ["main joins Pool::Pool()::{lambda()#1}#1, in Pool::~Pool at {JOINS}",
      "waits for condition variable Pool::work, in Pool::Pool()::{lambda()#1}::operator() at {WAITS}"]),
    "condition": (r"""
struct Queue {
	std::mutex m_;
	std::condition_variable filled_;
	bool ready = false;
	void pop() {
		std::unique_lock<std::mutex> lock(m_);
		filled_.wait(lock, [this] { return ready; }); /* WAITS */
	}
};
static Queue queue;
int main() { queue.pop(); x++; }
""", ["main waits for condition variable queue.filled_, in Queue::pop at {WAITS}"]),
    "member": (r"""
struct Queue {
	std::mutex m_;
	void push(int) {
		std::lock_guard<std::mutex> guard(m_); /* WAITS */
		x++;
	}
	void drain() {
		{
			std::lock_guard<std::mutex> guard(m_);
			x++;
		}
		std::lock_guard<std::mutex> guard(m_); /* TAKES */
		push(1);
		x++;
	}
};
int main()
{
	auto *queue = new Queue;
	queue->drain();
	x++;
}
""", ["main waits for mutex queue->m_ held by main itself (taken at {TAKES}), in Queue::push at {WAITS}"]),
    "recursive_mutex": (r"""
static std::recursive_mutex r;
int main()
{
	std::lock_guard a(r); /* TAKES */
	std::lock_guard b(r);
	std::thread t([] {
		std::scoped_lock mine(r); /* WAITS */
		x++;
	});
	t.join();
	x++;
}
""", ["waits for mutex r held by main (taken at {TAKES})", "main joins main::"]),
    "shared_mutex": (r"""
static std::shared_mutex s;
int main()
{
	std::shared_lock<std::shared_mutex> lock(s); /* TAKES */
	std::thread t([] {
		s.lock(); /* WAITS */
		x++;
	});
	t.join();
	x++;
}
""", ["waits for rwlock s (to write) held by main (taken at {TAKES})"]),
    "unique_lock": (r"""
static std::mutex m;
int main()
{
	std::unique_lock<std::mutex> lock(m, std::defer_lock);
	x++;
	lock.lock(); /* TAKES */
	std::thread t([] {
		m.lock(); /* WAITS */
		x++;
	});
	t.join();
	x++;
}
""", ["waits for mutex m held by main (taken at {TAKES})"]),
    "condition_held": (r"""
static std::mutex m;
static std::condition_variable c;
int main()
{
	bool waits = false;
	std::thread t([&] {
		std::unique_lock<std::mutex> mine(m);
		waits = true;
		c.wait(mine, [] { return x != 0; }); /* WAITS */
	});
	for (;;) {
		std::lock_guard<std::mutex> lock(m); /* TAKES */
		if (waits)
			t.join();
	}
}
""", ["waits for condition variable c (with mutex m held by main (taken at {TAKES}))"]),
    "future": (r"""
int main()
{
	std::promise<int> promise;
	auto answer = promise.get_future();
	x = answer.get(); /* WAITS */
	x++;
}
""", ["main waits for future answer, in main at {WAITS}"]),
    "latch": ("int main() { never.wait(); /* WAITS */ x++; }",
              ["main waits for latch never, in main at {WAITS}"]),
    "barrier": (r"""
static std::barrier<> three(3);
int main()
{
	three.arrive_and_wait(); /* WAITS */
	x++;
}
""", ["main waits at barrier three, in main at {WAITS}"]),
    "semaphore": (r"""
static std::counting_semaphore<4> tokens(0);
int main()
{
	tokens.acquire(); /* WAITS */
	x++;
}
""", ["main waits for semaphore tokens, in main at {WAITS}"]),
    "atomic": (r"""
static std::atomic<int> flag;
int main()
{
	flag.wait(0); /* WAITS */
	x++;
}
""", ["main waits for a change of atomic flag, in main at {WAITS}"]),
    "call_once": (r"""
static std::once_flag once;
static void routine() { met.count_down(); stay(); }
static void worker() { std::call_once(once, routine); x++; }
int main()
{
	std::thread t(worker);
	met.wait();
	std::call_once(once, routine); /* WAITS */
	x++;
}
""", ["main waits for the routine of once run by worker#1, in main at {WAITS}"]),
    "static_variable": (r"""
static int slow() { met.count_down(); stay(); return 1; }
__attribute__((noinline)) static int cached()
{
	static int value = slow(); /* WAITS */
	return value;
}
static void worker() { x += cached(); }
int main()
{
	std::thread t(worker);
	met.wait();
	x += cached();
	t.join();
}
""", ["main waits for the initialisation of cached()::value run by worker#1, in cached at {WAITS}"]),
    "thread_local": (r"""
static std::mutex m;
struct Last { ~Last() { m.lock(); x++; } int used; };
static thread_local Last last;
static void worker() { last.used = 1; }
int main()
{
	m.lock(); /* TAKES */
	std::thread t(worker);
	t.join();
	x++;
}
""", ["worker#1 waits for mutex m held by main (taken at {TAKES}) "
      "while its thread-local destructors run"]),
}


def check_words(t, name, text, expected, build, cxx=False, pattern=False):
    compiler, opt = build.split("-")
    file = name + (".cc" if cxx else ".c")
    flags = "-g -%s%s" % (opt, " -std=c++20" if cxx else "")
    program = compile_text(file, text, flags, COMPILERS[compiler][cxx])
    r = t.verdict(t.run_gated(program, options=["--time-limit", wall(15)]), 123)
    for words in expected:
        for mark in re.findall(r"\{([A-Z]+)\}", words):
            place = "%s:%d" % (file, line_of(text, "/* %s */" % mark))
            words = words.replace("{%s}" % mark, re.escape(place) if pattern else place)
        found = re.search(words, r.err) if pattern else words in r.err
        t.check(found, "not said: %s" % words, r)
    return r


@params(*["%s %s" % (n, b) for n in C for b in BUILDS])
def test_c(t, which):
    name, build = which.split()
    check_words(t, name, HEAD + C[name][0], C[name][1], build)


@params(*HEAP)
def test_allocated(t, name):
    check_words(t, name, HEAD + HEAP[name][0], HEAP[name][1], "gcc-O0", pattern=True)
    check_words(t, name, HEAD + HEAP[name][0], HEAP[name][1], "clang-O0", pattern=True)


# Optimised code does not know any more what `queue` was: then it is called Queue::m_.
@params(*["%s %s" % (n, b) for n in CXX for b in ("gcc-O0", "gcc-O2") if (n, b) != ("member", "gcc-O2")])
def test_cxx(t, which):
    name, build = which.split()
    check_words(t, name + "_cxx", CXX_HEAD + CXX[name][0], CXX[name][1], build, cxx=True)


def test_named_semaphore(t):
    """Another program can open it by its name and post: it is not stuck for good."""
    text = HEAD + r"""
int main(int argc, char **argv)
{
	sem_t *s = sem_open(argv[argc - 1], O_CREAT | O_EXCL, 0600, 0);
	return sem_wait(s);
}
"""
    name = "/gatectl-test-%d" % os.getpid()
    program = compile_text("named_semaphore.c", text)
    r = t.run_gated(program, args=[name], options=["--time-limit", "1"])
    os.unlink("/dev/shm" + name.replace("/", "/sem."))
    t.verdict(r, 124)


@params("async", "epoll")
def test_may_move(t, name):
    """What comes at such a file sends a signal; and a set of epoll keeps a file whose number was given
    to another one."""
    text = HEAD.replace("#include <fcntl.h>", "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <sys/epoll.h>\n"
                        "#include <sys/eventfd.h>\n#include <sys/timerfd.h>") + {"async": r"""
int main(void)
{
	fcntl(0, F_SETFL, O_ASYNC);
	stay();
}
""", "epoll": r"""
int main(void)
{
	struct itimerspec at = {.it_value = {3600, 0}};
	struct epoll_event event = {.events = EPOLLIN};
	int timer = timerfd_create(CLOCK_MONOTONIC, 0), set = epoll_create1(0), kept;
	timerfd_settime(timer, 0, &at, NULL);
	epoll_ctl(set, EPOLL_CTL_ADD, timer, &event);
	kept = dup(timer);
	close(timer);
	return eventfd(0, 0) == timer && kept != timer ? epoll_wait(set, &event, 1, -1) : 0;
}
"""}[name]
    t.verdict(t.run_gated(compile_text("may_move_%s.c" % name, text), options=["--time-limit", "1"]), 124)


def test_no_source(t):
    """Where the source is not to be had, symbols still have names and owners are still known."""
    text = HEAD + C["normal"][0]
    program = compile_text("no_source.c", "#line 1 \"/nowhere/gone.c\"\n" + text)
    r = t.verdict(t.run_gated(program), 123)
    t.check("main waits for mutex m held by first#1, in main at gone.c:" in r.err, "owner", r)
    t.check("taken at" not in r.err, "nothing is invented", r)


def test_no_debug_information(t):
    program = compile_text("stripped.c", HEAD + C["normal"][0], "-O0 -s")
    r = t.verdict(t.run_gated(program), 123)
    t.check(re.search(r"main waits for mutex 0x[0-9a-f]+ held by ", r.err), "address", r)


def test_report_says_the_same(t):
    text, _ = C["normal"]
    r = check_words(t, "normal", HEAD + text, [], "gcc-O0")
    why = {thread["id"]: thread["why"] for thread in r.report["threads"]}
    t.check(why["main"].startswith("waits for mutex m held by first#1 (taken at normal.c:"),
            "why of main", r)


# ---- gates that cannot open ------------------------------------------------------------------------

IN_SECTION = HEAD + r"""
static void *first(void *arg)
{
	pthread_mutex_lock(&m); /* TAKES */
	x++; /* gate: inside */
	pthread_mutex_unlock(&m);
	return arg;
}
static void *second(void *arg)
{
	x += 2; /* gate: early */
	pthread_mutex_lock(&m); /* NEEDS */
	x++; /* gate: opens */
	pthread_mutex_unlock(&m);
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL); /* JOINS */
	pthread_join(b, NULL);
	x++; /* gate: last */
}
"""


def mark(needle, name="section.c"):
    return "%s:%d" % (name, line_of(IN_SECTION, needle))


def gated(t, script):
    program = compile_text("section.c", IN_SECTION)
    return t.verdict(t.run_gated(program, script=script), 122)


def test_held_thread_owns_the_lock(t):
    r = gated(t, '''
local g, h = SimpleGate "g", SimpleGate "h"
at "//early":wait(h)
at "//inside":open(h):wait(g)
at "//opens":open(g)
''')
    lines = r.err.split("\n")
    t.check(lines[1].endswith("%s: gate g holds first#1 here while it owns mutex m (taken at %s)" % (
        mark("gate: inside"), mark("TAKES"))), "who owns what", r)
    t.check(lines[2].endswith("%s: second#1, which would open gate g at %s, waits for that mutex here" % (
        mark("NEEDS"), mark("gate: opens"))), "who needs it", r)
    t.check("try: hold first#1 before it takes m, at %s or earlier" % mark("TAKES") in r.err, "where", r)


def test_opener_joins_the_held_thread(t):
    r = gated(t, '''
local g = SimpleGate "g"
at "//inside":wait(g)
at "//last":open(g)
''')
    t.check("main, which would open gate g at %s, joins first#1 here" % mark("gate: last") in r.err,
            "who joins", r)
    t.check("try: open gate g before main waits for first#1 at %s" % mark("JOINS") in r.err, "where", r)


def test_gates_in_a_circle(t):
    r = gated(t, '''
local g, h = SimpleGate "g", SimpleGate "h"
at "//inside":wait(g)
at("section.c:%d"):open(h)
at "//early":wait(h)
at "//opens":open(g)
''' % (line_of(IN_SECTION, "gate: inside") + 1))
    t.check("gate g holds first#1 here, which would open gate h at " in r.err, "first", r)
    t.check("gate h holds second#1 here, which would open gate g at " in r.err, "second", r)


def test_orders_in_a_circle(t):
    """Somebody else came to the place that the held thread would open the other's gate at: that is no
    fault of the names of threads."""
    r = t.verdict(t.run_gated(compile_text("circle.c", HEAD + r"""
static void early(void) { x++; }
static void late(void) { x++; }
static void *both_of(void *arg) { early(); late(); return arg; }
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, NULL, both_of, NULL);
	pthread_create(&u, NULL, both_of, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
}
"""), """
order "late@both_of#1 -> late@both_of#2"
order "late@both_of#2 -> early@both_of#1"
"""), 122)
    lines = r.err.splitlines()
    t.check("holds both_of#1 here, which would open gate late@both_of#1 -> late@both_of#2" in lines[1], "first", r)
    t.check("holds both_of#2 here, which would open gate late@both_of#2 -> early@both_of#1" in lines[2], "second", r)
    t.check("remove one of the orders" in lines[-1], "try", r)


def test_held_says_the_place_once(t):
    line = line_of(IN_SECTION, "gate: inside")
    r = gated(t, 'at "section.c:%d":wait(SimpleGate "g")\n' % line)
    t.check("first#1 is held at gate g at section.c:%d\n" % line in r.err, "no second location", r)
    r = gated(t, 'at "//inside":wait(SimpleGate "g")\n')
    t.check("first#1 is held at gate g at section.c:%d (//inside)\n" % line in r.err, "as written", r)
