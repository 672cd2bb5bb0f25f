"""Programs that get stuck, each in its own way, and programs that only look so.

A text is what follows HEAD. Two threads that begin in first() and second() are started by
start_both(); in texts without them MAIN is put in front, and the text is the body of main.
"""

HEAD = r"""
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER, lock_b = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t lock_c = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t never = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
pthread_barrier_t both;
sem_t sem;
uint32_t word = 1;
char byte;
volatile int n;
#define NANOSECONDS 700000000
static const struct timespec nap = {0, NANOSECONDS};
static struct timespec later(clockid_t clock)
{
	struct timespec ts;
	clock_gettime(clock, &ts);
	ts.tv_nsec += NANOSECONDS;
	ts.tv_sec += ts.tv_nsec / 1000000000;
	ts.tv_nsec %= 1000000000;
	return ts;
}
static int is_before(struct timespec end)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec);
}
static void doze(void) { nanosleep(&nap, NULL); }
static void init(pthread_mutex_t *m, int type, int robust, int protocol, int shared)
{
	pthread_mutexattr_t at;
	pthread_mutexattr_init(&at);
	pthread_mutexattr_settype(&at, type);
	if (robust)
		pthread_mutexattr_setrobust(&at, PTHREAD_MUTEX_ROBUST);
	pthread_mutexattr_setprotocol(&at, protocol);
	if (shared)
		pthread_mutexattr_setpshared(&at, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(m, &at);
}
static void *shared(size_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}
/* Until the thread is asleep in the kernel. */
static void await_asleep(int tid)
{
	char path[64], text[512], *at;
	sprintf(path, "/proc/%d/stat", tid);
	do {
		int fd = open(path, O_RDONLY);
		text[read(fd, text, sizeof text - 1)] = 0;
		close(fd);
		at = strrchr(text, ')');
		sched_yield();
	} while (at[2] != 'S');
}
static void *first(void *arg);
static void *second(void *arg);
static pthread_t threads[2];
static void start_both(void)
{
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}
static void on_signal(int sig) { (void)sig; n++; }
static void on_signal_lock(int sig) { (void)sig; pthread_mutex_lock(&lock_a); }
static void on_signal_exit(int sig) { (void)sig; if (write(1, "done\n", 5) == 5) _exit(0); }
static void on_signal_post(int sig) { (void)sig; sem_post(&sem); }
static void on_expiry(union sigval v) { (void)v; sem_post(&sem); }
static void every(int which, long us, long interval)
{
	struct itimerval it = {{0, interval}, {0, us}};
	setitimer(which, &it, NULL);
}
"""

MAIN = r"""
static void *first(void *arg) { return arg; }
static void *second(void *arg) { return arg; }
int main(void)
{
%s
	printf("done\n");
	return 0;
}
"""

CXX = r"""
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>
"""
CXX20 = "#include <barrier>\n#include <latch>\n#include <semaphore>\n"

AB_BA = r"""
static void *first(void *arg)
{
	pthread_mutex_lock(&lock_a);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&lock_b);
	return arg;
}
static void *second(void *arg)
{
	pthread_mutex_lock(&lock_b);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&lock_a);
	return arg;
}
int main(void) { INIT start_both(); }
"""


def ab_ba(init):
    return AB_BA.replace("INIT", "init(&lock_a, %s); init(&lock_b, %s);" % (init, init) if init else "")


class Program:
    """`names` are what the verdict's first line has to say; `script` makes it a gate's deadlock."""

    def __init__(self, text, names="main", script=None, cxx=False, flags="-g -O0"):
        if "main(" not in text:
            text = MAIN % text
        self.text = ((CXX + (CXX20 if "c++20" in flags else "")) if cxx else HEAD) + text
        self.names, self.script = names.split(), script
        self.suffix, self.flags = ".cc" if cxx else ".c", flags


def cxx(text, names, script=None, std="c++17"):
    return Program(text, names, script, cxx=True, flags="-g -O0 -std=" + std)


# ---- stuck without any gate ------------------------------------------------------------------

STUCK = {
    # mutexes of every kind
    "mutex_twice": Program("pthread_mutex_lock(&lock_a); pthread_mutex_lock(&lock_a);", "main lock_a"),
    "mutex_normal": Program(ab_ba(""), "first#1 second#1 lock_a lock_b"),
    "mutex_errorcheck": Program(ab_ba("PTHREAD_MUTEX_ERRORCHECK, 0, 0, 0"), "first#1 second#1"),
    "mutex_recursive": Program(ab_ba("PTHREAD_MUTEX_RECURSIVE, 0, 0, 0"), "first#1 second#1"),
    "mutex_robust": Program(ab_ba("0, 1, 0, 0"), "first#1 second#1"),
    "mutex_pi": Program(ab_ba("0, 0, PTHREAD_PRIO_INHERIT, 0"), "first#1"),
    "mutex_protect": Program(r"""
	init(&lock_a, 0, 0, PTHREAD_PRIO_PROTECT, 0);
	if (pthread_mutex_lock(&lock_a)) /* it takes a right that not everybody has */
		init(&lock_a, 0, 0, 0, 0);
	pthread_mutex_lock(&lock_a);
	pthread_mutex_lock(&lock_a);"""),
    "mutex_shared": Program(r"""
	pthread_mutex_t *m = shared(sizeof *m);
	init(m, 0, 0, 0, 1);
	pthread_mutex_lock(m);
	if (fork() == 0) {
		pthread_mutex_lock(m);
		_exit(0);
	}
	wait(NULL);""", "main p1/main"),
    "mutex_owner_ended": Program(r"""
static void *first(void *arg) { pthread_mutex_lock(&lock_a); return arg; }
static void *second(void *arg) { return arg; }
int main(void)
{
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_join(threads[0], NULL);
	pthread_mutex_lock(&lock_a);
}
"""),
    "mutex_three": Program(r"""
static pthread_barrier_t three;
static void *take(pthread_mutex_t *one, pthread_mutex_t *other)
{
	pthread_mutex_lock(one);
	pthread_barrier_wait(&three);
	pthread_mutex_lock(other);
	return NULL;
}
static void *first(void *arg) { return take(&lock_a, &lock_b); }
static void *second(void *arg) { return take(&lock_b, &lock_c); }
static void *third(void *arg) { return take(&lock_c, &lock_a); }
int main(void)
{
	pthread_t t;
	pthread_barrier_init(&three, NULL, 3);
	pthread_create(&t, NULL, third, NULL);
	start_both();
}
""", "first#1 second#1 third#1 lock_a lock_b lock_c"),
    # rwlocks
    "rwlock_upgrade": Program("pthread_rwlock_rdlock(&rw); pthread_rwlock_wrlock(&rw);"),
    "rwlock_read": Program(r"""
static void *first(void *arg) { pthread_rwlock_rdlock(&rw); return arg; }
static void *second(void *arg) { return arg; }
int main(void) { pthread_rwlock_wrlock(&rw); start_both(); }
""", "first#1 main"),
    "rwlock_write": Program(r"""
static void *first(void *arg) { pthread_rwlock_wrlock(&rw); return arg; }
static void *second(void *arg) { return arg; }
int main(void) { pthread_rwlock_rdlock(&rw); start_both(); }
""", "first#1"),
    "rwlock_writer_between": Program(r"""
static _Atomic int tid;
static void *first(void *arg)
{
	pthread_rwlock_rdlock(&rw);
	pthread_barrier_wait(&both);
	while (!tid)
		sched_yield();
	await_asleep(tid);
	pthread_rwlock_rdlock(&rw); /* behind the writer, which waits for us */
	return arg;
}
static void *second(void *arg)
{
	pthread_barrier_wait(&both);
	tid = syscall(SYS_gettid);
	pthread_rwlock_wrlock(&rw);
	return arg;
}
int main(void)
{
	pthread_rwlockattr_t at;
	pthread_rwlockattr_init(&at);
	pthread_rwlockattr_setkind_np(&at, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&rw, &at);
	start_both();
}
""", "first#1"),
    # condition variables, semaphores, barriers
    "condition_lost": Program(r"""
static void *first(void *arg)
{
	pthread_cond_signal(&never); /* before anybody waits */
	pthread_mutex_lock(&lock_a);
	pthread_cond_wait(&never, &lock_a);
	return arg;
}
static void *second(void *arg) { return arg; }
int main(void) { start_both(); }
""", "main first#1"),
    "condition_mutex_gone": Program(r"""
static _Atomic int tid;
static void *first(void *arg)
{
	pthread_mutex_lock(&lock_a);
	tid = syscall(SYS_gettid);
	pthread_cond_wait(&never, &lock_a);
	return arg;
}
static void *second(void *arg)
{
	while (!tid)
		sched_yield();
	pthread_mutex_lock(&lock_a); /* and never unlocks it */
	pthread_cond_signal(&never);
	return arg;
}
int main(void) { start_both(); }
""", "first#1"),
    "condition_nested": Program(r"""
static _Atomic int waits;
static void *first(void *arg)
{
	pthread_mutex_lock(&lock_b);
	pthread_mutex_lock(&lock_a);
	waits = 1;
	pthread_cond_wait(&never, &lock_a); /* with lock_b */
	return arg;
}
static void *second(void *arg)
{
	while (!waits)
		sched_yield();
	pthread_mutex_lock(&lock_b);
	pthread_cond_signal(&never);
	return arg;
}
int main(void) { start_both(); }
""", "first#1 second#1 lock_b"),
    "semaphore": Program("sem_init(&sem, 0, 0); sem_wait(&sem);"),
    "semaphore_named": Program(r"""
	char name[64];
	sprintf(name, "/gatectl-%d", getpid());
	sem_t *s = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
	sem_unlink(name);
	sem_wait(s);"""),
    "semaphore_shared": Program(r"""
	sem_t *s = shared(2 * sizeof *s);
	sem_init(s, 1, 0);
	sem_init(s + 1, 1, 0);
	if (fork() == 0) {
		sem_wait(s);
		sem_post(s + 1);
		_exit(0);
	}
	sem_wait(s + 1);
	sem_post(s);"""),
    "barrier": Program("pthread_barrier_init(&both, NULL, 2); pthread_barrier_wait(&both);"),
    # ends that never come
    "join_each_other": Program(r"""
static void *first(void *arg) { pthread_barrier_wait(&both); pthread_join(threads[1], NULL); return arg; }
static void *second(void *arg) { pthread_barrier_wait(&both); pthread_join(threads[0], NULL); return arg; }
int main(void)
{
	pthread_barrier_init(&both, NULL, 3);
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	pthread_barrier_wait(&both);
	syscall(SYS_exit, 0);
}
""", "first#1 second#1"),
    "join_by_a_third": Program(r"""
static pthread_t me;
static void *first(void *arg) { pthread_join(threads[1], NULL); return arg; }
static void *second(void *arg) { pthread_barrier_wait(&both); pthread_join(me, NULL); return arg; }
int main(void)
{
	me = pthread_self();
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&threads[1], NULL, second, NULL);
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_barrier_wait(&both);
	pthread_join(threads[0], NULL);
}
""", "main first#1 second#1"),
    "child_stuck": Program(r"""
	if (fork() == 0) {
		pthread_mutex_lock(&lock_a);
		pthread_mutex_lock(&lock_a);
	}
	wait(NULL);""", "p1/main"),
    "child_of_vfork_stuck": Program(r"""
	if (vfork() == 0) {
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
		_exit(0);
	}""", "main p1/main"),
    "child_inherits_lock": Program(r"""
static void *first(void *arg)
{
	pthread_mutex_lock(&lock_a);
	pthread_barrier_wait(&both);
	pthread_barrier_wait(&both);
	pthread_mutex_unlock(&lock_a);
	return arg;
}
static void *second(void *arg) { return arg; }
int main(void)
{
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_barrier_wait(&both);
	if (fork() == 0) {
		pthread_mutex_lock(&lock_a); /* as it was when the fork copied it */
		_exit(0);
	}
	pthread_barrier_wait(&both);
	pthread_join(threads[0], NULL);
	wait(NULL);
}
""", "main p1/main"),
    # what happens once, or at the end
    "once_in_itself": Program(r"""
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void init_once(void) { pthread_once(&once, init_once); }
static void *first(void *arg) { return arg; }
static void *second(void *arg) { return arg; }
int main(void) { pthread_once(&once, init_once); }
"""),
    "exit_handler": Program(r"""
static void *first(void *arg) { pthread_mutex_lock(&lock_a); pthread_mutex_lock(&lock_a); return arg; }
static void *second(void *arg) { return arg; }
static void at_end(void) { pthread_join(threads[0], NULL); }
int main(void)
{
	atexit(at_end);
	pthread_create(&threads[0], NULL, first, NULL);
	return 0;
}
""", "first#1 lock_a"),
    "key_destructor": Program(r"""
static pthread_key_t key;
static void destroy(void *value) { pthread_mutex_lock(&lock_a); }
static void *first(void *arg) { pthread_setspecific(key, &key); return arg; }
static void *second(void *arg) { return arg; }
int main(void)
{
	pthread_key_create(&key, destroy);
	pthread_mutex_lock(&lock_a);
	start_both();
}
""", "main first#1 lock_a"),
    "signal_handler": Program(r"""
	signal(SIGUSR1, on_signal_lock);
	pthread_mutex_lock(&lock_a);
	raise(SIGUSR1);""", "main lock_a"),
    "loader_lock": Program(r"""
#include <link.h>
static int each(struct dl_phdr_info *info, size_t size, void *data) { return 1; }
static int outer(struct dl_phdr_info *info, size_t size, void *data)
{
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_join(threads[0], NULL); /* with the loader's lock */
	return 1;
}
static void *first(void *arg) { dl_iterate_phdr(each, NULL); return arg; }
static void *second(void *arg) { return arg; }
int main(void) { dl_iterate_phdr(outer, NULL); }
""", "main first#1"),
    "stream": Program(r"""
static void *first(void *arg) { printf("x"); return arg; }
static void *second(void *arg) { return arg; }
int main(void) { flockfile(stdout); start_both(); }
""", "first#1"),
    # the kernel's own
    "futex": Program("syscall(SYS_futex, &word, FUTEX_WAIT, 1, NULL, NULL, 0);"),
    "futex_pi": Program(r"""
static uint32_t pi;
static void *first(void *arg) { syscall(SYS_futex, &pi, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0); return arg; }
static void *second(void *arg) { return arg; }
int main(void)
{
	pi = syscall(SYS_gettid);
	start_both();
}
""", "main first#1"),
    "futex_waitv": Program(r"""
	struct { uint64_t val, uaddr; uint32_t flags, reserved; } w[2] =
		{{1, (uint64_t)(uintptr_t)&word, 2, 0}, {0, (uint64_t)(uintptr_t)&n, 2 | 128, 0}};
	if (syscall(449, w, 2, 0, NULL, 0) < 0) /* an old kernel */
		syscall(SYS_futex, &word, FUTEX_WAIT, 1, NULL, NULL, 0);"""),
    "pipe_read": Program(r"""
	int to[2], from[2];
	pipe(to);
	pipe(from);
	if (fork() == 0) {
		read(to[0], &byte, 1);
		write(from[1], &byte, 1);
		_exit(0);
	}
	read(from[0], &byte, 1);
	write(to[1], &byte, 1);""", "main p1/main"),
    "pipe_full": Program(r"""
	static char big[1 << 20];
	int to[2], from[2];
	pipe(to);
	pipe(from);
	if (fork() == 0) {
		write(from[1], big, sizeof big);
		_exit(0);
	}
	write(to[1], big, sizeof big);""", "main p1/main"),
    "pipe_of_its_own": Program(r"""
	int fd[2];
	pipe(fd);
	if (fork() == 0)
		_exit(write(fd[1], "x", 1) != 1);
	wait(NULL);
	while (read(fd[0], &byte, 1) == 1) /* its own end was never closed */
		;"""),
    "pipe_and_child": Program(r"""
	int fd[2];
	pipe(fd);
	if (fork() == 0) {
		read(fd[0], &byte, 1);
		_exit(0);
	}
	wait(NULL);""", "main p1/main"),
    "fifo_without_name": Program(r"""
	char name[] = "/tmp/gatectl-fifo-XXXXXX";
	int fd;
	close(mkstemp(name));
	unlink(name);
	mkfifo(name, 0600);
	fd = open(name, O_RDWR);
	unlink(name);
	read(fd, &byte, 1);"""),
    "sockets": Program(r"""
	int sv[2];
	socketpair(AF_UNIX, SOCK_STREAM, 0, sv);
	if (fork() == 0) {
		close(sv[0]);
		recv(sv[1], &byte, 1, 0);
		_exit(0);
	}
	close(sv[1]);
	read(sv[0], &byte, 1);""", "main p1/main"),
    "eventfd": Program("uint64_t v; read(eventfd(0, 0), &v, 8);"),
    "timerfd_disarmed": Program("uint64_t v; read(timerfd_create(CLOCK_MONOTONIC, 0), &v, 8);"),
    "poll": Program(r"""
	int fd[2], none[2];
	pipe(fd);
	pipe(none);
	struct pollfd p[] = {{fd[0], POLLIN, 0}, {-1, 0, 0}, {none[0], POLLIN, 0}};
	poll(p, 3, -1);"""),
    "select": Program(r"""
	int fd[2];
	fd_set in;
	pipe(fd);
	FD_ZERO(&in);
	FD_SET(fd[0], &in);
	select(fd[0] + 1, &in, NULL, NULL, NULL);"""),
    "epoll": Program(r"""
	int fd[2], e = epoll_create1(0);
	struct epoll_event ev = {.events = EPOLLIN};
	pipe(fd);
	epoll_ctl(e, EPOLL_CTL_ADD, fd[0], &ev);
	epoll_wait(e, &ev, 1, -1);"""),
    "flock": Program(r"""
	char name[] = "/tmp/gatectl-lock-XXXXXX";
	int fd = mkstemp(name);
	flock(fd, LOCK_EX);
	if (fork() == 0) {
		fd = open(name, O_RDWR);
		unlink(name);
		flock(fd, LOCK_EX);
		_exit(0);
	}
	wait(NULL);""", "main p1/main"),
    "fcntl_lock": Program(r"""
	char name[] = "/tmp/gatectl-lock-XXXXXX";
	struct flock l = {.l_type = F_WRLCK};
	int fd = mkstemp(name);
	unlink(name);
	fcntl(fd, F_SETLK, &l);
	if (fork() == 0) {
		fcntl(fd, F_SETLKW, &l);
		_exit(0);
	}
	wait(NULL);""", "main p1/main"),
    "fcntl_lock_ofd": Program(r"""
	char name[] = "/tmp/gatectl-lock-XXXXXX";
	struct flock l = {.l_type = F_WRLCK};
	int fd = mkstemp(name), other = open(name, O_RDWR);
	unlink(name);
	fcntl(fd, F_OFD_SETLK, &l);
	fcntl(other, F_OFD_SETLKW, &l);"""),
    # stuck only when the last signal has come
    "after_alarm": Program(r"""
	signal(SIGALRM, on_signal);
	every(ITIMER_REAL, 100000, 0);
	pthread_mutex_lock(&lock_a);
	pthread_mutex_lock(&lock_a);""", "main lock_a"),
    "after_timer": Program(r"""
	timer_t tm;
	struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	struct itimerspec its = {{0, 0}, {0, 100000000}};
	signal(SIGUSR1, on_signal);
	timer_create(CLOCK_MONOTONIC, &ev, &tm);
	timer_settime(tm, 0, &its, NULL);
	pthread_mutex_lock(&lock_a);
	pthread_mutex_lock(&lock_a);""", "main lock_a"),
    "after_timer_thread": Program(r"""
	timer_t tm;
	struct sigevent ev = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_expiry};
	struct itimerspec its = {{0, 0}, {0, 100000000}};
	sem_init(&sem, 0, 0);
	timer_create(CLOCK_MONOTONIC, &ev, &tm);
	timer_settime(tm, 0, &its, NULL);
	for (int i = 0; i < 2; i++)
		while (sem_wait(&sem))
			;"""),
    "cpu_timer": Program(r"""
	signal(SIGPROF, on_signal);
	every(ITIMER_PROF, 500000, 0); /* who does not run uses no CPU time */
	pthread_mutex_lock(&lock_a);
	pthread_mutex_lock(&lock_a);""", "main lock_a"),
    # C++
    "cxx_mutex": cxx(r"""
std::mutex a, b;
std::atomic<int> in{0};
void take(std::mutex &one, std::mutex &other)
{
	std::lock_guard<std::mutex> l(one);
	in++;
	while (in < 2)
		std::this_thread::yield();
	std::lock_guard<std::mutex> m(other);
}
void one() { take(a, b); }
void two() { take(b, a); }
int main() { std::thread s(one), t(two); s.join(); t.join(); }
""", "one#1 two#1"),
    "cxx_condition": cxx(r"""
std::mutex m;
std::condition_variable cv;
bool ready;
void waits() { std::unique_lock<std::mutex> l(m); cv.wait(l, [] { return ready; }); }
int main() { std::thread t(waits); t.join(); }
""", "main waits#1"),
    "cxx_shared_mutex": cxx(r"""
std::shared_mutex m;
void reads() { std::shared_lock<std::shared_mutex> l(m); }
int main() { std::unique_lock<std::shared_mutex> l(m); std::thread t(reads); t.join(); }
""", "main reads#1"),
    "cxx_future": cxx("int main() { std::promise<int> p; p.get_future().wait(); }", "main"),
    "cxx_join": cxx(r"""
std::thread s, t;
std::atomic<int> go{0};
void one() { while (!go) std::this_thread::yield(); t.join(); }
void two() { while (!go) std::this_thread::yield(); s.join(); }
int main() { s = std::thread(one); t = std::thread(two); go = 1; pthread_exit(nullptr); }
""", "one#1 two#1"),
    "cxx_guard": cxx(r"""
std::atomic<int> in{0};
int meet(int value);
struct A { A(); };
struct B { B(); };
A &a() { static A object; return object; }
B &b() { static B object; return object; }
void meets() { in++; while (in < 2) std::this_thread::yield(); }
A::A() { meets(); b(); }
B::B() { meets(); a(); }
void one() { a(); }
void two() { b(); }
int main() { std::thread s(one), t(two); s.join(); t.join(); }
""", "one#1"),
    "cxx_thread_local": cxx(r"""
std::mutex m;
struct Last { ~Last() { std::lock_guard<std::mutex> l(m); } };
void work() { thread_local Last last; (void)&last; }
int main() { std::lock_guard<std::mutex> l(m); std::thread t(work); t.join(); }
""", "main work#1"),
    "cxx_atomic": cxx("int main() { std::atomic<int> a{0}; a.wait(0); }", "main", std="c++20"),
    "cxx_semaphore": cxx("int main() { std::counting_semaphore<4> s(0); s.acquire(); }", "main", std="c++20"),
    "cxx_latch": cxx("int main() { std::latch l(2); l.arrive_and_wait(); }", "main", std="c++20"),
    "cxx_barrier": cxx(r"""
std::barrier<> b(3);
void arrives() { b.arrive_and_wait(); }
int main() { std::thread t(arrives); arrives(); }
""", "arrives", std="c++20"),
}

# ---- stuck because of a gate -----------------------------------------------------------------

WAIT = 'local g = SimpleGate "shut"\nat "//held":wait(g)\n'
OPEN = WAIT + 'at "//opens":open(g)\n'
# second() goes on only when first() is held
AFTER = 'local g, h = SimpleGate "shut", SimpleGate "then"\nat("//held"):open(h):wait(g)\n' \
        'at "//then":wait(h)\nat "//opens":open(g)\n'


def around(take, give, more=""):
    """first() is held between the two; second() needs the same before it opens the gate."""
    return r"""
%s
static void *first(void *arg)
{
	%s
	n++; /* gate: held */
	%s
	return arg;
}
static void *second(void *arg)
{
	n++; /* gate: then */
	%s
	n++; /* gate: opens */
	return arg;
}
""" % (more, take, give, take)


START = "int main(void) { start_both(); }\n"
BEGUN = r"""
static void *first(void *arg) { return arg; }
static void *second(void *arg) { return arg; }
"""
AT_EXIT = 'on("thread-exit", {thread = "*first*"}):wait(SimpleGate "shut")\n'
GATED = {
    "mutex_held": Program(around("pthread_mutex_lock(&lock_a);", "pthread_mutex_unlock(&lock_a);") + START,
                          "second#1 first#1 lock_a", AFTER),
    "rwlock_held": Program(around("pthread_rwlock_wrlock(&rw);", "pthread_rwlock_unlock(&rw);") + START,
                           "second#1 first#1", AFTER),
    "stream_held": Program(around("flockfile(stdout);", "funlockfile(stdout);") + START, "first#1", AFTER),
    "semaphore_held": Program(around("sem_wait(&sem);", "sem_post(&sem);")
                              + "int main(void) { sem_init(&sem, 0, 1); start_both(); }\n", "first#1", AFTER),
    "once_held": Program(r"""
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void init_once(void)
{
	n++; /* gate: held */
}
static void *first(void *arg) { pthread_once(&once, init_once); return arg; }
static void *second(void *arg)
{
	n++; /* gate: then */
	pthread_once(&once, init_once);
	n++; /* gate: opens */
	return arg;
}
int main(void) { start_both(); }
""", "first#1", AFTER),
    "condition_held": Program(r"""
static volatile int ready;
static void *first(void *arg)
{
	pthread_mutex_lock(&lock_a);
	while (!ready)
		pthread_cond_wait(&never, &lock_a);
	pthread_mutex_unlock(&lock_a);
	n++; /* gate: opens */
	return arg;
}
static void *second(void *arg)
{
	n++; /* gate: held */
	pthread_mutex_lock(&lock_a);
	ready = 1;
	pthread_cond_signal(&never);
	pthread_mutex_unlock(&lock_a);
	return arg;
}
int main(void) { start_both(); }
""", "first#1 second#1", OPEN),
    "barrier_held": Program(r"""
static pthread_barrier_t three;
static void *first(void *arg)
{
	pthread_barrier_wait(&three);
	n++; /* gate: opens */
	return arg;
}
static void *second(void *arg) { return first(arg); }
static void *third(void *arg)
{
	n++; /* gate: held */
	return first(arg);
}
int main(void)
{
	pthread_t t;
	pthread_barrier_init(&three, NULL, 3);
	pthread_create(&t, NULL, third, NULL);
	start_both();
}
""", "third#1 shut", OPEN),
    "join_held": Program(r"""
static void *first(void *arg) { n++; /* gate: held */ return arg; }
static void *second(void *arg) { return arg; }
int main(void)
{
	start_both();
	n++; /* gate: opens */
}
""", "main first#1 shut", OPEN),
    "exit_joined": Program(BEGUN + START, "main joins first#1 thread-exit", AT_EXIT),
    "exit_chained": Program(BEGUN + r"""
static void *joins(void *arg) { pthread_join(threads[0], NULL); return arg; }
int main(void)
{
	pthread_t t;
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&t, NULL, joins, NULL);
	pthread_join(t, NULL);
}
""", "joins#1 joins first#1 thread-exit", AT_EXIT),
    "exit_detached": Program(BEGUN + r"""
int main(void)
{
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_detach(threads[0]);
	pthread_mutex_lock(&lock_a);
	for (;;)
		pthread_cond_wait(&never, &lock_a);
}
""", "main first#1 thread-exit", AT_EXIT),
    "exit_of_one": Program(BEGUN + START, "main joins first#1 thread-exit",
                           'on("thread-exit"):wait(BarrierGate("all of them", 3))\n'),
    "exit_in_child": Program(BEGUN + r"""
int main(void)
{
	if (fork() == 0)
		start_both();
	wait(NULL);
}
""", "main p1/main p1/first#1 thread-exit", AT_EXIT),
    "signal_in_suspend": Program(r"""
static void *first(void *arg)
{
	doze();
	pthread_kill(threads[1], SIGUSR1);
	return arg;
}
static void handler(int signal) { (void)signal; }
static void *second(void *arg)
{
	sigset_t none;
	sigemptyset(&none);
	sigsuspend(&none);
	return arg;
}
int main(void)
{
	sigset_t set;
	signal(SIGUSR1, handler);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	start_both();
}
""", "main joins second#1 shut", 'on("signal", {signal = "SIGUSR1"}):wait(SimpleGate "shut")\n'),
    "child_held": Program(r"""
	if (fork() == 0) {
		n++; /* gate: held */
		_exit(0);
	}
	wait(NULL);
	n++; /* gate: opens */""", "main p1/main shut", OPEN),
    "pipe_held": Program(r"""
	int fd[2];
	pipe(fd);
	if (fork() == 0) {
		n++; /* gate: held */
		write(fd[1], "x", 1);
		_exit(0);
	}
	read(fd[0], &byte, 1);
	n++; /* gate: opens */""", "main p1/main shut", OPEN),
    "flock_held": Program(r"""
	char name[] = "/tmp/gatectl-lock-XXXXXX";
	int fd = mkstemp(name), ready[2];
	pipe(ready);
	if (fork() == 0) {
		fd = open(name, O_RDWR);
		flock(fd, LOCK_EX);
		write(ready[1], "x", 1);
		n++; /* gate: held */
		_exit(0);
	}
	read(ready[0], &byte, 1);
	unlink(name);
	flock(fd, LOCK_EX);
	n++; /* gate: opens */""", "main p1/main shut", OPEN),
    "shared_mutex_held": Program(r"""
	pthread_mutex_t *m = shared(sizeof *m);
	int ready[2];
	init(m, 0, 0, 0, 1);
	pipe(ready);
	if (fork() == 0) {
		pthread_mutex_lock(m);
		write(ready[1], "x", 1);
		n++; /* gate: held */
		_exit(0);
	}
	read(ready[0], &byte, 1);
	pthread_mutex_lock(m);
	n++; /* gate: opens */""", "main p1/main shut", OPEN),
    "future_held": cxx(r"""
std::promise<int> p;
volatile int n;
void sets()
{
	n++; /* gate: held */
	p.set_value(1);
}
int main()
{
	std::thread t(sets);
	p.get_future().wait();
	n++; /* gate: opens */
	t.join();
}
""", "sets#1 shut", OPEN),
    "two_gates": Program(r"""
static void *first(void *arg)
{
	n++; /* gate: f1 */
	n++; /* gate: f2 */
	return arg;
}
static void *second(void *arg)
{
	n++; /* gate: s1 */
	n++; /* gate: s2 */
	return arg;
}
int main(void) { start_both(); }
""", "main first#1", 'order "//f2 -> //s1, //s2 -> //f1"\n'),
    "alone": Program("\tn++; /* gate: held */", "main shut", WAIT),
    "function_never": Program("\tn++; /* gate: held */", "main",
                              'at "//held":when(function() return false end)\n'),
    "wait_until_never": Program("\tn++; /* gate: held */", "main",
                                'at "//held":run(function() wait_until(function() return false end) end)\n'),
    "exit_held": Program("", "main shut", 'local g = SimpleGate "shut"\non("exit"):wait(g)\n'),
}

# ---- looks stuck, is not ---------------------------------------------------------------------

ALIVE = {
    # sleeping
    "sleep": "sleep(1);",
    "nanosleep": "doze();",
    "sleep_until": r"""
	struct timespec ts = later(CLOCK_MONOTONIC);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);""",
    # waiting with a time-out
    "poll": "poll(NULL, 0, 700);",
    "ppoll": "int fd[2]; pipe(fd); struct pollfd p = {fd[0], POLLIN, 0}; ppoll(&p, 1, &nap, NULL);",
    "select": "struct timeval tv = {0, 700000}; select(0, NULL, NULL, NULL, &tv);",
    "pselect": "pselect(0, NULL, NULL, NULL, &nap, NULL);",
    "epoll": "struct epoll_event ev; epoll_wait(epoll_create1(0), &ev, 1, 700);",
    "futex": "syscall(SYS_futex, &word, FUTEX_WAIT, 1, &nap, NULL, 0);",
    "condition": r"""
	struct timespec ts = later(CLOCK_REALTIME);
	pthread_mutex_lock(&lock_a);
	pthread_cond_timedwait(&never, &lock_a, &ts);""",
    "mutex": r"""
	struct timespec ts = later(CLOCK_REALTIME);
	pthread_mutex_lock(&lock_a);
	pthread_mutex_timedlock(&lock_a, &ts);""",
    "mutex_pi": r"""
static void *first(void *arg)
{
	struct timespec ts = later(CLOCK_REALTIME);
	pthread_mutex_timedlock(&lock_a, &ts);
	return arg;
}
static void *second(void *arg) { return arg; }
int main(void)
{
	init(&lock_a, 0, 0, PTHREAD_PRIO_INHERIT, 0);
	pthread_mutex_lock(&lock_a);
	start_both();
	printf("done\n");
}
""",
    "rwlock": r"""
	struct timespec ts = later(CLOCK_REALTIME);
	pthread_rwlock_rdlock(&rw);
	pthread_rwlock_timedwrlock(&rw, &ts);""",
    "semaphore": "struct timespec ts = later(CLOCK_REALTIME); sem_init(&sem, 0, 0); sem_timedwait(&sem, &ts);",
    "sigtimedwait": "sigset_t s; sigemptyset(&s); sigtimedwait(&s, NULL, &nap);",
    "message_queue": r"""
	struct timespec ts = later(CLOCK_REALTIME);
	struct mq_attr at = {.mq_maxmsg = 1, .mq_msgsize = 8};
	char name[64], buf[8];
	sprintf(name, "/gatectl-%d", getpid());
	mqd_t q = mq_open(name, O_CREAT | O_RDWR, 0600, &at);
	mq_unlink(name);
	mq_timedreceive(q, buf, 8, NULL, &ts);""",
    "socket": r"""
	struct timeval tv = {0, 700000};
	int sv[2];
	socketpair(AF_UNIX, SOCK_STREAM, 0, sv);
	setsockopt(sv[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
	recv(sv[0], &byte, 1, 0);""",
    # signals that will come
    "pause_alarm": "signal(SIGALRM, on_signal); alarm(1); pause();",
    "pause_timer": r"""
	timer_t tm;
	struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	struct itimerspec its = {{0, 0}, nap};
	signal(SIGALRM, on_signal);
	timer_create(CLOCK_MONOTONIC, &ev, &tm);
	timer_settime(tm, 0, &its, NULL);
	pause();""",
    "sigwait_timer": r"""
	sigset_t set;
	int sig;
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	every(ITIMER_REAL, 700000, 0);
	sigwait(&set, &sig);""",
    "locked_until_alarm": r"""
	signal(SIGALRM, on_signal_exit);
	every(ITIMER_REAL, 700000, 0);
	pthread_mutex_lock(&lock_a);
	pthread_mutex_lock(&lock_a);""",
    "locked_until_timer": r"""
	timer_t tm;
	struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	struct itimerspec its = {{0, 0}, nap};
	signal(SIGUSR1, on_signal_exit);
	timer_create(CLOCK_MONOTONIC, &ev, &tm);
	timer_settime(tm, 0, &its, NULL);
	pthread_mutex_lock(&lock_a);
	pthread_mutex_lock(&lock_a);""",
    "interval_timer": r"""
	signal(SIGALRM, on_signal_post);
	every(ITIMER_REAL, 200000, 200000);
	sem_init(&sem, 0, 0);
	for (int i = 0; i < 4; i++)
		while (sem_wait(&sem))
			;""",
    "timer_thread": r"""
	timer_t tm;
	struct sigevent ev = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_expiry};
	struct itimerspec its = {{0, 0}, nap};
	sem_init(&sem, 0, 0);
	timer_create(CLOCK_MONOTONIC, &ev, &tm);
	timer_settime(tm, 0, &its, NULL);
	while (sem_wait(&sem))
		;""",
    "timer_in_child": r"""
	if (fork() == 0) {
		signal(SIGALRM, on_signal_exit);
		every(ITIMER_REAL, 700000, 0);
		pthread_mutex_lock(&lock_a);
		pthread_mutex_lock(&lock_a);
	}
	wait(NULL);
	return 0;""",
    "signal_from_child": r"""
	signal(SIGUSR1, on_signal_exit);
	if (fork() == 0) {
		doze();
		kill(getppid(), SIGUSR1);
		_exit(0);
	}
	pthread_mutex_lock(&lock_a);
	pthread_mutex_lock(&lock_a);""",
    "signal_from_thread": r"""
static void *first(void *arg) { doze(); pthread_kill(threads[1], SIGUSR1); return arg; }
static void *second(void *arg) { pause(); return arg; }
int main(void) { signal(SIGUSR1, on_signal); start_both(); printf("done\n"); }
""",
    # timers that are files
    "timerfd": r"""
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	struct itimerspec its = {{0, 0}, nap};
	uint64_t k;
	timerfd_settime(fd, 0, &its, NULL);
	if (read(fd, &k, 8) != 8)
		return 1;""",
    "timerfd_in_poll": r"""
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	struct itimerspec its = {{0, 0}, nap};
	struct pollfd p = {.fd = fd, .events = POLLIN};
	timerfd_settime(fd, 0, &its, NULL);
	if (poll(&p, 1, -1) != 1)
		return 1;""",
    "timerfd_in_epoll": r"""
	int fd = timerfd_create(CLOCK_MONOTONIC, 0), e = epoll_create1(0);
	struct itimerspec its = {{0, 0}, nap};
	struct epoll_event ev = {.events = EPOLLIN};
	epoll_ctl(e, EPOLL_CTL_ADD, fd, &ev);
	timerfd_settime(fd, 0, &its, NULL);
	if (epoll_wait(e, &ev, 1, -1) != 1)
		return 1;""",
    "kernel_writes": r"""
	aio_context_t context = 0;
	struct itimerspec its = {{0, 0}, nap};
	uint64_t v;
	int fd = eventfd(0, 0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
	struct iocb cb = {.aio_fildes = timer, .aio_lio_opcode = IOCB_CMD_POLL, .aio_buf = POLLIN,
			  .aio_flags = IOCB_FLAG_RESFD, .aio_resfd = fd}, *list = &cb;
	timerfd_settime(timer, 0, &its, NULL);
	if (syscall(SYS_io_setup, 1, &context) || syscall(SYS_io_submit, context, 1, &list) != 1)
		doze(); /* a kernel without it */
	else if (read(fd, &v, 8) != 8)
		return 1;""",
    # somebody else works
    "compute": r"""
	struct timespec end = later(CLOCK_MONOTONIC);
	while (is_before(end))
		for (volatile int i = 0; i < 1000000; i++)
			;""",
    "yield": "struct timespec end = later(CLOCK_MONOTONIC); while (is_before(end)) sched_yield();",
    "join_sleeper": r"""
static void *first(void *arg) { doze(); return arg; }
static void *second(void *arg) { return arg; }
int main(void) { start_both(); printf("done\n"); }
""",
    "ping_pong": r"""
static sem_t other;
static void *first(void *arg)
{
	for (int i = 0; i < 7; i++) {
		usleep(50000);
		sem_post(&sem);
		sem_wait(&other);
	}
	return arg;
}
static void *second(void *arg)
{
	for (int i = 0; i < 7; i++) {
		sem_wait(&sem);
		usleep(50000);
		sem_post(&other);
	}
	return arg;
}
int main(void)
{
	sem_init(&sem, 0, 0);
	sem_init(&other, 0, 0);
	start_both();
	printf("done\n");
}
""",
    "ab_ba_beside_exit": AB_BA.replace("int main(void) { INIT start_both(); }", r"""
static void *both_of_them(void *arg) { start_both(); return arg; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, both_of_them, NULL);
	doze(); /* they are stuck, but we end */
	printf("done\n");
}
"""),
    "child_sleeps": "if (fork() == 0) { doze(); _exit(0); } wait(NULL);",
    "child_computes": r"""
	if (fork() == 0) {
		struct timespec end = later(CLOCK_MONOTONIC);
		while (is_before(end))
			;
		_exit(0);
	}
	wait(NULL);""",
    "child_of_vfork": r"""
	if (vfork() == 0) {
		execlp("sleep", "sleep", "0.7", (char *)NULL);
		_exit(1);
	}
	wait(NULL);""",
    "grandchild_has_pipe": r"""
	int fd[2];
	pipe(fd);
	if (fork() == 0) {
		if (fork() == 0) {
			doze();
			_exit(write(fd[1], "x", 1) != 1);
		}
		_exit(0);
	}
	wait(NULL);
	if (read(fd[0], &byte, 1) != 1)
		return 1;""",
    "socket_of_child": r"""
	int sv[2];
	socketpair(AF_UNIX, SOCK_STREAM, 0, sv);
	if (fork() == 0) {
		doze();
		_exit(write(sv[1], "x", 1) != 1);
	}
	if (read(sv[0], &byte, 1) != 1)
		return 1;""",
    "eventfd_of_child": r"""
	uint64_t v = 1;
	int fd = eventfd(0, 0);
	if (fork() == 0) {
		doze();
		_exit(write(fd, &v, 8) != 8);
	}
	if (read(fd, &v, 8) != 8)
		return 1;""",
    "pipe_drained": r"""
	static char big[200000];
	int fd[2];
	pipe(fd);
	if (fork() == 0) {
		close(fd[1]);
		doze();
		while (read(fd[0], big, sizeof big) > 0)
			;
		_exit(0);
	}
	if (write(fd[1], big, sizeof big) != sizeof big)
		return 1;""",
    "flock_of_child": r"""
	char name[] = "/tmp/gatectl-lock-XXXXXX";
	int fd = mkstemp(name), ready[2];
	pipe(ready);
	if (fork() == 0) {
		fd = open(name, O_RDWR);
		flock(fd, LOCK_EX);
		write(ready[1], "x", 1);
		doze();
		_exit(0);
	}
	read(ready[0], &byte, 1);
	unlink(name);
	flock(fd, LOCK_EX);""",
    "fcntl_lock_of_child": r"""
	char name[] = "/tmp/gatectl-lock-XXXXXX";
	struct flock l = {.l_type = F_WRLCK};
	int fd = mkstemp(name), ready[2];
	unlink(name);
	pipe(ready);
	if (fork() == 0) {
		fcntl(fd, F_SETLK, &l);
		write(ready[1], "x", 1);
		doze();
		_exit(0);
	}
	read(ready[0], &byte, 1);
	fcntl(fd, F_SETLKW, &l);""",
    "shared_mutex_of_child": r"""
	pthread_mutex_t *m = shared(sizeof *m);
	int ready[2];
	init(m, 0, 0, 0, 1);
	pipe(ready);
	if (fork() == 0) {
		pthread_mutex_lock(m);
		write(ready[1], "x", 1);
		doze();
		pthread_mutex_unlock(m);
		_exit(0);
	}
	read(ready[0], &byte, 1);
	pthread_mutex_lock(m);""",
    "child_stops_itself": r"""
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(pid, &status, WUNTRACED);
	doze();
	kill(pid, SIGCONT);
	waitpid(pid, &status, 0);""",
    "parent_like_a_debugger": r"""
	int status;
	pid_t pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	for (int i = 0; i < 3; i++) {
		kill(pid, SIGSTOP);
		waitpid(pid, &status, WUNTRACED);
		usleep(200000);
		kill(pid, SIGCONT);
		waitpid(pid, &status, WCONTINUED);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);""",
}
CXX_ALIVE = {
    "cxx_sleep_for": "std::this_thread::sleep_for(std::chrono::milliseconds(700));",
    "cxx_wait_for": "std::mutex m; std::condition_variable c; std::unique_lock<std::mutex> l(m); "
                    "c.wait_for(l, std::chrono::milliseconds(700));",
    "cxx_future": "std::async(std::launch::async, [] { "
                  "std::this_thread::sleep_for(std::chrono::milliseconds(700)); }).get();",
    "cxx_timed_mutex": "std::timed_mutex m; m.lock(); std::thread t([&] { "
                       "m.try_lock_for(std::chrono::milliseconds(700)); }); t.join();",
}
ALIVE = {name: Program(text) for name, text in ALIVE.items()}
ALIVE.update({name: cxx("int main() { %s std::printf(\"done\\n\"); }" % text, "")
              for name, text in CXX_ALIVE.items()})
