"""gatectl explore on tests/explore/hangs: hangs and stuck shutdowns of public bug reports are found, and the threads that
are stuck are named."""

import os

from harness import ROOT, compile_text, params

HANGS = os.path.join(ROOT, "tests", "explore", "hangs")

# Program, schedules that are enough, kind, what is said of the stuck threads.
CASES = {
    "stop_without_lock.cc": (100, "deadlock", "main joins Pool::work#", " waits for condition variable Pool::changed"),
    "timer_overwrites.c": (200, "deadlock", "main joins run#1", "run#1 waits for futex timer.signals"),
    "cond_destroy_at_exit.cc": (100, "deadlock", "main destroys condition variable ",
     "waits for the threads that wait for it (Pool::worker#1, Pool::worker#2) while the process exits, in Pool::~Pool",
     "Pool::worker#1 waits for condition variable", "Pool::worker#2 waits for condition variable"),
    "fork_stream_lock.c": (100, "deadlock", "main waits for the child process p1/main",
     "p1/main waits for mutex streams_lock held by network#1 of the process that was forked"),
    "rdlock_twice.c": (100, "deadlock", "main joins answer#1", "answer#1 waits for rwlock model_lock (to read, after a waiting writer)",
     "update#1 waits for rwlock model_lock (to write) held by answer#1"),
    "call_callback.c": (100, "deadlock", "worker#1 waits for mutex calls[1].lock held by worker#2",
     "worker#2 waits for mutex library held by worker#1"),
    "pipe_inherited.c": (100, "deadlock", "main joins probe#1", "probe#1 reads from a pipe", "p1/main reads from a pipe"),
    "progress_stop.cc": (100, "deadlock", "main joins Progress::Progress()::{lambda()#1}#1",
     "waits for a file descriptor (poll) that could be made ready only by main"),
    "pushlock_release.c": (1000, "livelock", "main joins worker#", " waits for semaphore b.wake", " can go on in release_contended at"),
    "recv_at_shutdown.c": (100, "hang", "the run without preemptions hangs", "main joins handler#1", "handler#1 waits in recv(2) at recv_at_shutdown.c:"),
    "suspended_again.c": (100, "hang", "main joins scheduler#1", "scheduler#1 waits in sigwaitinfo(2) at suspended_again.c:"),
}


@params(*CASES)
def test_report(t, name):
    schedules, kind, *words = CASES[name]
    with open(os.path.join(HANGS, name)) as f:
        program = compile_text(name, f.read())
    out = t.path("found")
    r = t.gate("explore", "-j1", "--runs", schedules, "--hang", "1", "-o", out, "--", program, seconds=600)
    t.equal(r.status, 116, "status", r)
    with open(os.path.join(out, "1", "schedule")) as f:
        t.check("\nfailure: %s\n" % kind in f.read(), "the schedule's failure is no %s" % kind, r)
    for w in words:
        t.check(w in r.err, "%r is not said" % w, r)


# The worker computes without a point from its last step on, until main has sent it the signal.
COMPUTES = """#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
static volatile sig_atomic_t stop;
static sem_t begun;
static void handler(int sig) { stop = sig; }
static void *work(void *p)
{
	sem_post(&begun);
	for (volatile long i = 0; !stop; i++)
		;
	return p;
}
int main(void)
{
	struct sigaction action = { .sa_handler = handler };
	pthread_t t;
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&t, NULL, work, NULL);
	sem_wait(&begun);
	pthread_kill(t, SIGUSR1);
	pthread_join(t, NULL);
	return 3;
}
"""


def test_preempted(t):
    program = compile_text("computes.c", COMPUTES)
    out = t.path("found")
    r = t.gate("explore", "-j1", "--runs", 1, "-o", out, "--", program, seconds=600)
    t.equal(r.status, 116, "status", r)
    with open(os.path.join(out, "1", "schedule")) as f:
        t.check("\nfailure: status\n" in f.read(), "the schedule's failure is no status", r)
    r = t.gate("replay", os.path.join(out, "1", "schedule"), seconds=600)
    t.equal(r.status, 3, "status of the replay", r)


# The first run computes until the clock has stopped a thread, and passes; the others crash where it computes.
COMPUTES_ONCE = """#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
static volatile int stop;
static sem_t begun;
static void *work(void *count)
{
	sem_post(&begun);
	for (long i = 0; !stop && i >= 0; i++)
		*(volatile long *)count = i;
	return 0;
}
int main(int argc, char **argv)
{
	long count = 0;
	pthread_t t;
	pthread_create(&t, 0, work, open(argv[1], O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0 ? &count : 0);
	sem_wait(&begun);
	stop = 1;
	pthread_join(t, 0);
	return 0;
}
"""


def test_preempted_is_no_evidence(t):
    """A run in which the clock stopped a thread passes: that another one fails does not show that the program keeps state."""
    program = compile_text("computes_once.c", COMPUTES_ONCE)
    r = t.gate("explore", "-j1", "--runs", 2, "--points", "sync", "--gates-for", "2", "--verify", "1", "-o", t.path("found"), "--", program,
               t.path("left"), seconds=600)
    t.equal(r.status, 116, "status", r)
    t.check("1 failure in 2 schedules" in r.first, "the first one passes", r)
    t.check("passed the first time and fails now" not in r.err, "what is said of the program", r)
