"""gatectl explore with several workers: the same search as with one, and nobody is left behind."""

import json
import os
import re
import signal
import subprocess
import time

from harness import Process, ROOT, compile_text, params, processes_with, wait_until

import test_explore


def bug(name):
    path = os.path.join(ROOT, "tests", "explore", "bugs")
    with open(os.path.join(path, name + ".c")) as f:
        return compile_text(name + "_jobs.c", f.read(), "-I" + path)


def search(t, *args, **kw):
    report = t.path("search.json")
    t.count += 1
    r = t.gate("explore", "-o", t.path("found%d" % t.count), "--report", report, *args, **kw)
    with open(report) as f:
        r.report = json.load(f)
    t.check(all("again" in f for f in r.report["failures"]), "each failure was run again: %s" % r.report["failures"], r)
    keys = ("schedules", "distinct", "points", "digest", "barred", "cut", "twice", "differed")
    r.same = [r.report[k] for k in keys] + [
        [f[k] for k in ("kind", "where", "schedule", "times", "steps", "preemptions", "again")] for f in r.report["failures"]]
    return r


@params("auto", "rff", "pct", "pos")
def test_same_with_workers(t, strategy):
    """Run by run, and what is found."""
    one, three = (search(t, "--strategy", strategy, "--all", "--runs", "250", "-j", j, bug("bounded_buffer")) for j in ("1", "3"))
    t.equal(three.same, one.same, "three workers, and one", three)
    t.equal((one.report["schedules"], one.report["twice"] >= 1, one.report["differed"]), (250, True, 0), "some were run twice", one)


def test_batch_ends_with_the_search(t):
    """The lessons of the last batch find a worker that has made its last run."""
    program = bug("bounded_buffer")
    for jobs in ("2", "3", "8"):
        for runs in (32, 33):  # of 33, all workers but one have ended before
            r = search(t, "--strategy", "rff", "--all", "--runs", str(runs), "-j", jobs, program)
            t.equal((r.status, r.report["schedules"]), (116, runs), "the whole search", r)


# Two threads wait in loops at which no points are known: by the result of a function, and counting.
LOOPS = """#include <pthread.h>
static volatile int flag, stop;
static volatile long rounds;
__attribute__((noinline)) static int is_set(volatile int *p) { return *p; }
static void *sets(void *x) { flag = 1; return x; }
static void *counts(void *x)
{
	long n = 0;
	while (!stop)
		n++;
	rounds = n;
	return x;
}
int main(void)
{
	pthread_t t, u;
	pthread_create(&u, 0, counts, 0);
	pthread_create(&t, 0, sets, 0);
	while (!is_set(&flag))
		;
	stop = 1;
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
"""


@params("-O0", "-O2")
def test_same_in_loops(t, level):
    """When such a loop is noticed does not decide what is tried."""
    program = compile_text("loops.c", LOOPS, "-g " + level)
    one, two = (search(t, "--points", "sync", "--runs", "400", "-j", j, program) for j in ("1", "2"))
    t.equal(two.same, one.same, "two workers, and one", two)
    t.equal((one.report["schedules"], one.report["cut"], one.report["differed"]), (400, 0, 0), "each run ends, and ends so again", one)


def test_first_failure(t):
    """What the others have done behind it is dropped."""
    one, two = (search(t, "-j", j, bug("lost_update")) for j in ("1", "2"))
    t.equal(two.same, one.same, "two workers, and one", two)
    t.equal([r.status for r in (one, two)], [116, 116], "found")
    read = [test_explore.read(r.report["failures"][0]["folder"], "schedule") for r in (one, two)]
    t.equal(read[1], read[0], "the schedule")


@params("4", "7")
def test_seldom_races(t, seed):
    """Accesses that ten runs in a row do not see race, and the bug needs them as points."""
    r = search(t, "-q", "-j", "1", "--runs", "600", "--seed", seed, bug("readers_count"))
    t.equal(len(r.report["failures"]), 1, "found", r)


def test_input(t):
    """Each worker reads all of it."""
    program = compile_text("input_jobs.c", '#include <stdio.h>\nint main(void) { char s[9] = ""; return !fgets(s, 9, stdin) || s[0] != 104; }\n')
    command = '"$0" explore -q -j 3 --runs 60 "$1" < "$2"'
    r = t.run(["sh", "-c", command, t.gatectl, program, t.file("in", "hello\n")], cwd=t.tmp)
    t.equal((r.status, r.err), (0, ""), "nothing fails", r)


@params("auto", "pct")
def test_shards(t, strategy):
    """Together they are the whole search, each is the same again, with workers or without."""
    program = bug("bounded_buffer")
    given = ("--strategy", strategy, "--all", "--runs", "150")
    parts = [search(t, *given, "-j", "1", "--shard", "%d/3" % k, program) for k in (1, 2, 3)]
    t.equal(sum(r.report["schedules"] for r in parts), 150, "schedules of all")
    t.equal(len({r.report["digest"] for r in parts}), 3, "they are different")
    again = search(t, *given, "-j", "2", "--shard", "2/3", program)
    t.equal(again.same, parts[1].same, "the second one again, with two workers", again)


def test_no_shards(t):
    t.error(t.gate("explore", "--strategy", "dfs", "--shard", "1/2", test_explore.abba_fixed(), cwd=t.tmp), where="--shard: the strategy dfs")


def begin(t):
    p = Process([t.gatectl, "explore", "-j", "2", "--runs", "1000000", "-o", t.path("found"), test_explore.abba_fixed()], env=t.env,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: len(workers(p)) == 2, "the workers")
    time.sleep(0.3)
    return p


def is_gatectl(pid):
    try:
        return os.readlink("/proc/%d/exe" % pid).endswith("/gatectl")
    except OSError:
        return False


def workers(p):
    with open("/proc/%d/task/%d/children" % (p.pid, p.pid)) as f:
        return [pid for pid in map(int, f.read().split()) if is_gatectl(pid)]


@params("SIGINT", "SIGTERM", "SIGKILL")
def test_ended(t, name):
    number = getattr(signal, name)
    p = begin(t)
    p.send_signal(number)
    out, err = p.communicate(timeout=20)
    t.equal(p.returncode, -9 if number == signal.SIGKILL else 128 + number, "status: %s %s" % (out, err))
    t.check(number == signal.SIGKILL or re.match(r"\d+ schedules, ", err), "the summary alone: " + err)
    wait_until(lambda: not processes_with(t.marker), "everybody is gone")


def test_worker_killed(t):
    p = begin(t)
    os.kill(workers(p)[1], signal.SIGKILL)
    out, err = p.communicate(timeout=20)
    t.equal(p.returncode, 125, "status: %s %s" % (out, err))
    t.check(err.startswith("gatectl: error: a worker process was ended by signal 9"), "the error: " + err)
    t.check(" schedules, " in err, "what there was until then: " + err)
    # Whom the dead worker traced the kernel kills, and nobody is told when that is done.
    wait_until(lambda: not processes_with(t.marker), "nobody is left")
