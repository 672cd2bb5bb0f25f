"""When no thread can move there is a verdict at once; while one can, there is none."""

import os
import socket
import subprocess
import threading
import time

from harness import compile_text, params

AT_ONCE = 2.0  # seconds; the gate limit is 10

HEAD = r"""
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
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
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER, lock_b = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t never = PTHREAD_COND_INITIALIZER;
pthread_barrier_t both;
sem_t sem;
uint32_t word = 1;
volatile int n;
static void *first(void *arg);
static void *second(void *arg);
static void start_both(void)
{
	pthread_t a, b;
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}
"""
NOBODY = "static void *first(void *arg) { return arg; }\nstatic void *second(void *arg) { return arg; }\n"

OWN = {
    "lock_twice": NOBODY + "int main(void) { pthread_mutex_lock(&lock_a); pthread_mutex_lock(&lock_a); }",
    "ab_ba": r"""
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
int main(void) { start_both(); }
""",
    "join_each_other": r"""
static pthread_t threads[2];
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
""",
    "condvar": NOBODY + r"""
int main(void)
{
	pthread_mutex_lock(&lock_a);
	pthread_cond_wait(&never, &lock_a);
}
""",
    "semaphore": NOBODY + "int main(void) { sem_init(&sem, 0, 0); sem_wait(&sem); }",
    "raw_futex": NOBODY + "int main(void) { syscall(SYS_futex, &word, FUTEX_WAIT, 1, NULL, NULL, 0); }",
    "barrier_alone": NOBODY + "int main(void) { pthread_barrier_init(&both, NULL, 2); pthread_barrier_wait(&both); }",
    "owner_ended": r"""
static void *first(void *arg) { pthread_mutex_lock(&lock_a); return arg; }
static void *second(void *arg) { pthread_barrier_wait(&both); return arg; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, first, NULL);
	pthread_join(t, NULL);
	pthread_mutex_lock(&lock_a);
}
""",
    "stuck_child": NOBODY + r"""
int main(void)
{
	if (fork() == 0) {
		pthread_mutex_lock(&lock_a);
		pthread_mutex_lock(&lock_a);
	}
	wait(NULL);
}
""",
}


@params(*OWN)
def test_own_deadlock(t, name):
    r = t.run_gated(compile_text(name + ".c", HEAD + OWN[name]), options=["--time-limit", "15"])
    t.verdict(r, 123)
    t.check(r.seconds < AT_ONCE, "at once", r)


def test_who_waits_for_what(t):
    """The verdict names the threads, the mutexes and where they stand."""
    r = t.run_gated(compile_text("ab_ba.c", HEAD + OWN["ab_ba"]))
    t.verdict(r, 123)
    for word in ("first#1", "second#1", "lock_a", "lock_b", "ab_ba.c:", "main"):
        t.check(word in r.err, word + " is not named", r)


def test_own_deadlock_beside_a_held_thread(t):
    """A cycle without a gate in it is the program's own, although another thread is held."""
    program = compile_text("beside.c", HEAD + OWN["ab_ba"].replace(
        "int main(void) { start_both(); }", r"""
static void *third(void *arg)
{
	n++; /* gate: hold */
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, third, NULL);
	start_both();
}
"""))
    r = t.run_gated(program, script='local g = SimpleGate "g"\nat "//hold":wait(g)\n')
    t.verdict(r, 123)
    t.check(r.seconds < AT_ONCE, "at once", r)


GATED = {
    # a thread is held inside a critical section that the opener needs
    "in_critical_section": (r"""
static void *first(void *arg)
{
	pthread_mutex_lock(&lock_a);
	n++; /* gate: inside */
	pthread_mutex_unlock(&lock_a);
	return arg;
}
static void *second(void *arg)
{
	pthread_mutex_lock(&lock_a); /* gate: locks */
	n++; /* gate: opens */
	pthread_mutex_unlock(&lock_a);
	return arg;
}
int main(void) { start_both(); }
""", 'local g = SimpleGate "g"\nat "//inside":wait(g)\nat "//opens":open(g)\n'
     'local h = SimpleGate "h"\nat "//locks":wait(h)\nat("//inside"):open(h)\n'
     .replace('at "//inside":wait(g)\n', '').replace(
         'at("//inside"):open(h)', 'at("//inside"):open(h):wait(g)')),
    "two_gates": (r"""
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
""", 'order "//f2 -> //s1, //s2 -> //f1"\n'),
    "main_joins_held": (r"""
static void *first(void *arg) { n++; /* gate: f1 */ return arg; }
static void *second(void *arg) { return arg; }
int main(void) { start_both(); }
""", 'local g = SimpleGate "g"\nat "//f1":wait(g)\n'),
    "held_in_child": (NOBODY + r"""
int main(void)
{
	if (fork() == 0) {
		n++; /* gate: f1 */
		_exit(0);
	}
	wait(NULL);
	n++; /* gate: after */
}
""", 'local g = SimpleGate "g"\nat "//f1":wait(g)\nat "//after":open(g)\n'),
    "alone": (NOBODY + "int main(void)\n{\n\tn++; /* gate: f1 */\n\treturn 0;\n}\n",
              'local g = SimpleGate "g"\nat "//f1":wait(g)\n'),
    "when_never": (NOBODY + "int main(void)\n{\n\tn++; /* gate: f1 */\n\treturn 0;\n}\n",
                   'at "//f1":when(function() return false end)\n'),
    "wait_until_never": (NOBODY + "int main(void)\n{\n\tn++; /* gate: f1 */\n\treturn 0;\n}\n",
                         'at "//f1":run(function() wait_until(function() return false end) end)\n'),
    "exit_held": (NOBODY + "int main(void)\n{\n\treturn 0;\n}\n",
                  'local g = SimpleGate "g"\non("exit"):wait(g)\n'),
}


@params(*GATED)
def test_gate_deadlock(t, name):
    text, script = GATED[name]
    r = t.run_gated(compile_text(name + ".c", HEAD + text), script=script)
    t.verdict(r, 122)
    t.check(r.seconds < AT_ONCE, "at once although the gate limit is 10", r)


def test_gate_deadlock_names_the_owner(t):
    """A gate inside a critical section: the verdict says that the held thread owns the mutex."""
    text, script = GATED["in_critical_section"]
    r = t.verdict(t.run_gated(compile_text("in_critical_section.c", HEAD + text), script=script), 122)
    for word in ("lock_a", "first#1", "second#1"):
        t.check(word in r.err, word + " is not named", r)


# ---- looks stuck, is not -------------------------------------------------------------------------

ALIVE = {
    "sleep": "sleep(2);",
    "nanosleep": "struct timespec ts = {1, 500000000}; nanosleep(&ts, NULL);",
    "poll_timeout": "poll(NULL, 0, 1500);",
    "epoll_timeout": "struct epoll_event ev; epoll_wait(epoll_create1(0), &ev, 1, 1500);",
    "futex_timeout": "struct timespec ts = {1, 500000000}; syscall(SYS_futex, &word, FUTEX_WAIT, 1, &ts, NULL, 0);",
    "cond_timedwait": r"""
	struct timespec ts;
	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_sec += 2;
	pthread_mutex_lock(&lock_a);
	pthread_cond_timedwait(&never, &lock_a, &ts);""",
    "mutex_timedlock": r"""
	struct timespec ts;
	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_sec += 2;
	pthread_mutex_lock(&lock_a);
	pthread_mutex_timedlock(&lock_a, &ts);""",
    "sem_timedwait": r"""
	struct timespec ts;
	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_sec += 2;
	sem_init(&sem, 0, 0);
	sem_timedwait(&sem, &ts);""",
    "sigtimedwait": "sigset_t s; sigemptyset(&s); struct timespec ts = {1, 500000000}; sigtimedwait(&s, NULL, &ts);",
    "pause_alarm": "signal(SIGALRM, on_alarm); alarm(2); pause();",
    "pause_timer": r"""
	timer_t tm;
	struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	struct itimerspec its = {{0, 0}, {1, 500000000}};
	signal(SIGALRM, on_alarm);
	timer_create(CLOCK_MONOTONIC, &ev, &tm);
	timer_settime(tm, 0, &its, NULL);
	pause();""",
    "lock_until_alarm": r"""
	signal(SIGALRM, on_alarm_exit);
	alarm(2);
	pthread_mutex_lock(&lock_a);
	pthread_mutex_lock(&lock_a);""",
    "timer_thread": r"""
	timer_t tm;
	struct sigevent ev = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_expiry};
	struct itimerspec its = {{0, 0}, {1, 500000000}};
	sem_init(&sem, 0, 0);
	timer_create(CLOCK_MONOTONIC, &ev, &tm);
	timer_settime(tm, 0, &its, NULL);
	while (sem_wait(&sem))
		;""",
    "timerfd": r"""
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	struct itimerspec its = {{0, 0}, {1, 500000000}};
	uint64_t k;
	timerfd_settime(fd, 0, &its, NULL);
	if (read(fd, &k, 8) != 8)
		return 1;""",
    "timerfd_in_poll": r"""
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	struct itimerspec its = {{0, 0}, {1, 500000000}};
	struct pollfd p = {.fd = fd, .events = POLLIN};
	timerfd_settime(fd, 0, &its, NULL);
	if (poll(&p, 1, -1) != 1)
		return 1;""",
    "compute": "time_t end = time(NULL) + 2; while (time(NULL) < end) for (volatile int i = 0; i < 1000000; i++) ;",
    "spin_yield": "time_t end = time(NULL) + 2; while (time(NULL) < end) sched_yield();",
    "child_sleeps": "if (fork() == 0) { sleep(2); _exit(0); } wait(NULL);",
    "vfork_child_sleeps": "if (vfork() == 0) { execlp(\"sleep\", \"sleep\", \"2\", (char *)NULL); _exit(1); } wait(NULL);",
    "grandchild_holds_pipe": r"""
	int fd[2];
	char c;
	if (pipe(fd))
		return 1;
	if (fork() == 0) {
		if (fork() == 0) {
			sleep(2);
			_exit(write(fd[1], "x", 1) != 1);
		}
		_exit(0);
	}
	wait(NULL);
	if (read(fd[0], &c, 1) != 1)
		return 1;""",
    "others_sleep": r"""
	pthread_t t;
	pthread_create(&t, NULL, sleeper, NULL);
	pthread_join(t, NULL);""",
    "stopped_child_continued": r"""
	pid_t pid = fork();
	if (pid == 0) {
		raise(SIGSTOP);
		_exit(0);
	}
	int status;
	waitpid(pid, &status, WUNTRACED);
	sleep(1);
	kill(pid, SIGCONT);
	waitpid(pid, &status, 0);""",
}
ALIVE_HEAD = r"""
static void on_alarm(int sig) { (void)sig; }
static void on_alarm_exit(int sig) { (void)sig; printf("done\n"); fflush(stdout); _exit(0); }
static void on_expiry(union sigval v) { (void)v; sem_post(&sem); }
static void *sleeper(void *arg) { sleep(2); return arg; }
"""


@params(*ALIVE)
def test_not_stuck(t, name):
    text = HEAD + NOBODY + ALIVE_HEAD + "int main(void)\n{\n" + ALIVE[name] + \
        "\n\tprintf(\"done\\n\");\n\treturn 0;\n}\n"
    r = t.clean(t.run_gated(compile_text(name + ".c", text)))
    t.equal(r.stdout, "done\n", "stdout", r)


@params("sleep", "pause_alarm", "child_sleeps", "timerfd", "compute")
def test_not_stuck_while_one_is_held(t, name):
    """As above, with another thread held at a gate that opens when the sleeper is through."""
    text = HEAD + ALIVE_HEAD + r"""
static void *first(void *arg) { n++; /* gate: held */ return arg; }
static void *second(void *arg) { return arg; }
int main(void)
{
	pthread_t a;
	pthread_create(&a, NULL, first, NULL);
	""" + ALIVE[name] + r"""
	n++; /* gate: through */
	pthread_join(a, NULL);
	printf("done\n");
	return 0;
}
"""
    r = t.clean(t.run_gated(compile_text(name + "_held.c", text), script='''
local g = SimpleGate "through"
at "//held":wait(g)
at "//through":open(g)
'''))
    t.equal(r.stdout, "done\n", "stdout", r)


def spawn(t, program, *args, script=None):
    command = [t.gatectl, "run"] + (["-g", t.file("s.lua", script)] if script else [])
    return subprocess.Popen(command + ["--", program, *args], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=t.env)


def end(t, p, expected):
    out, err = p.communicate(timeout=20)
    t.equal((p.returncode, out.decode(), err.decode()), (0, expected, ""), "outcome")


def test_waits_for_stdin(t):
    """Somebody outside may type: a read of standard input is no deadlock."""
    p = spawn(t, "/bin/cat")
    time.sleep(2)
    t.check(p.poll() is None, "it waits")
    p.stdin.write(b"typed\n")
    p.stdin.flush()
    end(t, p, "typed\n")


def test_waits_for_a_connection(t):
    program = compile_text("accepts.c", r"""
#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
int main(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof a;
	int s = socket(AF_INET, SOCK_STREAM, 0);
	bind(s, (struct sockaddr *)&a, sizeof a);
	listen(s, 1);
	getsockname(s, (struct sockaddr *)&a, &len);
	printf("%d\n", ntohs(a.sin_port));
	fflush(stdout);
	int c = accept(s, NULL, NULL);
	char buf[16];
	ssize_t n = read(c, buf, sizeof buf);
	printf("%.*s\n", (int)n, buf);
	return 0;
}
""")
    p = spawn(t, program)
    port = int(p.stdout.readline())
    time.sleep(2)
    t.check(p.poll() is None, "it waits")
    with socket.create_connection(("127.0.0.1", port)) as s:
        time.sleep(1)
        s.sendall(b"hi")
        end(t, p, "hi\n")


def test_waits_for_a_fifo(t):
    fifo = t.path("fifo")
    os.mkfifo(fifo)
    p = spawn(t, "/bin/cat", fifo)

    def feed():
        time.sleep(1.5)
        with open(fifo, "w") as f:
            time.sleep(1.5)
            f.write("fed\n")
    thread = threading.Thread(target=feed, daemon=True)
    thread.start()
    end(t, p, "fed\n")


def test_waits_for_an_untraced_child(t):
    """With --no-follow a parent that waits for its child, or reads from it, is not stuck."""
    program = compile_text("untraced.c", HEAD + NOBODY + r"""
int main(void)
{
	int fd[2];
	char c = 0;
	if (pipe(fd))
		return 1;
	if (fork() == 0) {
		sleep(1);
		if (write(fd[1], "x", 1) != 1)
			_exit(1);
		sleep(1);
		_exit(0);
	}
	if (read(fd[0], &c, 1) != 1)
		return 1;
	wait(NULL);
	printf("%c\n", c);
	return 0;
}
""")
    r = t.clean(t.run_gated(program, options=["--no-follow"]))
    t.equal(r.stdout, "x\n", "stdout", r)


def test_held_beside_a_spinner(t):
    """A thread that spins is alive: the gate limit, not a deadlock."""
    program = compile_text("spinner.c", HEAD + r"""
static void *first(void *arg) { n++; /* gate: held */ return arg; }
static void *second(void *arg) { return arg; }
int main(void)
{
	pthread_t a;
	pthread_create(&a, NULL, first, NULL);
	while (n == 0)
		sched_yield();
	return 0;
}
""")
    r = t.run_gated(program, script='local g = SimpleGate "g"\nat "//held":wait(g)\n',
                    options=["--gate-limit", "1"])
    t.verdict(r, 121)
