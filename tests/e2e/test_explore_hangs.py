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
    "rdlock_twice.c": (100, "deadlock", "main joins answer#1", "answer#1 waits for rwlock model_lock (to read, behind a waiting writer)",
     "update#1 waits for rwlock model_lock (to write) held by answer#1"),
    "call_callback.c": (100, "deadlock", "worker#1 waits for mutex calls[1].lock held by worker#2",
     "worker#2 waits for mutex library held by worker#1"),
    "pipe_inherited.c": (100, "deadlock", "main joins probe#1", "probe#1 reads from a pipe", "p1/main reads from a pipe"),
    "progress_stop.cc": (100, "deadlock", "main joins Progress::Progress()::{lambda()#1}#1",
     "waits for a file descriptor (poll) that could be made ready only by main"),
    "pushlock_release.c": (1000, "livelock", "main joins worker#", " waits for semaphore b.wake", " can go on in release_contended at"),
    "recv_at_shutdown.c": (100, "hang", "the undisturbed run hangs", "main joins handler#1", "handler#1 waits in recv(2) at recv_at_shutdown.c:"),
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
