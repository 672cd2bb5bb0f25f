"""gatectl attach at bad moments: while threads are born, others exec, signals come, job control stops it."""

import os
import random
import signal
import subprocess
import time

from harness import Process, Failure, Skip, compile_text, params, timeout
from patience import wall
from test_attach import Running, attach, attach_until, state_of, wait_state, wait_traced

WORK = r"""
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
static void wrong(const char *what, long got)
{
	fprintf(stderr, "%s: %ld (%s)\n", what, got, strerror(errno));
	_exit(77);
}
__attribute__((noinline)) static int work(int x)
{
	return x * 3 + 1; /* gate: work */
}
static void works(int n)
{
	for (int i = 0; i < n; i++)
		if (work(i) != i * 3 + 1)
			wrong("work", i);
}
static void *worker(void *arg)
{
	for (;;) {
		works(100);
		usleep(100);
	}
}
static void ready(void)
{
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	puts("ready");
	fflush(stdout);
}
"""

SCRIPT = 'at("//work", {optional = true}):run(function() end)\n'
ENDS = 'at("//work", {optional = true, hit = {1, 20}}):run(function() end)\n'


def attach_somehow(t, p, round_number):
    """Until its work is done, or until a signal ends it."""
    kind = round_number % 4
    if kind == 0:
        r = attach(t, p.pid, ENDS, "--time-limit", wall(20))
        t.equal((r.status, r.err), (0, ""), "outcome of round %d" % round_number, r)
        return
    number = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)[kind - 1]
    q, err = attach_until(t, p.pid, SCRIPT, number, random.random() * 0.05)
    if number == signal.SIGKILL:
        wait_traced(p.pid, False)
    else:
        t.equal((q.returncode, err), (128 + number, ""), "outcome of round %d" % round_number)


# ---- execs ---------------------------------------------------------------------------------------

EXECS = WORK + r"""
static char **arguments;
static void again(void)
{
	char left[20];

	sprintf(left, "%d", atoi(arguments[1]) - 1);
	execl("/proc/self/exe", arguments[0], left, arguments[2], NULL);
	wrong("exec", 0);
}
static void *execs(void *arg)
{
	usleep(atoi(arguments[1]) % 5 * 700);
	again();
	return NULL;
}
static void child(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || status != 3 << 8)
		wrong("a child", status);
}
int main(int argc, char **argv)
{
	pthread_t t;
	pid_t pid;

	arguments = argv;
	if (!atoi(argv[1]))
		return 33;
	if (argv[2][0] == 'r')
		ready();
	argv[2][0] = '-';
	for (int i = 0; i < 3; i++)
		pthread_create(&t, NULL, worker, NULL);
	if (strchr(argv[2], 'c')) {
		pid = vfork();
		if (!pid) {
			execl("/bin/sh", "sh", "-c", "exit 3", NULL);
			_exit(1);
		}
		child(pid);
		pid = fork();
		if (!pid) {
			works(100);
			_exit(3);
		}
		child(pid);
	}
	if (strchr(argv[2], 't')) {
		pthread_create(&t, NULL, execs, NULL);
		for (;;)
			works(100);
	}
	works(300);
	again();
}
"""


@params("r", "rt", "rc", "rtc")
@timeout(120)
def test_execs_all_the_time(t, letters):
    """By its first thread, or by another one that takes over the id of the first; with children."""
    program = compile_text("execs.c", EXECS)
    with Running(t, program, "100000000", letters) as p:
        p.line()
        for i in range(100 if t.full else 8):
            attach_somehow(t, p, i)
            if not p.alive():
                raise Failure("round %d: it has ended with %d: %s" % (i, p.p.returncode, p.p.stderr.read().decode()))


# ---- births --------------------------------------------------------------------------------------

CHURN = WORK + r"""
static void *life(void *arg)
{
	works(20);
	return (void *)(long)work((long)arg);
}
static void *maker(void *arg)
{
	for (;;) {
		pthread_t t[4];
		void *result;

		for (long i = 0; i < 4; i++)
			if ((errno = pthread_create(&t[i], NULL, life, (void *)i)))
				wrong("pthread_create", i);
		for (long i = 0; i < 4; i++)
			if (pthread_join(t[i], &result) || (long)result != i * 3 + 1)
				wrong("result", (long)result);
		usleep(1000);
	}
}
int main(int argc, char **argv)
{
	pthread_t t;

	for (int i = 0; i < atoi(argv[1]); i++)
		pthread_create(&t, NULL, maker, NULL);
	ready();
	if (argc > 2)
		pthread_exit(NULL);
	pause();
}
"""


@params("1", "12")
@timeout(120)
def test_threads_are_born_all_the_time(t, makers):
    with Running(t, compile_text("churn.c", CHURN), makers) as p:
        p.line()
        for i in range(100 if t.full else 8):
            attach_somehow(t, p, i)
            p.check(t, "round %d" % i)


def test_first_thread_has_ended(t):
    """It looks like a zombie, but is none: what it runs is told by the others."""
    with Running(t, compile_text("churn.c", CHURN), "2", "ends") as p:
        p.line()
        while state_of(p.pid) != "Z":
            time.sleep(0.001)
        r = attach(t, p.pid, 'at("//work", {thread = "life#*", hit = {1, 20}}):run(function() end)\n')
        t.equal((r.status, r.err), (0, ""), "outcome", r)
        t.check(p.alive(), "it has ended", r)


# ---- signals -------------------------------------------------------------------------------------

QUEUED = WORK + r"""
static volatile int next_value, plain, last;
static void on_queued(int signal, siginfo_t *info, void *context)
{
	int value = info->si_value.sival_int;

	last = value < 0;
	if ((last ? -1 - value : value) != next_value || info->si_code != SI_QUEUE)
		wrong("a signal is lost, or came twice", value);
	next_value++; /* gate: queued */
}
static void queue(pid_t to, int value)
{
	while (sigqueue(to, SIGRTMIN, (union sigval){.sival_int = value}) < 0)
		usleep(100);
}
static void on_plain(int signal)
{
	plain++; /* gate: plain */
}
int main(int argc, char **argv)
{
	struct sigaction action = {.sa_sigaction = on_queued, .sa_flags = SA_SIGINFO | SA_RESTART};
	pid_t me = getpid();
	sigset_t all;
	pthread_t t;

	sigaction(SIGRTMIN, &action, NULL);
	signal(SIGUSR1, on_plain);
	if (!fork()) {
		int i = 0;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (; !poll(&(struct pollfd){0, POLLIN}, 1, 0); i++) {
			queue(me, i);
			kill(me, SIGUSR1);
			usleep(i % 7 * 50);
		}
		queue(me, -1 - i); /* the last one */
		pause();
	}
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	for (int i = 0; i < 3; i++)
		pthread_create(&t, NULL, worker, NULL);
	sigemptyset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	ready();
	while (!last) {
		works(50);
		usleep(50);
	}
	return 5;
}
"""


@timeout(120)
def test_no_signal_is_lost(t):
    """Queued ones: each once, in order, with its value; handlers have sites, too."""
    script = "".join('at("//%s", {optional = true}):run(function() end)\n' % m for m in ("queued", "plain", "work"))
    with Running(t, compile_text("queued.c", QUEUED), stdin=subprocess.PIPE) as p:
        p.line()
        for i in range(100 if t.full else 8):
            number = (signal.SIGINT, signal.SIGTERM)[i % 2]
            q, err = attach_until(t, p.pid, script, number, random.random() * 0.05)
            t.equal((q.returncode, err), (128 + number, ""), "outcome of round %d" % i)
            p.check(t, "round %d" % i)
        p.p.stdin.close()
        p.p.stdin = None
        t.equal(p.p.wait(60), 5, "how it ends")


# ---- job control ---------------------------------------------------------------------------------

def all_states(pid):
    states = set()
    for tid in os.listdir("/proc/%d/task" % pid):
        try:
            with open("/proc/%d/task/%s/stat" % (pid, tid)) as f:
                states.add(f.read().rpartition(")")[2].split()[0])
        except OSError:
            pass
    return states


def wait_stopped(pid, stopped):
    states = None
    for _ in range(2000):
        states = all_states(pid)
        if (states == {"T"}) if stopped else ("T" not in states):
            return
        time.sleep(0.005)
    raise Failure("states of its threads: %s; it should %sbe stopped" % (states, "" if stopped else "not "))


def stop_and_continue(p, kind):
    """Before gatectl comes (0, 2), while it is there (1, 2, 3). True: it is stopped afterwards."""
    if kind == 1:
        os.kill(p.pid, signal.SIGSTOP)
    if kind == 2:
        os.kill(p.pid, signal.SIGCONT)
    for _ in range(20 if kind == 3 else 0):
        os.kill(p.pid, signal.SIGSTOP)
        time.sleep(random.random() * 0.003)
        os.kill(p.pid, signal.SIGCONT)
    return kind < 2


@timeout(120)
def test_job_control_at_any_moment(t):
    """Stopped stays stopped, continued goes on: whatever comes while gatectl comes and goes."""
    with Running(t, compile_text("churn.c", CHURN), "4") as p:
        p.line()
        for i in range(200 if t.full else 12):
            if i % 2 == 0:
                os.kill(p.pid, signal.SIGSTOP)
                os.waitpid(p.pid, os.WUNTRACED)
            q = Process([t.gatectl, "attach", "-g", t.file("attach.lua", SCRIPT), str(p.pid)], env=t.env,
                                 stderr=subprocess.PIPE, text=True)
            wait_traced(p.pid)
            time.sleep(random.random() * 0.03)
            stopped = stop_and_continue(p, i % 4)
            time.sleep(random.random() * 0.01)
            q.send_signal(signal.SIGINT)
            err = q.communicate(timeout=30)[1]
            t.equal((q.returncode, err), (130, ""), "outcome of round %d" % i)
            wait_stopped(p.pid, stopped)
            os.kill(p.pid, signal.SIGCONT)
            wait_stopped(p.pid, False)
            p.check(t, "round %d" % i)


SHRINKS = r"""
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
int other(int x);
__attribute__((noinline)) void before(void) { asm volatile("" ::: "memory"); }
__attribute__((noinline)) void after(void) { asm volatile("" ::: "memory"); }
int main(int argc, char **argv)
{
	int shrunk, i;

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	puts("ready");
	fflush(stdout);
	if (getchar() != '\n')
		return 1;
	before();
	shrunk = truncate(argv[1], 0);
	for (i = 0; i < 1000; i++)
		after();
	printf("went on %d %d\n", shrunk, other(i));
	return 0;
}
"""


def address_of(pid, program, function):
    names = subprocess.run(["nm", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    with open("/proc/%d/maps" % pid) as f:
        base = next(int(line.split("-")[0], 16) for line in f if line.rstrip().endswith(program))
    return base + next(int(line.split()[0], 16) for line in names.splitlines() if line.endswith(" T " + function))


def first_byte(pid, address):
    with open("/proc/%d/mem" % pid, "rb", 0) as f:
        f.seek(address)
        return f.read(1)


def wait_breakpoint(pid, address, byte):
    """Waits until the byte there is another one than before gatectl attached."""
    for _ in range(2000):
        if first_byte(pid, address) != byte:
            return
        time.sleep(0.005)
    raise Failure("there is no breakpoint")


def test_debug_file_becomes_shorter(t):
    """The error ends gatectl, and not the program: that goes on, with its own bytes."""
    program, debug = t.path("prog"), t.path("prog.debug")
    other = "struct item { int id, kept; } item = {1, 2};\nint other(int x) { return x + item.id; }\n"
    subprocess.run(["gcc", "-g", "-O1", "-o", program, t.file("main.c", SHRINKS), t.file("other.c", other)], check=True)
    subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
    subprocess.run(["objcopy", "--strip-debug", "--add-gnu-debuglink=" + debug, program], check=True)
    script = 'at("before"):run(function() end)\nat("after"):run(function(hit) print(hit:eval "item.kept") end)\n'
    with Running(t, program, debug, stdin=subprocess.PIPE) as p:
        t.equal(p.line(), "ready", "the program")
        before = address_of(p.pid, program, "before")
        byte = first_byte(p.pid, before)
        q = Process([t.gatectl, "attach", "-g", t.file("attach.lua", script), str(p.pid)], env=t.env, stderr=subprocess.PIPE, text=True)
        wait_breakpoint(p.pid, before, byte)
        p.p.stdin.write(b"\n")
        p.p.stdin.flush()
        t.equal(p.line(), "went on 0 1001", "the program goes on")
        err = q.communicate(timeout=30)[1]
        t.equal((q.returncode, p.p.wait()), (125, 0), "statuses of gatectl, which said %r, and of the program" % err)
        t.check("gatectl: error: %s: cannot be read any more" % debug in err, "it says which file: %s" % err)


def test_many_groups(t):
    """/proc/PID/status is then longer than a page, and what counts stands behind them."""
    if os.geteuid():
        raise Skip("only root has many groups")
    child = Process(["true"], preexec_fn=lambda: os.setgroups(range(1000, 1700)))
    wait_state(child.pid, "Z")
    r = attach(t, child.pid, 'at("main"):log("here")\n', seconds=20)
    t.equal(r.status, 118, "status", r)
    t.check(r.err.startswith("gatectl: cannot-trace: process %d has ended already: it is a zombie" % child.pid), "it says so", r)
    child.wait()

