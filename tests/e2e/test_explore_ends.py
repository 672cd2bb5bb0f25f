"""gatectl explore where the kernel has a part in who goes on: threads that end with a lock, that exec, that are stopped."""

import os

from harness import compile_text, params
from test_explore import explore, failed

# Three want the lock, and some end with it. args: of processes, not threads; pi: with priority inheritance; killed: by a signal.
ROBUST = """#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
enum { THREADS = 3, ROUNDS = 2 };
static struct shared { pthread_mutex_t m; int x; } *s;
static int processes, killed;
static int locked(void)
{
	int e = pthread_mutex_lock(&s->m);
	if (e == EOWNERDEAD)
		return pthread_mutex_consistent(&s->m);
	return e;
}
static void *work(void *number)
{
	for (long i = 0; i < ROUNDS; i++) {
		if (locked())
			return number;
		s->x++;
		if ((long)number % ROUNDS == i)
			return 0;
		pthread_mutex_unlock(&s->m);
	}
	return 0;
}
static int ends_well(int i, pthread_t t, pid_t p)
{
	void *result;
	int status;
	if (!processes)
		return pthread_join(t, &result) == 0 && !result;
	return waitpid(p, &status, 0) == p && (killed && !i ? WIFSIGNALED(status) : status == 0);
}
int main(int argc, char **argv)
{
	pthread_mutexattr_t a;
	pthread_t t[THREADS];
	pid_t p[THREADS];
	killed = argc > 1 && !strcmp(argv[1], "killed");
	processes = killed || (argc > 1 && !strcmp(argv[1], "processes"));
	s = mmap(0, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutexattr_setpshared(&a, processes);
	pthread_mutexattr_setprotocol(&a, strcmp(argv[argc - 1], "pi") ? PTHREAD_PRIO_NONE : PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&s->m, &a);
	for (long i = 0; i < THREADS; i++) {
		if (!processes)
			pthread_create(&t[i], 0, work, (void *)i);
		else if (!(p[i] = fork())) {
			if (killed && !i && !locked())
				raise(SIGKILL);
			_exit(work((void *)i) != 0);
		}
	}
	for (int i = 0; i < THREADS; i++)
		if (!ends_well(i, t[i], p[i]))
			return 3;
	return 0;
}
"""


def clean(t, r):
    t.equal(r.status, 0, "status", r)
    t.check("did not end" not in r.err, "each run ends", r)


def searched(t, program, *args, runs):
    """The same schedules by one worker, and by two."""
    one, two = (explore(t, "-j", j, "--runs", runs, program, *args) for j in "12")
    clean(t, one)
    clean(t, two)
    t.equal(one.report["digest"], two.report["digest"], "digest with one worker, and with two")
    return one


@params((), ("pi",), ("processes",), ("processes", "pi"), ("killed",), ("killed", "pi"))
def test_robust_lock(t, args):
    """Whoever waits for a lock is woken when its owner ends, whoever that was when it began to wait."""
    searched(t, compile_text("robust.c", ROBUST, "-g -O1"), *args, runs="100")


def test_no_race_behind_an_owners_end(t):
    """What it did with the lock happens before what the next owner does."""
    r = t.gate("races", "-n", "60", compile_text("robust.c", ROBUST, "-g -O1"))
    t.equal(r.status, 0, "status", r)


# The kernel wakes one, and only of those who wait as if other processes could, too.
CLEARED = """#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile int word = 1;
static int op = FUTEX_WAIT;
static char stack[65536];
static int ends(void *x) { (void)x; return 0; }
static void *waits(void *x)
{
	while (word)
		syscall(SYS_futex, &word, op, 1, 0, 0, 0);
	return x;
}
int main(int argc, char **argv)
{
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
	pthread_t t;
	if (strcmp(argv[1], "private") == 0)
		op = FUTEX_WAIT_PRIVATE;
	if (strcmp(argv[1], "two") == 0)
		pthread_create(&t, 0, waits, 0);
	if (clone(ends, stack + sizeof(stack), flags, 0, 0, 0, &word) < 0)
		return 3;
	waits(0);
	return argc > 2 && pthread_join(t, 0);
}
"""


def test_word_that_an_end_clears(t):
    program = compile_text("cleared.c", CLEARED)
    searched(t, program, "one", runs="50")
    for args in ("private",), ("two", "joins"):
        f = failed(t, explore(t, "--runs", "300", program, *args), "deadlock", "a deadlock")
        t.equal(t.gate("replay", os.path.join(f["folder"], "schedule")).status, 123, "status of the replay")


# Another program takes the place of this one while a thread waits for something, or runs. main: main ends before; fork: in a child.
EXECS = """#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static sem_t sem;
static char *self;
static void go(void) { execl(self, self, (char *)0); _exit(4); }
static void *ends(void *x) { return x; }
static void *waits(void *x) { sem_wait(&sem); return x; }
static void *pauses(void *x) { pause(); return x; }
static void *sleeps(void *x) { nanosleep(&(struct timespec){100, 0}, 0); return x; }
static void *yields(void *x) { for (;;) sched_yield(); return x; }
static void *execs(void *x) { go(); return x; }
static void *forks(void *x)
{
	int status;
	pid_t p = vfork();
	if (!p)
		_exit(0);
	waitpid(p, &status, 0);
	return x;
}
static void *(*const others[])(void *) = {ends, waits, pauses, sleeps, yields, execs, forks};
enum { OTHERS = sizeof(others) / sizeof(*others) };
int main(int argc, char **argv)
{
	pthread_t t;
	int status;
	pid_t p;
	self = argv[0];
	sem_init(&sem, 0, 0);
	if (argc == 1) {
		pthread_create(&t, 0, ends, 0);
		return pthread_join(t, 0);
	}
	if (strcmp(argv[2], "fork") == 0 && (p = fork()))
		return waitpid(p, &status, 0) != p || status;
	pthread_create(&t, 0, others[*argv[1] - '0'], 0);
	if (strcmp(argv[2], "self") == 0)
		go();
	pthread_create(&t, 0, execs, 0);
	if (strcmp(argv[2], "main") == 0)
		pthread_exit(0);
	pthread_join(t, 0);
	return 4;
}
"""


@params("self", "thread", "fork", "main")
def test_exec_with_other_threads(t, who):
    program = compile_text("execs.c", EXECS)
    for other in "0123456" if t.full else "0136":
        searched(t, program, other, who, runs="10")
    t.equal(t.gate("races", "-n", "5", program, "0", who).status, 0, "status of races")


# A process stops and goes on while its threads wait in all kinds of ways; its parent sees it.
STOPS = """#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static sem_t *sem;
static const char *how;
static int is(const char *word) { return strcmp(how, word) == 0; }
static void *waits(void *x) { while (sem_wait(sem)) ; return x; }
static void *stops(void *x) { kill(getpid(), SIGSTOP); return x; }
static void child(void)
{
	struct timespec t = {100, 0};
	pthread_t a, b;
	if (is("raise") || is("killed"))
		raise(SIGSTOP);
	else if (is("sleep"))
		_exit(nanosleep(&t, 0));
	else if (is("pause"))
		pause();
	else if (is("timed")) {
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_sec += 100;
		_exit(sem_timedwait(sem, &t) && sem_wait(sem));
	} else if (is("threads")) {
		pthread_create(&a, 0, waits, 0);
		pthread_create(&b, 0, stops, 0);
		pthread_join(b, 0);
		pthread_join(a, 0);
		_exit(0);
	}
	waits(0);
	_exit(0);
}
int main(int argc, char **argv)
{
	int status;
	pid_t p;
	how = argv[argc - 1];
	sem = mmap(0, sizeof(*sem), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sem_init(sem, 1, 0);
	p = fork();
	if (!p)
		child();
	if (!is("raise") && !is("killed") && !is("threads"))
		kill(p, SIGSTOP);
	if (waitpid(p, &status, WUNTRACED) != p || !WIFSTOPPED(status))
		return 3;
	kill(p, is("killed") ? SIGKILL : SIGCONT);
	if (!is("killed") && (waitpid(p, &status, WCONTINUED) != p || !WIFCONTINUED(status)))
		return is("sleep") ? 0 : 4;
	sem_post(sem);
	if (is("pause"))
		kill(p, SIGTERM);
	if (waitpid(p, &status, 0) != p)
		return 5;
	return is("killed") || is("pause") ? !WIFSIGNALED(status) : status != 0;
}
"""


@params("raise", "killed", "sleep", "pause", "wait", "timed", "threads")
def test_stopped_child(t, how):
    searched(t, compile_text("stops.c", STOPS), how, runs="30")


# The parent is stopped by its child, which goes on, and lets the parent go on; args: it does not.
STOPPED = """#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static void *waits(void *p) { return waitpid(*(pid_t *)p, 0, 0) == *(pid_t *)p ? 0 : p; }
int main(int argc, char **argv)
{
	pthread_t t;
	void *failed;
	pid_t p = fork();
	(void)argv;
	if (!p) {
		kill(getppid(), SIGSTOP);
		if (argc == 1)
			kill(getppid(), SIGCONT);
		_exit(0);
	}
	pthread_create(&t, 0, waits, &p);
	pthread_join(t, &failed);
	return failed != 0;
}
"""


def test_stopped_parent(t):
    program = compile_text("stopped.c", STOPPED)
    searched(t, program, runs="30")
    r = explore(t, "-j", "1", "--hang", "0.5", program, "for ever")
    t.equal(r.status, 116, "status", r)
    t.check("the first: a hang; " in r.first, "nobody lets it go on", r)


# The signal ends a process whose threads stand at their points, and go on for ever otherwise.
KILLED = """#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static void *yields(void *x) { for (;;) sched_yield(); return x; }
int main(void)
{
	int status;
	pthread_t t;
	pid_t p = fork();
	if (!p) {
		pthread_create(&t, 0, yields, 0);
		yields(0);
	}
	for (int i = 0; i < 3; i++)
		sched_yield();
	kill(p, SIGKILL);
	for (int i = 0; i < 3; i++)
		sched_yield();
	return waitpid(p, &status, 0) != p || !WIFSIGNALED(status);
}
"""


def test_killed_child(t):
    """Nobody is chosen who is dead already, whenever the kernel tells of it."""
    searched(t, compile_text("killed.c", KILLED), runs="100")


MAIN_ENDS = """#include <pthread.h>
static pthread_t first;
static void *joins(void *x) { pthread_join(first, 0); return x; }
int main(void)
{
	pthread_t t;
	first = pthread_self();
	pthread_create(&t, 0, joins, 0);
	pthread_exit(0);
}
"""


def test_end_of_main_is_an_event(t):
    """A thread that is about to end is stopped there, if the script says so."""
    script = t.file("ends.lua", 'on("thread-exit", { thread = "main" }) :open(SimpleGate "over")\n')
    clean(t, explore(t, "--runs", "10", "-g", script, compile_text("main_ends.c", MAIN_ENDS)))


# The child has the lock as it was when it was made, and not the thread that would unlock it.
INHERITED = """#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *locks(void *x) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return x; }
int main(void)
{
	pthread_t t;
	pid_t p;
	pthread_create(&t, 0, locks, 0);
	p = FORK();
	if (!p) {
		pthread_mutex_lock(&m);
		_exit(0);
	}
	waitpid(p, 0, 0);
	pthread_join(t, 0);
	return 0;
}
"""


@params("fork", "_Fork")
def test_inherited_lock(t, how):
    """What a child finds depends on when it is made."""
    program = compile_text("inherited.c", INHERITED, "-g -O0 -DFORK=" + how)
    r = explore(t, "--strategy", "dfs", "--bound", "2", "--points", "sync", program)
    t.equal(r.status, 116, "status", r)
    t.check("a deadlock at inherited.c" in r.err, "what it says", r)
    schedule = open(os.path.join(r.found, "1/schedule")).read()
    t.check(f"(main, {how})" in schedule, "the point has a name", schedule)


MAKES = """#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int x;
static void *writes(void *arg) { x = 1; return arg; }
static int status_of(pid_t p)
{
	int status;
	if (!p)
		_exit(0);
	return waitpid(p, &status, 0) == p ? status : 1;
}
static pid_t spawned(void)
{
	char *args[] = {"true", 0};
	pid_t p;
	return posix_spawn(&p, "/bin/true", 0, 0, args, environ) ? -1 : p;
}
int main(void)
{
	int status;
	pthread_t t;
	pthread_create(&t, 0, writes, 0);
	status = HOW;
	pthread_join(t, 0);
	return status != 0;
}
"""


WAYS = {
    "vfork": "status_of(vfork())",
    "spawn": "status_of(spawned())",
    "system": 'system("true")',
    "popen": 'pclose(popen("true", "r"))',
}


@params(*WAYS)
def test_makes_process(t, way):
    """Each way to make a process is a point, and goes on behind it."""
    for flags in "-g -O0", "-g -O2 -static":
        program = compile_text("makes.c", MAKES.replace("HOW", WAYS[way]), flags)
        clean(t, explore(t, "--runs", "20", "--strategy", "random", program))
