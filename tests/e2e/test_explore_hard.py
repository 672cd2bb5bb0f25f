"""gatectl explore on what real programs do besides locking: waits for files with a time-out, timers by the clock, signals."""

import json
import os
import re
import shutil

from harness import Skip, Target, compile_text, params
from test_explore import ABBA, explore, failed, read

# Hours pass at once where nobody else can go on, and the clock says so.
HOURS = """#include <assert.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>
enum { HOUR = 3600 };
static long now(void) { struct timespec t; clock_gettime(CLOCK_REALTIME, &t); return t.tv_sec; }
int main(void)
{
	int p[2], ep = epoll_create1(0);
	struct epoll_event e = {.events = EPOLLIN};
	struct timespec hour = {HOUR, 0};
	struct timeval tv = {HOUR, 500000};
	sigset_t usr1;
	fd_set s;
	long begun;
	assert(pipe(p) == 0 && epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &e) == 0);
	struct pollfd f = {p[0], POLLIN};
#define TAKES_AN_HOUR(call) begun = now(); assert(call); assert(now() - begun >= HOUR && now() - begun < HOUR + 5)
	TAKES_AN_HOUR(poll(&f, 1, HOUR * 1000) == 0);
	TAKES_AN_HOUR(poll(0, 0, HOUR * 1000) == 0);
	TAKES_AN_HOUR(ppoll(&f, 1, &hour, 0) == 0);
	TAKES_AN_HOUR(epoll_wait(ep, &e, 1, HOUR * 1000) == 0);
	FD_ZERO(&s);
	FD_SET(p[0], &s);
	TAKES_AN_HOUR(select(p[0] + 1, &s, 0, 0, &tv) == 0);
	assert(!tv.tv_sec && !tv.tv_usec && !FD_ISSET(p[0], &s));
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	TAKES_AN_HOUR(sigtimedwait(&usr1, 0, &hour) < 0);
	return 0;
}
"""

# The other thread writes before the time is over, or not: both are schedules. What is there already is found at once.
EVENT = """#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int p[2];
static void *writer(void *x) { assert(write(p[1], "x", 1) == 1); return x; }
int main(int argc, char **argv)
{
	pthread_t t;
	int n;
	assert(pipe(p) == 0);
	struct pollfd f = {p[0], POLLIN};
	pthread_create(&t, 0, writer, 0);
	n = poll(&f, 1, atoi(argv[1]));
	pthread_join(t, 0);
	assert(poll(&f, 1, 1000) == 1);
	return n == 1 ? 0 : 3;
}
"""

# As event loops do it: a timer of their own, by the clock and the time-out of epoll_wait; others wait meanwhile.
LOOP = """#include <assert.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <time.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int over;
static long now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000 + t.tv_nsec / 1000000; }
static void *waits(void *x)
{
	pthread_mutex_lock(&lock);
	while (!over)
		pthread_cond_wait(&cond, &lock);
	pthread_mutex_unlock(&lock);
	return x;
}
int main(void)
{
	int ep = epoll_create1(0);
	struct epoll_event e;
	pthread_t t[2];
	long due = now() + 10;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, waits, 0);
	while (now() < due)
		assert(epoll_wait(ep, &e, 1, (int)(due - now())) == 0);
	pthread_mutex_lock(&lock);
	over = 1;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""


def clean(t, r):
    t.equal((r.status, r.stdout), (0, ""), "status and standard output", r)
    t.check("nothing failed; " in r.err and "gatectl:" not in r.err, "the summary alone", r)


def test_hours_pass_at_once(t):
    r = explore(t, "--points", "sync", "--runs", "20", compile_text("hours.c", HOURS))
    clean(t, r)
    t.check(r.spent < 60, "hours that are none take no time")


def test_event_or_time_out(t):
    program = compile_text("event.c", EVENT)
    f = failed(t, explore(t, "--points", "sync", "--runs", "200", program, "100"), "status", "exit status 3")
    for _ in range(3):
        t.equal(t.gate("replay", os.path.join(f["folder"], "schedule")).status, 3, "status of the replay")
    clean(t, explore(t, "--points", "sync", "--runs", "200", program, "100000"))
    clean(t, explore(t, "--points", "sync", "--runs", "200", program, "-1"))


def test_loop_with_timer(t):
    for points in ("sync", "races"):
        clean(t, explore(t, "--points", points, "--runs", "100", compile_text("loop.c", LOOP)))


def test_input(t):
    """A file is read anew in each schedule; a pipe is nobody's, as it could be read only once."""
    program = compile_text("reads.c", "#include <stdio.h>\nint main(void) { char b[9]; return fgets(b, 9, stdin) ? 0 : 3; }\n")
    path = t.file("in.txt", "hello\n")
    r = t.gate("explore", "-o", t.path("found"), "--runs", "5", "-j", "1", program, preexec=lambda: os.dup2(os.open(path, os.O_RDONLY), 0))
    t.equal(r.status, 0, "status", r)
    r = t.gate("explore", "-o", t.path("found"), "--runs", "5", "-j", "1", program, stdin=b"hello\n")
    t.equal(r.status, 116, "status", r)


EARLY = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static volatile int set;
static char *text;
static void *work(void *arg)
{
	set = 1;
	free(text);
	return arg;
}
int main(void)
{
	pthread_t thread;
	text = calloc(1, 10);
	pthread_create(&thread, 0, work, 0);
	printf("set is %d\\n", set);
	fflush(stdout);
	text[3] = 1;
	pthread_join(thread, 0);
	return 0;
}
"""


def test_expected_output(t):
    """A script's expect decides what a failure is: here what the program writes."""
    program = compile_text("early.c", EARLY)
    r = t.gate("explore", "-g", t.file("e.lua", 'expect { stdout = "set is 0" }'), "-o", t.path("found"), "--runs", "100", program)
    t.equal(r.status, 116, "status", r)
    t.check("the first: not as expected" in r.err, "what it says", r)
    r = t.gate("explore", "-g", t.file("e.lua", 'expect { stdout = "set is" }'), "-o", t.path("found"), "--runs", "50", program)
    t.equal(r.status, 0, "status", r)


# The thread's store races, and so it is whatever the order is.
TWICE = """#include <pthread.h>
static int n;
static void *add(void *x)
{
	n++;
	return x;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, add, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""

SANITIZERS = {"address": ("early.c", EARLY, "ERROR: AddressSanitizer", 1), "thread": ("twice.c", TWICE, "WARNING: ThreadSanitizer", 66)}


@params(*SANITIZERS)
def test_sanitizer(t, name):
    """What a sanitizer reports is a failure of its own kind, and comes again; what it does for that is not told."""
    file, text, report, status = SANITIZERS[name]
    program = compile_text(file, text, "-g -O0 -fsanitize=" + name)
    r = t.gate("explore", "-o", t.path("found"), "--runs", "100", program)
    t.equal(r.status, 116, "status", r)
    t.check("the first: a sanitizer's report" in r.err, "what it says", r)
    with open(t.path("found/1/schedule")) as f:
        steps = [line for line in f if re.match(r" *\d+ ", line)]
    others = [line for line in steps if "__sanitizer::" in line or "_interceptor" in line]
    t.check(not others, "places are the program's: %s" % others[:1], r)
    for _ in range(2):
        r = t.gate("replay", t.path("found/1/schedule"))
        t.check(r.status == status and report in r.err, "in a replay it comes again", r)


# The child has no libc of its own file; this one's takes a lock for itself in dl_iterate_phdr, and asks for the processors.
CHILD = r"""
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
static volatile int n;
static int none(struct dl_phdr_info *i, size_t size, void *x) { (void)i, (void)size, (void)x; return 0; }
static void *add(void *x)
{
	cpu_set_t set;
	int old = n;
	dl_iterate_phdr(none, x);
	sched_getaffinity(0, sizeof(set), &set);
	n = old + 1;
	return x;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	pid_t pid;
	int status;
	(void)argc;
	if (posix_spawn(&pid, argv[1], 0, 0, argv + 1, argv + 2) || waitpid(pid, &status, 0) != pid)
		return 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, add, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return n == 2 ? 0 : 3;
}
"""


def test_same_points_again(t):
    """A run has the points that any other one has, whatever children earlier ones had; and so has a replay."""
    program = compile_text("child.c", CHILD)
    child = compile_text("none.c", "int main(void) { return 0; }", "-static")
    f = failed(t, explore(t, "-j", "1", "--runs", "200", program, child), "status", "exit status 3")
    t.equal(t.gate("replay", os.path.join(f["folder"], "schedule")).status, 3, "status of the replay")


# A handler runs in a thread that waits; what it waited for comes afterwards. 3: its wait was interrupted.
SIGNALS = r"""
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem, handled;
static int fds[2], over, interrupted;
static char kind;
static void handler(int s) { (void)s; sem_post(&handled); }
static void *waits(void *x)
{
	struct timespec hour = {3600, 0}, left = {0};
	char byte;
	if (kind == 's')
		interrupted = sem_wait(&sem) < 0;
	else if (kind == 'r')
		interrupted = read(fds[0], &byte, 1) < 0;
	else if (kind == 't')
		interrupted = nanosleep(&hour, &left) < 0 && left.tv_sec >= 3590;
	else if (kind == 'm')
		pthread_mutex_lock(&lock), pthread_mutex_unlock(&lock);
	else {
		pthread_mutex_lock(&lock);
		while (!over)
			pthread_cond_wait(&cond, &lock);
		pthread_mutex_unlock(&lock);
	}
	return x;
}
int main(int argc, char **argv)
{
	struct sigaction act = {.sa_handler = handler, .sa_flags = argc > 2 ? SA_RESTART : 0};
	pthread_t t;
	kind = argv[1][0];
	if (pipe(fds) < 0)
		return 1;
	sem_init(&sem, 0, 0);
	sem_init(&handled, 0, 0);
	sigaction(SIGUSR1, &act, 0);
	if (kind == 'm')
		pthread_mutex_lock(&lock);
	pthread_create(&t, 0, waits, 0);
	pthread_kill(t, SIGUSR1);
	while (sem_wait(&handled))
		;
	if (kind != 'm')
		pthread_mutex_lock(&lock);
	over = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
	sem_post(&sem);
	if (write(fds[1], "x", 1) != 1)
		return 1;
	pthread_join(t, 0);
	return interrupted ? 3 : 0;
}
"""

CANCEL = r"""
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static int fds[2];
static char kind;
static void unlock(void *m) { pthread_mutex_unlock(m); }
static void *waits(void *x)
{
	char byte;
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(unlock, &lock);
	while (kind == 'c')
		pthread_cond_wait(&cond, &lock);
	if (kind == 's')
		sem_wait(&sem);
	else if (kind == 't')
		sleep(3600);
	else if (read(fds[0], &byte, 1) == 1)
		x = &lock;
	pthread_cleanup_pop(1);
	return x;
}
int main(int argc, char **argv)
{
	pthread_t t;
	void *result;
	kind = argv[1][0];
	if (pipe(fds) < 0)
		return 1;
	sem_init(&sem, 0, 0);
	pthread_create(&t, 0, waits, 0);
	pthread_cancel(t);
	pthread_join(t, &result);
	return result == PTHREAD_CANCELED && pthread_mutex_trylock(&lock) == 0 ? 0 : 3;
}
"""

# No call and no PAUSE in the loop; the bug: what the flag says to be there comes after it.
FLAG = """#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static int data;
static void *work(void *x)
{
	if (ORDER)
		data = 1;
	atomic_store_explicit(&flag, 1, memory_order_release);
	data = 1;
	return x;
}
int main(void)
{
	pthread_t t;
	int seen;
	pthread_create(&t, 0, work, 0);
	while (!atomic_load_explicit(&flag, memory_order_acquire))
		;
	seen = data;
	pthread_join(t, 0);
	return !seen;
}
"""


def searched(t, *args, runs="100"):
    """The digest of a search with that many jobs, by what its report says."""
    def digest(jobs):
        path = t.path("search.json")
        r = t.gate("explore", "-o", t.path("found"), "--all", "--runs", runs, "-j", jobs, "--report", path, *args)
        return r, json.load(open(path))["digest"]
    (r, one), (_, two) = digest("1"), digest("2")
    t.equal(one, two, "digest with one job and with two", r)
    return r


def test_signals(t):
    """A signal comes to a thread whose wait is decided by gatectl: its handler runs, and the wait goes on or not as the kernel has it."""
    program = compile_text("signals.c", SIGNALS)
    for kind in ("c", "m"):
        t.equal(searched(t, program, kind).status, 0, f"status of {kind}")
    for kind in ("s", "r"):
        t.equal(searched(t, program, kind, "restart").status, 0, f"status of {kind} with SA_RESTART")
    for kind in ("s", "r", "t"):
        f = failed(t, explore(t, "--runs", "100", program, kind), "status", "exit status 3")
        for _ in range(3):
            t.equal(t.gate("replay", os.path.join(f["folder"], "schedule")).status, 3, f"status of the replay of {kind}")


def test_cancelled_waits(t):
    program = compile_text("cancel.c", CANCEL)
    for kind in ("c", "s", "t", "r"):
        t.equal(searched(t, program, kind).status, 0, f"status of {kind}")


def test_waits_in_a_loop(t):
    """For a flag: the thread that sets it has its turn, and the bug is found."""
    for level in ("-O0", "-O2"):
        broken, mended = (compile_text("flag.c", FLAG, "-g %s -DORDER=%d" % (level, order)) for order in (0, 1))
        failed(t, explore(t, "-j", "1", "--runs", "300", broken), "status", "exit status 1")
        r = explore(t, "-j", "1", "--runs", "300", mended)
        clean(t, r)
        t.check("did not end" not in r.err, "each run ends", r)


PLUGIN = "static int n;\nvoid bump(void)\n{\n\t%s\n}\nint value(void) { return n; }\n"
OPENS = """#include <dlfcn.h>
#include <pthread.h>
static void *lib;
static void open_it(const char *path) { lib = dlopen(path, RTLD_NOW); }
static void *work(void *path)
{
	if (LATE)
		open_it(path);
	((void (*)(void))dlsym(lib, "bump"))();
	return path;
}
int main(int argc, char **argv)
{
	pthread_t t, u;
	(void)argc;
	if (!LATE)
		open_it(argv[1]);
	pthread_create(&t, 0, work, argv[1]);
	pthread_create(&u, 0, work, argv[1]);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return ((int (*)(void))dlsym(lib, "value"))() != 2;
}
"""


@params("0", "1")
def test_plugin(t, late):
    """A library that comes by dlopen has points as those that are there from the beginning."""
    program = compile_text("opens.c", OPENS, "-g -DLATE=" + late)
    broken, mended = (compile_text("plugin.c", PLUGIN % text, "-g -shared -fPIC") for text in ("n++;", "__atomic_add_fetch(&n, 1, 5);"))
    failed(t, explore(t, "-j", "1", "--runs", "300", program, broken), "status", "exit status 1")
    clean(t, explore(t, "-j", "1", "--runs", "300", program, mended))
    one, two = (explore(t, "-j", j, "--runs", "200", program, mended).report["digest"] for j in "12")
    t.equal(one, two, "digest with one worker, and with two")


def test_word_of_the_first_thread(t):
    """The word that the kernel clears when a thread ends has its id in glibc only; in musl it is a lock."""
    program = compile_text("word.c", """#include <sys/syscall.h>
#include <unistd.h>
static int word;
__attribute__((constructor)) static void own(void) { syscall(SYS_set_tid_address, &word); }
int main(void) { return word ? 3 : 0; }
""")
    t.equal(explore(t, "--runs", "5", program).status, 0, "status")


# Everybody waits, but for the timer's signal.
TIMER = """#include <semaphore.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
static sem_t sem;
static void handler(int s) { (void)s; sem_post(&sem); }
int main(int argc, char **argv)
{
	struct itimerval soon = {{0, 0}, {0, 20000}};
	struct itimerspec as_well = {{0, 0}, {0, 20000000}};
	timer_t timer;
	(void)argv;
	signal(SIGALRM, handler);
	sem_init(&sem, 0, 0);
	if (argc > 1)
		return timer_create(CLOCK_MONOTONIC, 0, &timer) || timer_settime(timer, 0, &as_well, 0) || (sem_wait(&sem) && sem_wait(&sem));
	setitimer(ITIMER_REAL, &soon, 0);
	return sem_wait(&sem) && sem_wait(&sem);
}
"""


def test_timers(t):
    """Their signals come in real time: who waits for one is not in a deadlock."""
    program = compile_text("timer.c", TIMER)
    for args in ((), ("posix",)):
        clean(t, explore(t, "--runs", "5", program, *args))


def test_priority_inheritance(t):
    """The kernel has a part in each of these locks: counted, tried, timed, left by its owner's death, with conditions, in a handler, between processes."""
    for build in ("gcc-O0", "gcc-O2", "clang-O2") if t.full else ("gcc-O2",):
        program = Target("pi_locks", build).build().path
        for how in ("c", "r", "e", "t", "w", "d", "s", "s timed", "q", "p") if t.full else ("e", "t", "d", "s timed", "q", "p"):
            r = searched(t, program, *how.split(), runs="100" if t.full else "30")
            clean(t, r)
            t.check("did not end" not in r.err, f"each run of {how} ends", r)
        f = failed(t, explore(t, "--runs", "300", program, "a"), "deadlock", "a deadlock")
        for _ in range(3):
            t.equal(t.gate("replay", os.path.join(f["folder"], "schedule")).status, 123, "status of the replay")


# A wait for two words at once says which one woke it. late: a time-out ends it; lost: nobody wakes.
SEVERAL = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static uint32_t words[2];
static int failed;
static const char *how;
static void *waits(void *x)
{
	struct futex_waitv both[2] = {{.uaddr = (uintptr_t)&words[0], .flags = FUTEX_32 | FUTEX_PRIVATE_FLAG},
				      {.uaddr = (uintptr_t)&words[1], .flags = FUTEX_32 | FUTEX_PRIVATE_FLAG}};
	struct timespec soon;
	long woken;
	clock_gettime(CLOCK_MONOTONIC, &soon);
	soon.tv_sec += 100;
	do
		woken = syscall(SYS_futex_waitv, both, 2, 0, how ? NULL : &soon, CLOCK_MONOTONIC);
	while (woken == 0);
	failed = woken != 1 && errno != EAGAIN && (how || errno != ETIMEDOUT);
	return x;
}
int main(int argc, char **argv)
{
	pthread_t t;
	how = argc > 1 ? argv[1] : "";
	if (strcmp(how, "late") == 0)
		how = NULL;
	pthread_create(&t, 0, waits, 0);
	syscall(SYS_futex, &words[0], FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
	__atomic_store_n(&words[1], 1, __ATOMIC_SEQ_CST);
	if (!how || strcmp(how, "lost"))
		syscall(SYS_futex, &words[1], FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
	pthread_join(t, 0);
	return failed;
}
"""


def test_wait_for_several(t):
    program = compile_text("several.c", SEVERAL)
    for how in (), ("late",):
        r = searched(t, program, *how, runs="50")
        clean(t, r)
        t.check("did not end" not in r.err, "each run ends", r)
    f = failed(t, explore(t, "--runs", "300", program, "lost"), "deadlock", "a deadlock")
    t.equal(t.gate("replay", os.path.join(f["folder"], "schedule")).status, 123, "status of the replay")


# Others go on while a thread is in vfork, and the commands take turns, too. fail: there is no such command.
COMMANDS = r"""
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n, failed;
static char kind;
static void count(void)
{
	pthread_mutex_lock(&lock);
	n++;
	pthread_mutex_unlock(&lock);
}
static void *counts(void *x)
{
	count();
	count();
	return x;
}
static int status_of(pid_t pid)
{
	int status;
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
static void *commands(void *x)
{
	char *args[] = {"true", 0};
	pid_t pid;
	count();
	if (kind == 's')
		failed |= system("exit 3") != 3 << 8;
	else if (kind == 'p')
		failed |= posix_spawnp(&pid, "true", 0, 0, args, environ) || status_of(pid);
	else if (kind == 'f')
		failed |= !posix_spawnp(&pid, "/no/such/command", 0, 0, args, environ);
	else if ((pid = vfork()) == 0)
		kind == 'x' ? _exit(7) : execvp("true", args);
	else
		failed |= status_of(pid) != (kind == 'x' ? 7 : 0);
	return x;
}
int main(int argc, char **argv)
{
	pthread_t t[3];
	(void)argc;
	kind = argv[1][0];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, i ? commands : counts, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return n != 4 || failed;
}
"""


def test_commands(t):
    """system(3), posix_spawn and vfork in threads: the caller waits for its child's exec, and the others go on."""
    for compiler, level in (("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O2")) if t.full else (("gcc", "-O2"),):
        program = compile_text("commands.c", COMMANDS, "-g " + level, compiler=compiler)
        for kind in "spfvx" if t.full else "spx":
            r = searched(t, program, kind, runs="100" if t.full else "20")
            clean(t, r)
            t.check("did not end" not in r.err, f"each run of {kind} ends", r)


# A thread that a constructor has made: it lives on, or may be over before main; `broken`: it takes two locks in another order.
BEFORE_MAIN = r"""
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int n, over;
static pthread_t t;
static void *waits(void *x)
{
	pthread_mutex_lock(&a);
	while (!over)
		pthread_cond_wait(&cond, &a);
	n++;
	pthread_mutex_unlock(&a);
	return x;
}
static void *counts(void *x)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	n++;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return x;
}
__attribute__((constructor)) static void begin(void) { pthread_create(&t, 0, WORK, 0); }
int main(void)
{
	pthread_mutex_lock(&SECOND);
	pthread_mutex_lock(&FIRST);
	over = 1;
	n++;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&FIRST);
	pthread_mutex_unlock(&SECOND);
	pthread_join(t, 0);
	return n != 2;
}
"""


def test_threads_before_main(t):
    """They take turns from the first of them on; that there is no fork server then is said once."""
    for work in ("waits", "counts"):
        program = compile_text("before.c", BEFORE_MAIN, f"-g -O0 -DWORK={work} -DFIRST=b -DSECOND=a")
        r = searched(t, program)
        clean(t, r)
        t.equal(r.err.count("started the program again: it has threads before main\n"), 1, "what is said of it", r)
        t.check("did not end" not in r.err, "each run ends", r)
    program = compile_text("before.c", BEFORE_MAIN, "-g -O0 -DWORK=counts -DFIRST=a -DSECOND=b")
    f = failed(t, explore(t, "--runs", "100", program), "deadlock", "a deadlock")
    for _ in range(3):
        t.equal(t.gate("replay", os.path.join(f["folder"], "schedule")).status, 123, "status of the replay")


# Objects of pthread, of each kind one; two threads and main.
OBJECTS = r"""
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER, empty = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t bar;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t sem;
static int queue, got, inits;
static void init(void) { inits++; }
static void *produce(void *x)
{
	pthread_once(&once, init);
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&m);
		while (queue == 1)
			pthread_cond_wait(&empty, &m);
		queue++;
		pthread_cond_signal(&full);
		pthread_mutex_unlock(&m);
	}
	free(malloc(100));
	pthread_barrier_wait(&bar);
	sem_post(&sem);
	return x;
}
static void *consume(void *x)
{
	pthread_once(&once, init);
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&m);
		while (queue == 0)
			pthread_cond_wait(&full, &m);
		queue--;
		pthread_cond_signal(&empty);
		pthread_mutex_unlock(&m);
		pthread_rwlock_wrlock(&rw);
		got++;
		pthread_rwlock_unlock(&rw);
	}
	pthread_barrier_wait(&bar);
	sem_post(&sem);
	pthread_rwlock_rdlock(&rw);
	x = got == 2 ? 0 : &rw;
	pthread_rwlock_unlock(&rw);
	printf("%d\n", got);
	return x;
}
int main(void)
{
	pthread_t t[2];
	void *r;
	pthread_barrier_init(&bar, 0, 2);
	sem_init(&sem, 0, 0);
	pthread_create(&t[0], 0, produce, 0);
	pthread_create(&t[1], 0, consume, 0);
	sem_wait(&sem);
	sem_wait(&sem);
	pthread_join(t[0], 0);
	pthread_join(t[1], &r);
	return r || inits != 1;
}
"""


def test_musl(t):
    """Its loader's list is found, and so its pthread functions are points; a fork of the first thread knows its own id."""
    if not shutil.which("musl-gcc"):
        raise Skip("no musl-gcc")
    for flags in ("-g -O0", "-g -O2", "-g -O2 -static"):
        program = compile_text("objects.c", OBJECTS, flags, compiler="musl-gcc")
        r = t.gate("run", "-g", t.file("g.lua", 'at "produce":run(function() end)'), program)
        t.equal(r.status, 0, "status under a gate", r)
        r = searched(t, program)
        clean(t, r)
        t.check("program again" not in r.err, "each schedule is a fork", r)
        broken = compile_text("abba.c", ABBA.replace("@", "&b, &a"), flags, compiler="musl-gcc")
        f = failed(t, explore(t, "--runs", "100", broken), "deadlock", "a deadlock")
        t.equal(t.gate("replay", os.path.join(f["folder"], "schedule")).status, 123, "status of the replay")
        aborts = compile_text("aborts.c", "#include <stdlib.h>\nint main(void) { abort(); }\n", flags, compiler="musl-gcc")
        r = explore(t, "--all", "--runs", "5", aborts)
        t.check("found: 1 failure in 5 schedules; the first: SIGABRT" in r.err, "each run aborts", r)


# How often each thread locks is drawn.
DRAWS = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static unsigned draw(const char *from)
{
	unsigned x = 0;
	int fd = open(from, O_RDONLY);
	if (read(fd, &x, sizeof(x)) != sizeof(x))
		return 0;
	close(fd);
	return x;
}
static void *work(void *x)
{
	unsigned k = draw("/dev/urandom") % 7 + draw("/dev/random") % 5;
	FILE *f = fopen("/dev/urandom", "r");
	for (k += fgetc(f) % 3; k; k--) {
		pthread_mutex_lock(&m);
		n++;
		pthread_mutex_unlock(&m);
	}
	fclose(f);
	return x;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""


def test_random_files(t):
    """What is read from /dev/random and /dev/urandom is the same in each run."""
    program = compile_text("draws.c", DRAWS)
    for _ in range(10 if t.full else 2):
        r = searched(t, program)
        clean(t, r)
        t.check("run twice differed" not in r.err, "equal runs", r)


def test_ids(t):
    """Those of threads and processes are others in each run: that is said of a program that asks, and of no other one."""
    text = """#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static void *work(void *x) { return ASKS ? (void *)(long)gettid() : x; }
static void handler(int s) { (void)s; }
int main(void)
{
	pthread_t t;
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	pthread_create(&t, 0, work, 0);
	pthread_kill(t, SIGUSR1);
	return pthread_join(t, 0);
}
"""
    for jobs in ("1", "2"):
        for asks, flags in ((0, ""), (1, ""), (1, " -static")):
            r = explore(t, "--runs", "50", "-j", jobs, compile_text("ids.c", text, f"-g -O0 -DASKS={asks}{flags}"))
            clean(t, r)
            t.equal(r.err.count("asks for ids"), asks, "what is said of it", r)


# To open it waits for the other end: a call that explore is not told of.
FIFO = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
static void *writes(void *x)
{
	int fd = open("fifo", O_WRONLY);
	if (write(fd, "x", 1) != 1)
		abort();
	close(fd);
	return x;
}
int main(void)
{
	pthread_t t;
	char byte, dir[] = "/tmp/gatectl-fifo-XXXXXX";
	int fd;
	if (!mkdtemp(dir) || chdir(dir) || mkfifo("fifo", 0600))
		return 4;
	pthread_create(&t, 0, writes, 0);
	fd = open("fifo", O_RDONLY);
	if (read(fd, &byte, 1) != 1)
		return 3;
	pthread_join(t, 0);
	return unlink("fifo") || rmdir(dir);
}
"""


def test_waits_untold(t):
    r = searched(t, "--points", "sync", compile_text("fifo.c", FIFO), runs="20")
    clean(t, r)
    t.check("did not end" not in r.err, "each run ends", r)


# Two poll under a lock until main, which can go on all the time, has set x: it ends under every schedule that is fair.
POLL = """#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x = -1;
static int add(void)
{
	pthread_mutex_lock(&m);
	int more = x != 1;
	if (more && x != -1)
		x++;
	pthread_mutex_unlock(&m);
	return more;
}
static void *worker(void *p) { while (add()) ; return p; }
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, worker, 0);
	__atomic_store_n(&x, 0, __ATOMIC_SEQ_CST);
	while (add())
		;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""


@params("rff", "auto", "pos", "random")
def test_no_thread_starves(t, strategy):
    """What a strategy wants first is no reason to hold one thread back for ever while others wait for it in a loop."""
    r = explore(t, "--strategy", strategy, "-n", "60", "--steps", "20000", "-j", "1", compile_text("poll.c", POLL, flags="-g -O1"))
    t.equal((r.status, r.report["cut"]), (0, 0), "each run ends", r)


# Who takes waits until what is in has been linked (liburcu's wfcqueue). Two that take at a time may both see the only
# one: then one of them waits for ever. That is a livelock; that one waits for who is about to link is none.
HALF_IN = """#include <poll.h>
#include <pthread.h>
static int tail, next;
static void *take(void *p)
{
	if (__atomic_fetch_add(&tail, 0, __ATOMIC_SEQ_CST))
		for (int looks = 1; !__atomic_exchange_n(&next, 0, __ATOMIC_SEQ_CST); looks++)
			if (looks < 10)
				__builtin_ia32_pause();
			else
				looks = poll(0, 0, 10);
	__atomic_exchange_n(&tail, 0, __ATOMIC_SEQ_CST);
	return p;
}
static void *put(void *p)
{
	__atomic_exchange_n(&tail, 1, __ATOMIC_SEQ_CST);
	__atomic_exchange_n(&next, 1, __ATOMIC_SEQ_CST);
	return take(p);
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, put, 0);
	pthread_create(&t[1], 0, take, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""


def test_starved_is_no_livelock(t):
    """What is found, and made small, is that somebody waits for ever, not that somebody is never let who could end it."""
    r = explore(t, "-n", "300", "--steps", "4000", "-j", "1",
                compile_text("half_in.c", HALF_IN, flags="-g -O2 -pthread"))
    f = failed(t, r, "livelock", "a livelock")
    ends = re.findall(r"^ *[0-9]+  (put|take)#1 +end ", read(f["folder"] + "/schedule"), re.M)
    t.equal(len(ends), 1, "the other one has ended", r)
