"""Programs that are not dumpable, traced by an ordinary user: the kernel refuses their /proc files to their tracer, too."""

import os
import re
import shutil

from harness import Skip, compile_text, end_processes, others_may_read, ROOT, params

# What it is not dumpable by, and what it does then.
PROGRAM = r"""
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static int ends[2], n, dumpable;
volatile int last;
static void *crosses(void *arg)
{
	pthread_mutex_lock(&b);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&a);
	return 0;
}
static void *reads(void *arg)
{
	char c;
	read(ends[0], &c, 1);
	pthread_mutex_lock(&a);
	n++;
	pthread_mutex_unlock(&a);
	return 0;
}
void step(int i)
{
	last = i;
}
static int deadlock(void)
{
	pthread_t t;
	pthread_barrier_init(&both, 0, 2);
	pthread_create(&t, 0, crosses, 0);
	pthread_mutex_lock(&a);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&b);
	return 0;
}
static int blocks(void)
{
	pthread_t t[2];
	pipe(ends);
	pthread_create(t, 0, reads, 0);
	pthread_create(t + 1, 0, reads, 0);
	write(ends[1], "xy", 2);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return n != 2;
}
static void *sleeps(void *arg)
{
	usleep(100000);
	pthread_mutex_lock(&a);
	n *= 10;
	pthread_mutex_unlock(&a);
	return 0;
}
static void *adds(void *arg)
{
	pthread_mutex_lock(&a);
	n++;
	pthread_mutex_unlock(&a);
	return 0;
}
static int late(void)
{
	pthread_t t[2];
	pthread_create(t, 0, adds, 0);
	pthread_create(t + 1, 0, sleeps, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return n != 10;
}
static int waits(void)
{
	struct epoll_event event;
	return epoll_wait(epoll_create1(0), &event, 1, 400);
}
static int child(int reads)
{
	int status = 0, c;
	pipe(ends);
	step(1);
	pid_t pid = fork();
	if (!pid) {
		step(2);
		dlopen("libm.so.6", RTLD_NOW);
		_exit(reads ? read(ends[0], &c, 1) : 3);
	}
	waitpid(pid, &status, 0);
	step(3);
	return WEXITSTATUS(status) != 3 || prctl(PR_GET_DUMPABLE) != dumpable;
}
static int starts(void)
{
	int status = 0;
	pid_t pid = vfork();
	if (!pid) {
		execlp("true", "true", (char *)0);
		_exit(3);
	}
	waitpid(pid, &status, 0);
	return status;
}
int main(int argc, char **argv)
{
	if (argv[1][0] == 'u' ? unshare(CLONE_NEWUSER) : prctl(PR_SET_DUMPABLE, 0))
		return 77;
	dumpable = prctl(PR_GET_DUMPABLE);
	switch (argv[2][0]) {
	case 'd': return deadlock();
	case 'b': return blocks();
	case 'l': return late();
	case 'w': return waits();
	case 'p': return child(1);
	case 'v': return starts();
	default: return child(0);
	}
}
"""


def as_user(t, *command, script=None, stdin=b""):
    """gatectl's answer to an ordinary user who may read it and the program."""
    others_may_read(ROOT)
    program = compile_text("not-dumpable.c", PROGRAM, "-g -O0", libs="-ldl")
    os.chmod(t.tmp, 0o777)
    place = t.path("place")
    if not os.path.isdir(place):
        os.mkdir(place, 0o777)
        os.chmod(place, 0o777)
        for name, path in (("gatectl", t.gatectl), ("prog", program)):
            shutil.copy(path, os.path.join(place, name))
    if script:
        command = (command[0], "-g", t.file("s.lua", script)) + command[1:]

    def drop():
        if os.geteuid():
            return
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
    r = t.run([os.path.join(place, "gatectl")] + list(command), preexec=drop, cwd=place, stdin=stdin,
              env={"ASAN_OPTIONS": "detect_leaks=0", "HOME": place, "TMPDIR": place})
    if r.status == 77:
        raise Skip("unshare(CLONE_NEWUSER) is refused here")
    t.equal(end_processes(t.marker), [], "left alive", r)
    return r


def test_search_ends(t):
    """Threads block in read and in futex, or in vfork: that they sleep is known without the name of the call."""
    for command, why, what in (("explore", "prctl", "blocks"), ("explore", "unshare", "blocks"),
                               ("races", "prctl", "blocks"), ("explore", "prctl", "vfork")):
        r = as_user(t, command, "--runs", "9", "./prog", why, what)
        t.equal(r.status, 0, "%s of %s" % (command, what), r)
        t.check("9 schedules" in r.err + r.stdout or "9 runs" in r.err + r.stdout, "all of them", r)


def test_deadlock_of_locks(t):
    r = as_user(t, "run", "./prog", "prctl", "deadlock")
    t.equal(r.status, 123, "status", r)
    t.check("main waits for mutex b held by crosses#1" in r.first, "who waits for what", r)


def test_deadlock_at_a_pipe(t):
    """The child was born so: its memory, maps and descriptors are closed from the start."""
    r = as_user(t, "run", "./prog", "prctl", "pipe")
    t.equal(r.status, 123, "status", r)
    t.check("p1/main reads from a pipe (fd 3), whose other end is held by main, p1/main" in r.first, "the pipe", r)


def test_waits_that_end(t):
    """To be looked at does not make the wait longer for ever, and is no deadlock."""
    r = as_user(t, "run", "./prog", "prctl", "wait")
    t.equal((r.status, r.err), (0, ""), "outcome", r)


@params("prctl", "unshare")
def test_gates_in_a_child(t, why):
    r = as_user(t, "run", "./prog", why, "child", script='at("step"):log("step {hit.var.i}")')
    t.equal((r.status, r.err), (0, "step 1\nstep 2\nstep 3\n"), "with the child", r)
    r = as_user(t, "run", "--no-follow", "./prog", why, "child", script='at("step"):log("step {hit.var.i}")')
    t.equal((r.status, r.err), (0, "step 1\nstep 3\n"), "without it", r)


def test_repl(t):
    """Threads, calls and values are seen as those of any other program."""
    r = as_user(t, "repl", "./prog", "prctl", "deadlock", stdin=b"run\nwhy\nbt crosses#1\nprint crosses#1 n\nquit\n")
    for what in ("main waits for mutex b held by crosses#1 (taken at ", "crosses#1 waits for mutex a held by main", "  crosses at "):
        t.check(what in r.stdout, what, r)
    t.check(re.search(r"^#\d+  crosses at .*:\d+\n(.*\n)*0\n", r.stdout, re.M), "the value of n", r)


def test_convert(t):
    """The sleep of a thread is found and replaced."""
    r = as_user(t, "convert", "-o", "made.lua", "./prog", "prctl", "late")
    t.equal(r.status, 0, "status", r)
    t.check("1 of 1 sleeps converted" in r.err + r.stdout, "the sleep", r)


def test_unreadable_file(t):
    """No point can be in it: that is not the same as a search that finds nothing."""
    as_user(t, "--version")
    os.chmod(t.path("place/prog"), 0o111)
    for command in ("explore", "races"):
        r = as_user(t, command, "--runs", "3", "./prog", "prctl", "child")
        t.equal(r.status, 118, command, r)
        t.check("can be executed, but not read" in r.first, "why", r)
