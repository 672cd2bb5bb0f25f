"""gatectl explore -o DIR again goes on, and --merge joins parts."""

import filecmp
import json
import os
import signal
import subprocess
import xml.etree.ElementTree

from harness import Process, compile_text, params, wait_until
from patience import wall

import test_explore
from test_explore_jobs import bug, search

# The so-manieth start of the program ends its parent, which is gatectl.
STRIKE = """#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((constructor)) static void count(int argc, char **argv)
{
	int fd = open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0666);
	if (write(fd, "", 1) == 1 && lseek(fd, 0, SEEK_END) == atoi(argv[2]))
		kill(getppid(), SIGTERM);
	close(fd);
}
static atomic_int busy[2];
static int in;
static void *enter(void *x)
{
	int i = (long)x;
	while (atomic_load(&busy[!i]))
		sched_yield();
	atomic_store(&busy[i], 1);
	in++;
	if (in != 1)
		exit(9);
	in--;
	atomic_store(&busy[i], 0);
	return 0;
}
int main(void)
{
	pthread_t t[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], 0, enter, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""

RUNS = ("--all", "--runs", "600")
ENDLESS = ("--all", "--runs", "1000000")  # it is always the signal that ends it


def kept(t, folder="kept", part=""):
    return t.path(os.path.join(folder, "search" + part))


def given(t, *args, folder="kept", runs=RUNS):
    """In a folder of its own, with what makes the search; .same is what two equal ones have in common."""
    return search(t, "-o", t.path(folder), *runs, *args)


def end(t, number, *args, at=20000):
    """The search is ended when its journal has so many bytes; how many schedules it had done, if it could tell."""
    report = t.path("ended.json")
    p = Process([t.gatectl, "explore", "-o", t.path("kept"), *ENDLESS, "--report", report, *args], env=t.env, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    wait_until(lambda: os.path.exists(kept(t)) and os.path.getsize(kept(t)) > at or p.poll() is not None, "so many bytes")
    p.send_signal(number)
    out, err = p.communicate(timeout=60)
    t.equal(p.returncode, -9 if number == signal.SIGKILL else 128 + number, "ended by the signal: %s%s" % (out, err))
    if number == signal.SIGKILL:
        return None
    with open(report) as f:
        return json.load(f)["schedules"]


def earlier(t, r):
    t.check("of them by an earlier search" in r.err, "it went on", r)


@params(*[(s, j) for s in ("auto", "rff", "pct", "random") for j in ("1", "2")])
def test_goes_on(t, how):
    """Killed, interrupted, and gone on with: as if nothing had happened."""
    strategy, jobs = how
    args = ("--strategy", strategy, "-j", jobs, bug("bounded_buffer"))
    end(t, signal.SIGKILL, *args)
    size = os.path.getsize(kept(t))
    done = end(t, signal.SIGINT, *args, at=size + 8000)
    t.check(os.path.getsize(kept(t)) > size, "it grows")
    runs = ("--all", "--runs", str(done + 200))
    r = given(t, *args, runs=runs)
    earlier(t, r)
    whole = given(t, *args, folder="whole", runs=runs)
    t.check(not os.path.exists(kept(t, "whole")), "one that has ended keeps nothing", whole)
    t.equal(r.same, whole.same, "the same search", r)
    t.equal(sorted(os.listdir(t.path("kept"))), ["1"], "one failure, one folder", r)


def test_ended_before_the_failure_is_examined(t):
    """A failure of a run before all points were known: its schedule is one already, and its script is made later."""
    program = bug("lost_update")
    done = end(t, signal.SIGINT, "-j", "1", program)
    r = t.gate("replay", t.path("kept/1/schedule"))
    t.equal(r.status, 1, "as it was", r)
    t.check(not os.path.exists(t.path("kept/1/gates.lua")), "no script yet", r)
    r = given(t, "-j", "1", program, runs=("--all", "--runs", str(done)))
    t.equal((r.report["schedules"], r.report["failures"][0]["again"]), (done, True), "nothing but that was left", r)
    t.check(os.path.exists(t.path("kept/1/report.html")), "now it is", r)


@params(2, 20, 26, 27, 28, 130)  # the search's own copy, plain runs under gates, such with a gate too few, verifying runs
def test_ended_while_gates_are_looked_for(t, start):
    """Whichever run the signal comes in: what was found is told, and that nobody has looked for its gates to the end."""
    r = t.gate("explore", "-j", "1", "--verify", "40", "-o", t.path("kept"), compile_text("strike.c", STRIKE), t.path("starts"), str(start))
    t.equal(r.status, 143, "ended by the signal", r)
    t.equal(os.path.getsize(t.path("starts")), start, "at once", r)
    t.check(r.err.startswith("gatectl: found: 1 failure in "), "what was found", r)
    t.check(" schedules, " in r.err, "the summary", r)
    t.check("schedule" in os.listdir(t.path("kept/1")), "its folder", r)
    if start == 130:
        t.check("\nthe script is not verified: the search was ended\n" in r.err, "a script, but not verified", r)
        with open(t.path("kept/1/gates.lua")) as f:
            t.check("\n-- It is not verified yet.\n" in f.read(), "its comment says so")
    elif start > 2:
        t.check("\nno script of gates: the search for one was ended\n" in r.err, "why it has no script", r)
        t.check(os.path.exists(t.path("kept/1/report.json")), "its report", r)


def test_goes_on_for_a_while(t):
    """With --for: so much longer."""
    program = bug("bounded_buffer")
    runs = []
    end(t, signal.SIGINT, program)  # it has found something, however slow this machine is
    for _ in range(3):
        r = search(t, "-o", t.path("kept"), "--all", "--for", wall(0.7), program)
        runs.append(r.report["schedules"])
        t.equal((r.status, sorted(os.listdir(t.path("kept")))), (116, ["1", "search"]), "one folder, and the search", r)
    t.check(runs == sorted(set(runs)), "each goes on: %s" % runs)


@params("cut", "changed", "empty", "more")
def test_damaged(t, how):
    """What is behind the damage is done again."""
    args = ("--strategy", "auto", "-j", "1", bug("bounded_buffer"))
    whole = given(t, *args, folder="whole")
    end(t, signal.SIGKILL, *args, at=120000 if how == "more" else 20000)
    with open(kept(t), "r+b") as f:
        size = f.seek(0, 2)
        if how == "changed":
            f.seek(size // 2)
            byte = f.read(1)
            f.seek(size // 2)
            f.write(bytes([byte[0] ^ 1]))
        elif how != "more":  # than are asked for now
            f.truncate(size - 3 if how == "cut" else 0)
    r = given(t, *args)
    if how != "empty":
        earlier(t, r)
    t.equal(r.same, whole.same, "the same search", r)


def test_another_search(t):
    """Another seed, another program: nothing of the first one counts."""
    program = bug("bounded_buffer")
    end(t, signal.SIGKILL, "-j", "1", program)
    for args in (("--seed", "2", program), ("-j", "1", bug("lost_update"))):
        r = given(t, *args)
        t.check("earlier search" not in r.err, "it begins anew", r)
        t.equal(r.report["schedules"], 600, "and does all", r)


def test_beside_another(t):
    """Two at once in one folder: the second one goes without."""
    program = bug("bounded_buffer")
    env = {k: v for k, v in t.env.items() if k != "GATECTL_E2E"}  # it may live while the other one ends
    p = Process([t.gatectl, "explore", "-o", t.path("kept"), "--all", "--runs", "1000000", "-j", "1", program], env=env,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        wait_until(lambda: os.path.exists(kept(t)) and os.path.getsize(kept(t)) > 1000, "the first one has begun")
        r = given(t, program)
    finally:
        p.send_signal(signal.SIGINT)
        p.communicate(timeout=60)
    t.check("the search cannot be continued later: " in r.err and "another search is writing it" in r.err, "it says so", r)
    t.check(os.path.exists(kept(t)), "that of the first one stays")


def merge(t, *folders, options=()):
    reports = [t.path("merged" + e) for e in (".json", ".xml", ".html")]
    r = t.gate("explore", "--merge", *options, *map(t.path, folders), *[x for e in reports for x in ("--report", e)])
    with open(reports[0]) as f:
        r.report = json.load(f)
    t.equal(r.report["status"], r.status, "status in the report", r)
    xml.etree.ElementTree.parse(reports[1])
    return r


def parts(t, *args, folders=("one", "two", "three")):
    return [given(t, "--shard", "%d/3" % (k + 1), *args, folder=f) for k, f in enumerate(folders)]


def numbers(r):
    return [r.report[k] for k in ("schedules", "distinct", "points", "digest", "twice", "strategy", "seed", "command")]


@params(("one", "two", "three"), ("same", "same", "same"))
def test_merge(t, folders):
    """Joined they are the whole search: its schedules in its order, its failures with their folders."""
    args = ("--strategy", "random", "--points", "sync", bug("bounded_buffer"))
    whole = given(t, *args, folder="whole")
    parts(t, *args, folders=folders)
    r = merge(t, *sorted(set(folders)))
    t.equal(numbers(r), numbers(whole), "the whole search", r)
    mine, all_ = r.report["failures"], whole.report["failures"]
    t.equal([(f["kind"], f["schedule"], f["times"]) for f in mine], [(f["kind"], f["schedule"], f["times"]) for f in all_], "what failed", r)
    t.check(r.status == 116 and all(os.path.exists(os.path.join(f["folder"], "schedule")) for f in mine), "with folders", r)
    t.check("missing" not in r.err and "not complete" not in r.err, "nothing lacks", r)


def test_merge_gathers(t):
    """What the parts have found comes into one folder, also from parts that were brought here from elsewhere."""
    parts(t, "--strategy", "random", "-j", "1", bug("readers_count"))
    for f in ("one", "two", "three"):
        os.rename(t.path(f), t.path("from " + f))
    r = merge(t, "from one", "from two", "from three", options=("-o", t.path("all")))
    found = r.report["failures"]
    t.check(len(found) > 1, "more than one failure", r)
    t.equal([f["folder"] for f in found], [t.path("all/%d" % (i + 1)) for i in range(len(found))], "their folders", r)
    t.equal(sorted(os.listdir(t.path("all"))), [str(i + 1) for i in range(len(found))], "and nothing else")
    for f in found:
        t.check(any(same(f["folder"], t.path("from %s/%s" % (p, n))) for p in ("one", "two", "three") for n in os.listdir(t.path("from " + p)) if n.isdigit()), "a copy")
    r = t.gate("replay", os.path.join(found[0]["folder"], "schedule"))
    t.equal(r.status, found[0]["status"], "as it was", r)


def same(one, two):
    names = sorted(os.listdir(one))
    return names == sorted(os.listdir(two)) and not filecmp.cmpfiles(one, two, names, shallow=False)[1]


def test_merge_nothing_found(t):
    fixed = test_explore.abba_fixed()
    parts(t, fixed)
    r = merge(t, "one", "two", "three")
    t.equal((r.status, r.stdout, r.report["schedules"]), (0, "", 600), "nothing found", r)


def test_part_without_schedules(t):
    """Of so few schedules the second part gets none: it says so, and is a part for --merge."""
    args = ("--strategy", "random", "--points", "sync", "--runs", "1")
    for k in (1, 2):
        r = t.gate("explore", *args, "--shard", "%d/2" % k, "-o", t.path("parts"), "--", test_explore.abba_fixed())
        t.equal((r.status, "no schedule was tried: part 2 of 2" in r.err), (0, k == 2), "part %d" % k, r)
    r = merge(t, "parts")
    t.equal((r.status, r.report["schedules"], "missing" in r.err), (0, 1, False), "both", r)


def test_merge_lacks(t):
    args = ("-j", "1", bug("bounded_buffer"))
    all_ = parts(t, *args)
    r = merge(t, "three", "one")
    t.check("part 2 of 3 is missing\n" in r.err, "it says so", r)
    with open(kept(t, "two", ".2-3"), "r+b") as f:
        f.truncate(f.seek(0, 2) // 2)
    r = merge(t, "one", "two", "three")
    t.check("part 2 of 3 is not complete: the same command again continues it in" in r.err, "it says so", r)
    t.equal(given(t, "--shard", "2/3", *args, folder="two").same[:5], all_[1].same[:5], "it goes on")
    t.check("part" not in merge(t, "one", "two", "three").err.replace("of them by", ""), "all is there")


def test_something_else(t):
    """A file of that name which no search has written stays, and the search goes on without."""
    os.mkdir(t.path("kept"))
    path = t.file("kept/search", "notes\n")
    r = t.gate("explore", "--runs", "3", "-o", t.path("kept"), test_explore.abba_fixed())
    t.check("kept/search: it is not the journal of a search; move it away, or name another folder (-o)\n" in r.err, "it says so", r)
    with open(path) as f:
        t.equal(f.read(), "notes\n", "the file")


def test_merge_wrong(t):
    program = test_explore.abba_fixed()
    parts(t, program)
    os.mkdir(t.path("empty"))
    t.file("one/search.4-5", "something else")
    for folders, where in ((("two", "two"), "are both part 2 of 3"), (("none",), "there is no journal of a search"), (("empty",), "there is no journal of a search"),
                           (("two", "one"), "not written by a search of this version")):
        t.error(t.gate("explore", "--merge", *map(t.path, folders)), where=where)
    given(t, "--seed", "9", "--shard", "1/3", program, folder="other")
    t.error(t.gate("explore", "--merge", t.path("two"), t.path("other")), where="is not of the search that")
    t.error(t.gate("explore", "--merge"), where="no folder was given")
    t.error(t.gate("explore", "--merge", "-o", t.file("file", ""), t.path("two")), where="cannot write there: Not a directory")
    t.error(t.gate("explore", "--merge", t.path("two"), "--nonsense"), where="--nonsense is not an option")
