"""elide_sleep: the sleeping call of a statement returns at once, as if it had slept."""

from harness import COMPILERS, compile_text, params

BUILDS = [(c, o) for c in ("gcc", "clang") for o in ("-O0", "-O2")]

# One statement for each kind of sleep; each prints what a slept-out call gives.
KINDS = r"""
#include <errno.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <linux/futex.h>
static const struct timespec constant = {50, 0};
static struct timespec until(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	t.tv_sec += 50;
	return t;
}
int main(void)
{
	struct timespec rem = {7, 7}, later = until(CLOCK_MONOTONIC), real = until(CLOCK_REALTIME);
	struct timeval tv = {50, 0};
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, taken;
	pthread_mutexattr_t pi;
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;
	sem_t s;
	struct pollfd pfd;
	struct epoll_event ev;
	sigset_t set;
	fd_set fds;
	int word = 5, ep = epoll_create1(0), p[2], r;

	pipe(p);
	pfd = (struct pollfd){p[0], POLLIN, 99};
	sem_init(&s, 0, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_mutexattr_init(&pi);
	pthread_mutexattr_setprotocol(&pi, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&taken, &pi);
	pthread_mutex_lock(&m);
	FD_ZERO(&fds);
	FD_SET(p[0], &fds);

	r = sleep(50); /* gate: k1 */
	printf("%d ", r);
	r = usleep(50000000); /* gate: k2 */
	printf("%d ", r);
	r = nanosleep(&constant, &rem); /* gate: k3 */
	printf("%d %ld ", r, (long)rem.tv_sec);
	r = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &later, NULL); /* gate: k4 */
	printf("%d %ld ", r, (long)constant.tv_sec);
	r = poll(NULL, 0, 50000); /* gate: k5 */
	printf("%d ", r);
	r = poll(&pfd, 1, 50000); /* gate: k6 */
	printf("%d %d ", r, pfd.revents);
	r = select(p[0] + 1, &fds, NULL, NULL, &tv); /* gate: k7 */
	printf("%d %d %ld ", r, FD_ISSET(p[0], &fds), (long)tv.tv_sec);
	r = ppoll(NULL, 0, &constant, NULL); /* gate: k8 */
	printf("%d ", r);
	r = pselect(0, NULL, NULL, NULL, &constant, NULL); /* gate: k9 */
	printf("%d ", r);
	r = epoll_wait(ep, &ev, 1, 50000); /* gate: k10 */
	printf("%d\n", r);
	r = pthread_cond_timedwait(&c, &m, &real); /* gate: k11 */
	printf("%d %d ", r == ETIMEDOUT, pthread_mutex_trylock(&m) == EBUSY);
	r = sem_timedwait(&s, &real); /* gate: k12 */
	printf("%d %d ", r, errno == ETIMEDOUT);
	r = pthread_mutex_timedlock(&m, &real); /* gate: k13 */
	printf("%d ", r == ETIMEDOUT);
	r = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 5, &constant); /* gate: k14 */
	printf("%d %d ", r, errno == ETIMEDOUT);
	r = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 6, &constant); /* gate: k15 */
	printf("%d %d ", r, errno == EAGAIN);
	r = sigtimedwait(&set, NULL, &constant); /* gate: k16 */
	printf("%d %d ", r, errno == EAGAIN);
	r = syscall(SYS_ppoll, NULL, 0, &constant, NULL, 8); /* gate: k17 */
	printf("%d %ld ", r, (long)*(volatile time_t *)&constant.tv_sec);
	write(p[1], "x", 1);
	r = poll(&pfd, 1, 50000); /* gate: k18 */
	printf("%d %d\n", r, pfd.revents == POLLIN);
	return 0;
}
"""

EXPECTED = "0 0 0 7 0 50 0 0 0 0 0 0 0 0 0\n1 1 -1 1 1 -1 1 -1 1 -1 1 0 50 1 1\n"


@params(*BUILDS)
def test_every_kind(t, build):
    program = compile_text("kinds.c", KINDS, "-g " + build[1], build[0])
    script = "".join('elide_sleep "//k%d"\n' % i for i in range(1, 19))
    r = t.clean(t.run_gated(program, script=script))
    t.equal(r.stdout, EXPECTED, "what each returns", r)
    t.check(r.spent < 20, "it did not sleep", r)
    for i in range(1, 19):
        t.arrivals(r, "//k%d" % i, 1)


@params(*BUILDS)
def test_only_there(t, build):
    """Other statements sleep as they do; so does the caller, the callee of another statement, a handler."""
    program = compile_text("only.c", r"""
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
__attribute__((noinline)) static int tail(unsigned us)
{
	return usleep(us); /* gate: tail */
}
__attribute__((noinline)) static void deep(int n)
{
	if (n)
		deep(n - 1);
	else
		usleep(500000);
	__asm__ volatile("");
}
int main(void)
{
	long t[6];
	int elided = 0, real = 0;
	t[0] = now();
	tail(3000000);
	t[1] = now();
	usleep(500000);
	t[2] = now();
	deep(5); /* gate: deep */
	t[3] = now();
	deep(5);
	t[4] = now();
	for (int i = 0; i < 3; i++)
		usleep(2000000); /* gate: loop */
	t[5] = now();
	for (int i = 0; i < 5; i++)
		(i % 2 ? &real : &elided)[0] += (t[i + 1] - t[i] >= 500) == i % 2;
	printf("%d %d\n", elided, real);
	return 0;
}
""", "-g " + build[1], build[0])
    r = t.clean(t.run_gated(program, script='''
elide_sleep "//tail"
elide_sleep "//deep"
elide_sleep "//loop"
'''))
    t.equal(r.stdout, "3 2\n", "elided and slept", r)


def test_function(t):
    """FUNC: until it returns. Its callers sleep."""
    program = compile_text("function.c", r"""
#include <poll.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
__attribute__((noinline)) static int pause_a_while(int n)
{
	usleep(20000000);
	if (n)
		return pause_a_while(n - 1);
	poll(NULL, 0, 20000);
	return 1;
}
int main(void)
{
	int r = pause_a_while(2);
	struct timespec a, b;
	clock_gettime(CLOCK_MONOTONIC, &a);
	usleep(200000);
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%d %d\n", r, b.tv_sec * 1000 + b.tv_nsec / 1000000 - a.tv_sec * 1000 - a.tv_nsec / 1000000 >= 200);
	return 0;
}
""", "-g -O0")
    r = t.clean(t.run_gated(program, script='elide_sleep "pause_a_while"\n'))
    t.equal(r.stdout, "1 1\n", "elided inside, slept outside", r)
    t.arrivals(r, "pause_a_while", 3)


LEFT = r"""
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static sigjmp_buf env;
static volatile int handled, slept;
static long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
static void on_usr1(int s)
{
	long a = now();
	usleep(150000);
	slept = now() - a >= 150;
	handled = 1;
}
static void leave(int how)
{
	usleep(5000000);
	if (how)
		siglongjmp(env, 1);
}
static void __attribute__((noinline)) inside(int how)
{
	leave(how); /* gate: leave */
}
int main(void)
{
	long a;
	int quick, real;
	signal(SIGUSR1, on_usr1);
	if (!sigsetjmp(env, 1))
		inside(1);
	a = now();
	usleep(200000);
	real = now() - a >= 200;
	a = now();
	inside(0);
	quick = now() - a < 3000;
	raise(SIGUSR1); /* gate: raise */
	printf("%d %d %d\n", real, quick, slept);
	return 0;
}
"""


@params(*BUILDS)
def test_left_otherwise(t, build):
    """By longjmp; and what a handler does in between is no part of the statement."""
    program = compile_text("left.c", LEFT, "-g " + build[1], build[0])
    r = t.clean(t.run_gated(program, script='elide_sleep "//leave"\nelide_sleep "//raise"\n'))
    t.equal(r.stdout, "1 1 1\n", "slept outside, quick inside, handler slept", r)


def test_which_threads_and_hits(t):
    program = compile_text("which.c", r"""
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static void *worker(void *arg)
{
	struct timespec a, b;
	for (int i = 0; i < 3; i++) {
		clock_gettime(CLOCK_MONOTONIC, &a);
		usleep(300000); /* gate: nap */
		clock_gettime(CLOCK_MONOTONIC, &b);
		((char *)arg)[i] = (b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000 >= 300 ? 's' : 'e';
	}
	return NULL;
}
int main(void)
{
	char text[2][4] = {"", ""};
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, text[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%s %s\n", text[0], text[1]);
	return 0;
}
""")
    r = t.clean(t.run_gated(program, script='elide_sleep("//nap", {thread = "worker#2", hit = {2, 3}})\n'))
    t.equal(r.stdout, "sss see\n", "who slept", r)
    r = t.clean(t.run_gated(program, script='elide_sleep("//nap", {thread = "worker#1", hit = 1})\n'))
    t.equal(r.stdout, "ess sss\n", "who slept", r)


@params(*[(COMPILERS[c][1], o) for c, o in BUILDS])
def test_cxx(t, build):
    program = compile_text("sleeps.cc", r"""
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <thread>
using namespace std::chrono;
int main()
{
	std::mutex m;
	std::condition_variable c;
	std::unique_lock<std::mutex> l(m);
	std::this_thread::sleep_for(seconds(40)); // gate: for
	std::this_thread::sleep_until(steady_clock::now() + seconds(40)); // gate: until
	auto r = c.wait_until(l, system_clock::now() + milliseconds(400)); // gate: cv
	std::cout << (r == std::cv_status::timeout || r == std::cv_status::no_timeout) << l.owns_lock() << std::endl;
}
""", "-g " + build[1], build[0])
    r = t.clean(t.run_gated(program, script='elide_sleep "//for"\nelide_sleep "//until"\nelide_sleep "//cv"\n'))
    t.equal(r.stdout, "11\n", "stdout", r)
    t.check(r.spent < 20, "it did not sleep", r)


@params(*BUILDS)
def test_loop_until_a_point_in_time(t, build):
    """The thread's clock is ahead by what it has not slept, until the statement ends."""
    program = compile_text("clock.c", r"""
#include <pthread.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static double now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
static double day(void)
{
	struct timeval t;
	gettimeofday(&t, NULL);
	return t.tv_sec + t.tv_usec / 1e6;
}
__attribute__((noinline)) static int wait_for(double length)
{
	double end = now(CLOCK_MONOTONIC) + length, real = now(CLOCK_REALTIME), of_day = day();
	time_t seconds = time(NULL);
	int n = 0, ahead;
	for (; now(CLOCK_MONOTONIC) < end; n++)
		usleep((useconds_t)(length * 1e6 / 4));
	ahead = now(CLOCK_REALTIME) - real >= length && day() - of_day >= length && time(NULL) - seconds >= (time_t)length;
	return n * 10 + ahead;
}
__attribute__((noinline)) static int wait_at_a_mutex(double length)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;
	struct timespec until;
	int n = 0;
	double end;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += (time_t)length;
	end = until.tv_sec + until.tv_nsec / 1e9;
	pthread_mutex_lock(&m);
	for (; now(CLOCK_REALTIME) < end; n++)
		pthread_cond_timedwait(&c, &m, &until);
	return n;
}
int main(void)
{
	double begin = now(CLOCK_MONOTONIC);
	int loop = wait_for(100); /* gate: loop */
	int wait = wait_at_a_mutex(100); /* gate: wait */
	printf("%d %d %d\n", loop, wait, now(CLOCK_MONOTONIC) - begin < 50);
	return 0;
}
""", "-g " + build[1], build[0])
    r = t.clean(t.run_gated(program, script='elide_sleep "//loop"\nelide_sleep "//wait"\n'))
    t.equal(r.stdout, "41 1 1\n", "four sleeps, with all clocks ahead; one wait; afterwards the machine's clock", r)


def test_loop_that_is_never_over(t):
    """After many elided calls the loop sleeps, and ends when it would have."""
    program = compile_text("never_over.c", r"""
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
static int n;
static void wait_until(double end)
{
	while (now() < end) {
		usleep(1000);
		n++;
	}
}
int main(void)
{
	wait_until(now() + 1); /* gate: wait */
	printf("%d\n", n < 1250);
	return 0;
}
""")
    r = t.clean(t.run_gated(program, script='elide_sleep "//wait"\n'))
    t.equal(r.stdout, "1\n", "it does not spin", r)


def test_with_gates(t):
    """The order that the sleep was for, by a gate at the same statement."""
    program = compile_text("order.c", r"""
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *worker(void *arg)
{
	usleep(1000); /* gate: short */
	puts("worker"); /* gate: say */
	fflush(stdout);
	return NULL;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, worker, NULL);
	sleep(20); /* gate: long */
	puts("main");
	fflush(stdout);
	return pthread_join(t, NULL);
}
""")
    for _ in range(5):
        r = t.clean(t.run_gated(program, script='''
local said = SimpleGate "said"
elide_sleep "//long"
elide_sleep "//short"
at "//long":wait(said)
at("//say", {after = true}):open(said)
'''))
        t.equal(r.stdout, "worker\nmain\n", "order", r)
        t.check(r.spent < 10, "quick", r)


def test_never_reached(t):
    program = compile_text("never.c", "#include <unistd.h>\nint main(int n, char **v)\n{\n\tif (n > 5)\n"
                           "\t\tsleep(1); /* gate: s */\n\treturn 0;\n}\n")
    t.verdict(t.run_gated(program, script='elide_sleep "//s"\n'), 120)
    t.clean(t.run_gated(program, script='elide_sleep("//s", {optional = true})\n'))


@params(("elide_sleep(5)", "expected a string"), ('elide_sleep("//s", {after = true})', "unknown option 'after'"),
        ("elide_sleep {}", 'without a location, it takes { till = "rest" }'), ('elide_sleep { till = "x" }', 'expected "rest", got x'),
        ('elide_sleep({ till = "rest" }, {})', "takes nothing else"), ('elide_sleep "main%return"', "nothing is left to execute"), ('elide_sleep "//nowhere"', "nowhere"))
def test_errors(t, case):
    program = compile_text("never.c", "#include <unistd.h>\nint main(int n, char **v)\n{\n\tif (n > 5)\n"
                           "\t\tsleep(1); /* gate: s */\n\treturn 0;\n}\n")
    r = t.error(t.run_gated(program, script=case[0] + "\n"), where=r"gates\d+\.lua:1: ")
    t.check(case[1] in r.first, "says what", r)


# ---- all sleeps, till rest -------------------------------------------------------------------------------

# No sleep of it would end within the time limit of its runs.
TILL_REST = 'elide_sleep { till = "rest" }\n'
QUICK = ("--time-limit", "30")


@params(*BUILDS)
def test_till_rest(t, build):
    """Sleeps and time-outs end in the order of their times, and the clock shows them."""
    program = compile_text("till_rest.c", r"""
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
static void *waiter(void *arg)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 300;
	pthread_mutex_lock(&m);
	while (pthread_cond_timedwait(&c, &m, &until) == 0)
		;
	puts("300");
	int over = pthread_cond_timedwait(&c, &m, &until); /* its time has passed */
	pthread_mutex_unlock(&m);
	printf("%d\n", over == ETIMEDOUT);
	return arg;
}
static void *sleeper(void *arg)
{
	sleep(200);
	puts("200");
	poll(NULL, 0, 200000);
	puts("400");
	return arg;
}
int main(void)
{
	pthread_t a, b;
	double began = now();
	pthread_create(&a, NULL, waiter, NULL);
	pthread_create(&b, NULL, sleeper, NULL);
	sleep(100);
	puts("100");
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%.3f\n", now() - began);
	return 0;
}
""", "-g %s" % build[1], build[0])
    r = t.clean(t.run_gated(program, script=TILL_REST, options=QUICK))
    *lines, took = r.stdout.split("\n")[:-1]
    t.equal(lines, ["100", "200", "300", "1", "400"], "in order", r)
    t.check(400 <= float(took) < 500, "what the clock shows", r)


@params(*BUILDS)
def test_till_rest_waits_for_work(t, build):
    """A sleep waits for threads that work, and is over before the thread moves that a gate holds."""
    program = compile_text("works.c", r"""
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile unsigned sum;
static void *worker(void *arg)
{
	for (unsigned i = 0; i < 30000000; i++)
		sum += i;
	puts("worked"); /* gate: worked */
	return arg;
}
static void *held(void *arg)
{
	puts("held"); /* gate: held */
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, worker, NULL);
	pthread_create(&b, NULL, held, NULL);
	sleep(60);
	puts("slept"); /* gate: slept */
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
""", "-g %s" % build[1], build[0])
    r = t.clean(t.run_gated(program, script=TILL_REST + "order '//slept -> //held'\n", options=QUICK))
    t.equal(r.stdout, "worked\nslept\nheld\n", "in order", r)


def test_till_rest_and_timers(t):
    """A sleep does not overtake a timer, which keeps its time; a timer that is stopped or whose process ends hinders none."""
    program = compile_text("timers.c", r"""
#include <signal.h>
#include <stdio.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile int rang;
static void ring(int s) { rang = s; }
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
int main(void)
{
	struct itimerspec once = {.it_value = {1, 0}};
	unsigned long long ticks;
	sigset_t blocked, old;
	double began = now();
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	pid_t child = fork();

	if (child == 0) {
		alarm(1000);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	alarm(2000);
	alarm(0);
	sleep(3000);
	printf("%.3f\n", now() - began);
	signal(SIGALRM, ring);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGALRM);
	sigprocmask(SIG_BLOCK, &blocked, &old);
	alarm(1);
	sleep(50);
	sigprocmask(SIG_SETMASK, &old, NULL);
	printf("%d\n%.3f\n", rang == SIGALRM, now() - began);
	timerfd_settime(fd, 0, &once, NULL);
	read(fd, &ticks, sizeof(ticks));
	printf("%llu\n%.3f\n", ticks, now() - began);
	return 0;
}
""")
    r = t.clean(t.run_gated(program, script=TILL_REST, options=QUICK))
    slept, rang, second, ticks, third = map(float, r.stdout.split())
    t.equal((rang, ticks), (1, 1), "timers", r)
    # each step lasts as long as asked, and less than it would with another step's time added
    t.check(3000 <= slept < 3049 and 50 <= second - slept < 99 and 1 <= third - second < 49, "what the clock shows", r)


def test_till_rest_and_data(t):
    """Data that TCP holds back are waited for: no sleep ends meanwhile."""
    program = compile_text("nagle.c", r"""
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
static int ends[2], came;
static void *reader(void *arg)
{
	char byte;
	for (int i = 0; i < 20; i++) {
		/* each second byte is held back until the first one is acknowledged, which takes a while */
		setsockopt(ends[1], IPPROTO_TCP, TCP_QUICKACK, &(int){0}, sizeof(int));
		read(ends[1], &byte, 1);
		read(ends[1], &byte, 1);
		write(ends[1], &byte, 1);
		read(ends[1], &byte, 1);
		came++;
		write(ends[1], &byte, 1);
	}
	return arg;
}
static void *writer(void *arg)
{
	char byte = 0;
	for (int i = 0; i < 20; i++) {
		write(ends[0], &byte, 1);
		write(ends[0], &byte, 1);
		read(ends[0], &byte, 1);
		write(ends[0], &byte, 1);
		read(ends[0], &byte, 1);
	}
	return arg;
}
int main(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t size = sizeof(at);
	pthread_t a, b;
	int listens = socket(AF_INET, SOCK_STREAM, 0);
	bind(listens, (struct sockaddr *)&at, size);
	listen(listens, 1);
	getsockname(listens, (struct sockaddr *)&at, &size);
	ends[0] = socket(AF_INET, SOCK_STREAM, 0);
	connect(ends[0], (struct sockaddr *)&at, size);
	ends[1] = accept(listens, NULL, NULL);
	pthread_create(&a, NULL, reader, NULL);
	pthread_create(&b, NULL, writer, NULL);
	sleep(60);
	printf("%d\n", came);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
""")
    r = t.clean(t.run_gated(program, script=TILL_REST, options=QUICK))
    t.equal(r.stdout, "20\n", "all came before the sleep was over", r)


def test_till_rest_elsewhere(t):
    """Without the script it has no effect; explore's schedules have a clock of their own."""
    program = compile_text("naps.c", "#include <unistd.h>\nint main(void) { usleep(300000); return 0; }\n")
    r = t.gate("prove", "-g", t.file("naps.lua", TILL_REST), "-n", "2", program)
    t.equal(r.status, 0, "status", r)
    r = t.gate("explore", "-g", t.path("naps.lua"), "-n", "3", program)
    t.equal(r.status, 0, "status", r)
