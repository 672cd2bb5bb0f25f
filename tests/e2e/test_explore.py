"""gatectl explore and replay: the command line, what is found and where it goes, and that it comes back.

Quick: each once. Full: every replay 100 times, and under load.
"""

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import time
import xml.etree.ElementTree

import browser
from harness import Process, compile_text, line_of, params, processes_with, timeout, wait_until
from patience import wall

ABBA = """#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	n++;
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}
static void *one(void *x) { both(&a, &b); return x; }
static void *two(void *x) { both(@); return x; }
int main(void)
{
	pthread_t t[2];
	puts("begins");
	fflush(stdout);
	pthread_create(&t[0], 0, one, 0);
	pthread_create(&t[1], 0, two, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	printf("n = %d\\n", n);
	return 0;
}
"""

# The last one to come writes; each thread makes two more, so that who is who depends on the order.
NESTED = """#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int order[4], count;
static void *leaf(void *x)
{
	pthread_mutex_lock(&lock);
	order[count++] = (int)(long)x;
	pthread_mutex_unlock(&lock);
	return 0;
}
static void *middle(void *x)
{
	pthread_t t[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], 0, leaf, (void *)((long)x * 2 + i));
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], 0, middle, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	for (int i = 0; i < 4; i++)
		printf("%d", order[i]);
	puts("");
	fflush(stdout);
	if (order[0] != 3 || order[3] != 0)
		return 0;
	fprintf(stderr, "now\\n");
	if (argc > 1)
		raise(atoi(argv[1]));
	return 7;
}
"""

LIVELOCK = """#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stop;
static int stopped(void)
{
	int is;
	pthread_mutex_lock(&lock);
	is = stop;
	pthread_mutex_unlock(&lock);
	return is;
}
static void *worker(void *x) { while (!stopped()); return x; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, worker, 0);
	pthread_join(t, 0);
	return 0;
}
"""


def abba():
    return compile_text("abba.c", ABBA.replace("@", "&b, &a"))


def abba_fixed():
    return compile_text("abba_fixed.c", ABBA.replace("@", "&a, &b"))


def nested():
    return compile_text("nested.c", NESTED)


def explore(t, *args, **kw):
    """With a folder of its own, and the JSON report of the search in .report."""
    t.count += 1
    found, report = t.path("found%d" % t.count), t.path("search%d.json" % t.count)
    r = t.gate("explore", "-o", found, "--report", report, *args, **kw)
    r.found = found
    with open(report) as f:
        r.report = json.load(f)
    t.equal(r.report["status"], r.status, "status in the report", r)
    return r


def read(*path):
    with open(os.path.join(*path)) as f:
        return f.read()


def failed(t, r, kind, where):
    """One failure, told on standard error, with its folder."""
    t.equal(r.status, 116, "status", r)
    t.check(r.first.startswith("gatectl: found: "), "the first line", r)
    t.check(where in r.first and os.path.join(r.found, "1") in r.first, "what and where it is, in the first line", r)
    t.equal(r.report["verdict"], "found", "verdict in the report", r)
    t.equal(len(r.report["failures"]), 1, "failures in the report", r)
    f = r.report["failures"][0]
    t.equal((f["kind"], f["folder"], f["again"]), (kind, os.path.join(r.found, "1"), True), "the failure", r)
    t.check(where in f["where"] and f["times"] == 1 and f["schedule"] == r.report["schedules"], "the failure: %s" % f, r)
    names = {"schedule", "report.json", "report.html", "stdout", "stderr"}
    t.equal(names - set(os.listdir(f["folder"])), set(), "what its folder lacks", r)
    return f


# ---- what is found ------------------------------------------------------------------------------

def test_deadlock(t):
    r = explore(t, abba())
    f = failed(t, r, "deadlock", "a deadlock")
    t.check("gatectl: deadlock: " in f["text"] and f["text"] in r.err, "what run would say", r)
    t.equal(f["status"], 123, "status of the failure")
    t.equal(read(f["folder"], "stdout"), "begins\n", "what the program wrote")
    own = json.loads(read(f["folder"], "report.json"))
    t.equal((own["verdict"], own["status"]), ("deadlock", 123), "the run's own report")
    t.check("<svg" in read(f["folder"], "report.html") or "<html" in read(f["folder"], "report.html"), "its page")
    t.check(re.search(r"^\d+ schedules?, \d+ distinct, ", r.err, re.M), "the summary", r)
    t.equal((r.stdout, r.first[:15]), ("", "gatectl: found:"), "standard output is empty, what was found is first", r)
    schedule = read(f["folder"], "schedule")
    t.check(schedule.startswith("# gatectl schedule 2\n"), "first line of the schedule")
    t.check(re.search(r"^ *\d+ +two#1 +lock +\S*abba.c:\d+ \(both, pthread_mutex_lock", schedule, re.M), "a step:\n" + schedule)


def test_status_and_signal(t):
    r = explore(t, nested())
    f = failed(t, r, "status", "exit status 7")
    t.equal(read(f["folder"], "stdout")[0], "3", "standard output")
    t.equal(read(f["folder"], "stderr"), "now\n", "standard error")
    t.check("\nthe program's last message: now\n" in r.err, "the program's own message", r)
    t.check("\ntry: gatectl replay " in r.err, "what to do next", r)
    r = explore(t, nested(), "11")
    f = failed(t, r, "signal", "SIGSEGV")
    t.check("gatectl: crashed: " in f["text"], "what run would say", r)
    t.equal(f["status"], 139, "status of the failure")


def test_livelock(t):
    r = explore(t, "--steps", "1000", compile_text("livelock.c", LIVELOCK))
    f = failed(t, r, "livelock", "a livelock")
    t.equal((f["status"], f["steps"]), (124, 1000), "status and steps", r)
    again = t.gate("replay", os.path.join(f["folder"], "schedule"))
    t.equal(again.status, 124, "status of the replay", again)


def test_nothing_found(t):
    r = explore(t, "--runs", "50", abba_fixed())
    t.equal((r.status, r.stdout), (0, ""), "status and standard output", r)
    t.equal((r.report["verdict"], r.report["schedules"], r.report["failures"]), ("ok", 50, []), "report", r)
    t.check("nothing failed; there may be" in r.err, "is that all there is?", r)
    t.check("\naccesses to memory were points only where they raced" in r.err and "--points memory" in r.err, "what else there is", r)
    t.check(not os.path.exists(r.found), "no folder is left", r)
    samples = r.report["samples"]
    t.check(samples and all(len(s) == 3 for s in samples) and samples == sorted(samples), "samples", r)


def test_all_there_is(t):
    r = explore(t, "--strategy", "dfs", "--bound", "1", "--points", "sync", abba_fixed())
    t.equal((r.status, r.report["complete"]), (0, True), "complete", r)
    t.check("these are all schedules of at most 1 preemption" in r.err, "it says so", r)
    t.equal(r.report["distinct"], r.report["schedules"], "each once", r)


@params("races", "memory")
def test_all_of_which_points(t, points):
    """All schedules are all of those points, no more."""
    r = explore(t, "--strategy", "dfs", "--bound", "1", "--points", points, abba_fixed())
    t.equal((r.status, r.report["complete"]), (0, True), "complete", r)
    which = {"races": "accesses as points that raced in the first runs",
             "memory": "all accesses as points that threads may share"}[points]
    t.check(f"these are all schedules of at most 1 preemption, with {which}\n" in r.err, "it says so", r)
    t.equal("--points memory" in r.err, points == "races", "what else there is", r)


def test_all(t):
    r = explore(t, "--all", "--runs", "300", "--seed", "3", abba())
    t.equal((r.status, r.report["schedules"]), (116, 300), "it goes on", r)
    t.equal(len(r.report["failures"]), 1, "one failure", r)
    t.check(r.report["failures"][0]["times"] > 1, "many times", r)


def test_expectation(t):
    script = t.file("wrong.lua", "expect { deadlock = true }\n")
    r = explore(t, "-g", script, "--runs", "100", abba())
    t.equal(r.status, 116, "schedules without a deadlock fail", r)
    t.equal(r.report["failures"][0]["kind"], "expect", "kind", r)


def test_same_seed(t):
    def schedules(seed):
        r = explore(t, "--seed", seed, abba())
        return r.report["schedules"], read(r.found, "1", "schedule")
    one = schedules("5")
    t.equal(schedules("5"), one, "the same seed")
    t.check(any(schedules(s)[1] != one[1] for s in ("6", "7", "8")), "another seed does something else")


# ---- folders and reports ------------------------------------------------------------------------

def test_numbers(t):
    found = t.path("numbers")
    os.mkdir(found)
    t.file("numbers/2", "mine")
    for n in ("1", "3"):
        r = t.gate("explore", "-o", found, abba())
        t.check(os.path.join(found, n, "schedule") in r.first, "folder " + n, r)
    t.equal(sorted(os.listdir(found)), ["1", "2", "3"], "nothing else is there")
    t.equal(read(found, "2"), "mine", "what was there")


def test_default_folder(t):
    r = t.gate("explore", "--", abba(), cwd=t.tmp)
    t.check("gatectl-found/1/schedule" in r.first, "the folder", r)
    t.check(os.path.exists(t.path("gatectl-found/1/schedule")), "it is there", r)


def test_reports(t):
    page, junit = t.path("s.html"), t.path("s.xml")
    r = explore(t, "--report", page, "--report", junit, abba())
    t.check("http" not in re.sub(r"http-equiv", "", read(page)), "a page that needs nothing else", r)
    text = browser.rendered(t, page)
    t.check("<svg" in text and "a deadlock" in text, "a page: " + text, r)
    links = re.findall(r'href="([^"]+)"', text)
    t.check(links and all(os.path.exists(os.path.join(t.tmp, x)) for x in links), "links: %s" % links, r)
    suite = xml.etree.ElementTree.parse(junit).getroot()
    t.equal((suite.get("tests"), suite.get("failures")), ("1", "1"), "JUnit", r)
    t.check(all(re.fullmatch(r"\d+\.\d{3}", e.get("time")) for e in (suite, suite.find(".//testcase"))), "its times", r)
    r = explore(t, "--report", junit, "--runs", "3", abba_fixed())
    t.equal(xml.etree.ElementTree.parse(junit).getroot().get("failures"), "0", "JUnit, nothing found", r)


def test_no_room(t):
    program = abba()
    ro = t.path("file")
    t.file("file", "")
    t.error(t.gate("explore", "-o", ro, program), where="--output: ")
    t.error(t.gate("explore", "-o", t.path("no/such"), program), where="--output: ")
    t.error(t.gate("explore", "--report", t.path("no/such.json"), program), where="--report: ")
    t.error(t.gate("explore", "--report", t.path("x.trace.json"), program), where="--report: ")
    t.equal(os.path.exists(t.path("gatectl-found")), False, "nothing was made")


def test_full_disk(t):
    """Files may have so many bytes: the page of the failure's run has more."""
    import resource
    found = t.path("full")
    r = t.gate("explore", "-o", found, abba(), preexec=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (30000, 30000)))
    t.error(r, where="the result cannot be written there")
    t.equal(sorted(os.listdir(os.path.join(found, "1"))), ["report.json", "schedule"], "the files that there is room for are whole, and stay", r)
    t.check("gatectl: deadlock: " in r.err, "what was found is told all the same", r)


# ---- bad options --------------------------------------------------------------------------------

@params("--strategy=x", "--depth=0", "--depth=x", "--bound=-1", "--points=", "--runs=0", "--runs=x", "--for=x", "--for=-1",
        "--steps=0", "--seed=-1", "--seed=x", "--seed=99999999999999999999", "-j0", "-jx", "--shard=0/2", "--shard=3/2", "--shard=2",
        "--shard=1/x", "--color=x", "--nonsense")
def test_bad_option(t, option):
    r = t.gate("explore", option, abba(), cwd=t.tmp)
    t.error(r)
    t.equal(r.stdout, "", "standard output", r)
    t.check("try: gatectl explore --help" in r.err, "what to do", r)


def test_usage(t):
    t.error(t.gate("explore"), where="no program")
    t.error(t.gate("replay"), where="no schedule")
    t.error(t.gate("explore", "-o"), where="needs a value")
    for command in ("explore", "replay"):
        r = t.gate(command, "--help")
        t.equal((r.status, r.err), (0, ""), "--help", r)
    t.error(t.gate("explore", t.path("none"), cwd=t.tmp), 127)
    t.error(t.gate("explore", t.file("text", "no program"), cwd=t.tmp), 126)
    t.check(not os.path.exists(t.path("gatectl-found")), "no folder is left")


# ---- replay -------------------------------------------------------------------------------------

@params("deadlock", "status", "signal")
@timeout(600)
def test_replay(t, kind):
    program = {"deadlock": [abba()], "status": [nested()], "signal": [nested(), "6"]}[kind]
    r = explore(t, *program)
    schedule = os.path.join(r.found, "1", "schedule")
    expected = {"deadlock": 123, "status": 7, "signal": 134}[kind]
    load = [Process(["sh", "-c", "while :; do :; done"], env=t.env) for _ in range(4 if t.full else 0)]
    try:
        for _ in range(100 if t.full else 5):
            again = t.run([t.gatectl, "replay", schedule])
            t.equal(again.status, expected, "status", again)
            t.equal(again.stdout, read(r.found, "1", "stdout"), "standard output", again)
    finally:
        for p in load:
            p.kill()
            p.wait()
    again = t.gate("replay", "--report", t.path("again.json"), schedule, "--", *program)
    t.equal(again.status, expected, "status, with the program named", again)
    t.equal(json.loads(read(t.path("again.json")))["status"], expected, "report", again)
    t.equal("gatectl: " in again.err, kind != "status", "as run says it", again)
    again = t.gate("replay", "--repeat", "3", "--report", t.path("three.json"), schedule)
    t.equal(again.status, expected, "status of three", again)
    t.equal(len(re.findall("^gatectl: ", again.err, re.M)), 1 + (kind != "status"), "what the runs say is said once", again)
    t.check(again.err.endswith("gatectl: 3 of 3 runs agreed\n"), "how many agreed", again)
    t.equal(json.loads(read(t.path("three.json")))["runs"], 3, "runs", again)
    changed = t.file("other.schedule", re.sub(r"(?m)^( *\d+  \S+  +)create ", r"\1unlock ", read(schedule), count=1))
    again = t.gate("replay", "--repeat", "3", changed)
    t.check(again.status == 117 and again.first.startswith("gatectl: diverged:"), "it diverges", again)
    t.check(again.err.endswith("gatectl: 0 of 1 runs agreed; the last one did not\n"), "the first one that diverges is the last", again)


# Main is the one that waits when all others have ended, and is asked twice: can it move, and where is it?
EARLY = """#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;
static void *work(void *x) { pthread_cond_signal(&finished); return x; }
int main(void)
{
	pthread_t t;
	pthread_mutex_lock(&lock);
	pthread_create(&t, 0, work, 0);
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&finished, &lock);
	pthread_mutex_unlock(&lock);
	return pthread_join(t, 0);
}
"""


def test_replay_says_the_same(t):
    r = explore(t, compile_text("early.c", EARLY))
    where = "in main at early.c:12"
    t.check(where in failed(t, r, "deadlock", "a deadlock at early.c:12")["text"], "what explore says", r)
    for _ in range(100 if t.full else 10):
        again = t.gate("replay", os.path.join(r.found, "1", "schedule"))
        t.equal(again.status, 123, "status", again)
        t.check(again.first.endswith(f"main waits for condition variable finished (with mutex lock), {where}"), "where it waits", again)


def diverged(t, r, reason):
    t.equal(r.status, 117, "status", r)
    t.check(re.match(r"gatectl: diverged: at step \d+ of \d+ ", r.first), "the first line", r)
    t.check(reason in r.err.rstrip().splitlines()[-1], "the likely reason", r)


def test_diverged(t):
    r = explore(t, abba())
    schedule = os.path.join(r.found, "1", "schedule")
    for other in (abba_fixed(), nested()):
        diverged(t, t.gate("replay", schedule, other), "%s is not the file that the schedule was recorded with: its build-id was " % os.path.basename(other))
    diverged(t, t.gate("replay", t.file("longer", read(schedule).replace(" lock ", " unlock ")), abba(), "x"), "arguments differ")
    text = read(schedule)
    steps = [line for line in text.splitlines() if re.match(r" *\d+ ", line)]
    cut = text[:text.index(steps[-1])].replace("steps: %d" % len(steps), "steps: %d" % (len(steps) - 1))
    again = t.gate("replay", t.file("cut", cut))
    diverged(t, again, "something else")
    t.check("the schedule ends before the program" in again.first, "it is longer", again)
    more = text.replace("steps: %d" % len(steps), "steps: %d" % (len(steps) + 1)) + "%d%s\n" % (
        len(steps) + 1, re.sub(r"^ *\d+", "", steps[-1]))
    diverged(t, t.gate("replay", t.file("more", more)), "something else")


def test_diverged_alike(t):
    """It is about to do the same, but elsewhere: the message names the code."""
    r = explore(t, abba())
    text = read(r.found, "1", "schedule")
    lock = next(line for line in text.splitlines() if " lock " in line and "mutex" in line)
    was = re.search(r"\bat=abba\S*\+0x([0-9a-f]+)", lock).group(1)
    again = t.gate("replay", t.file("other", text.replace(lock, re.sub(r"( at=\S+\+)0x[0-9a-f]+", r"\g<1>0x%x" % (int(was, 16) + 1), lock))))
    diverged(t, again, "something else")
    places = re.findall(r" \(abba\S*\+0x([0-9a-f]+)\)", again.first)
    t.equal([int(places[0], 16) - int(place, 16) for place in places], [0, 1], "what was recorded, and what came", again)


def test_rebuilt(t):
    program = os.path.join(t.tmp, "abba")
    shutil.copy(abba(), program)
    r = explore(t, program)
    shutil.copy(abba_fixed(), program)
    diverged(t, t.gate("replay", os.path.join(r.found, "1", "schedule")), "build-id")


def test_replay_from_another_directory(t):
    """The program and the gates of the search are found where the search found them."""
    os.mkdir(t.path("other"))
    shutil.copy(abba(), t.path("abba"))
    t.file("gates.lua", "at 'main':log 'main is here'\n")
    r = t.gate("explore", "-g", "gates.lua", "-o", "found", "./abba", cwd=t.tmp, seconds=120)
    t.equal(r.status, 116, "found", r)
    schedule = os.path.join(t.tmp, "found", "1", "schedule")
    for directory in (t.tmp, t.path("other")):
        again = t.gate("replay", schedule, cwd=directory)
        t.equal(again.status, 123, "from " + directory, again)
        t.check("main is here" in again.err, "its gates, too", again)


@params("explore", "races")
def test_wrong_script(t, command):
    """A location that is not there, and a function that fails at a hit, are no schedules that were barred: the search is over."""
    for text in ('at("nowhere.c:3"):run(function() end)', 'at("main"):run(function(hit) return hit.var.nowhere end)'):
        script = t.file("wrong.lua", text)
        r = t.error(t.gate(command, *(["-o", t.path("found"), "--runs"] if command == "explore" else ["-n"]), "20", "-g", script, "--", abba()),
                    where="wrong.lua:1: ")
        t.check("nowhere" in r.first, "what", r)


def test_no_schedule(t):
    t.error(t.gate("replay", t.path("none")), where="none: No such file")
    r = t.error(t.gate("replay", t.file("text", "what is this\n")), where=r"text:1: this is not a schedule")
    t.check("try: give the file `schedule` of a folder that `gatectl explore` has written\n" in r.err, "what to do", r)
    t.error(t.gate("replay", t.file("empty", "# gatectl schedule 2\nsteps: 0\n")), where="does not name its program")
    t.error(t.gate("replay", t.file("old", "# gatectl schedule 1\nsteps: 0\n")), where="a schedule of format 1, written by an older gatectl")
    for report in ("x.xml", "x.json"):
        t.error(t.gate("replay", "--report", t.path(report), t.path("none")), where="none")
        t.check(not os.path.exists(t.path(report)), "no empty report is left")


# ---- programs that do not end -------------------------------------------------------------------

ENDLESS = {
    "pause": "#include <unistd.h>\nint main(void) { for (;;) pause(); }\n",
    "busy": "int main(void) { for (volatile int i = 0;; i++); }\n",
    "forks": "#include <unistd.h>\n#include <sys/wait.h>\nint main(void) { for (;;) { if (!fork()) _exit(0); wait(0); } }\n",
    "all fork": "#include <unistd.h>\nint main(void) { for (;;) { fork(); usleep(1000); } }\n",
    "threads": "#include <pthread.h>\nstatic void *f(void *x) { return x; }\nint main(void) { for (;;) { pthread_t t; "
               "pthread_create(&t, 0, f, 0); pthread_join(t, 0); } }\n",
    "daemon": "#include <unistd.h>\nint main(void) { if (daemon(1, 1)) return 1; for (;;) pause(); }\n",
}


@params(*ENDLESS)
def test_endless(t, name):
    program = compile_text(name.replace(" ", "_") + ".c", ENDLESS[name])
    r = explore(t, "--for", wall(2), "--steps", "200", program)
    t.check(r.spent < 15, "it ends in time", r)
    t.check(r.status in (0, 116, 124), "status", r)
    t.check(r.report["schedules"] > 0, "schedules", r)


@params("auto", "random")
def test_endless_to_the_points(t, strategy):
    """Where runs do not end, the search for races does, before it has been still for long."""
    program = compile_text("adds.c", "int n; int main(void) { for (;;) __atomic_add_fetch(&n, 1, 5); }\n")
    r = explore(t, "--for", wall(1), "--steps", "100000000", "--strategy", strategy, program)
    t.check(r.spent < 15, "it ends in time", r)
    t.equal((r.status, r.report["schedules"] > 0), (124, True), "status, schedules", r)


@params("SIGINT", "SIGTERM", "SIGHUP", "SIGKILL")
def test_ended(t, name):
    number = getattr(signal, name)
    found = t.path("found")
    p = Process([t.gatectl, "explore", "-o", found, "--runs", "1000000", abba_fixed()], env=t.env,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_until(lambda: len(processes_with(t.marker)) > 1, "the program runs")
    time.sleep(0.3)
    p.send_signal(number)
    out, err = p.communicate(timeout=20)
    t.equal(p.returncode, -9 if number == signal.SIGKILL else 128 + number, "status: %s %s" % (out, err))
    wait_until(lambda: not processes_with(t.marker), "everybody is gone")
    if number != signal.SIGKILL:
        t.equal(out, b"", "standard output")
        t.check(not err or re.match(rb"\d+ schedules?, ", err), "what there was until then, if anything: %s" % err)
        t.check(not os.path.exists(found) or os.listdir(found) == ["search"], "nothing but what it goes on with")


# ---- the terminal -------------------------------------------------------------------------------

def test_progress(t):
    master, slave = pty.openpty()
    p = Process([t.gatectl, "explore", "--runs", "300", abba_fixed()], env=dict(t.env, TERM="xterm"), cwd=t.tmp,
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    seen = b""
    while select.select([master], [], [], 20)[0]:
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        seen += data
    t.equal(p.wait(), 0, "status: %s" % seen)
    t.check(re.search(rb"\d+ of 300 schedules.*\d+/s, \d+ distinct, 0 failures", seen), "the line: %s" % seen[-500:])
    t.check(re.search(rb"\r\x1b\[K300 schedules, [^\r]*\r\n[^\x1b]*$", seen), "it is gone before the summary: %s" % seen[-500:])


LATE_CHECK = r"""
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *head, zero;
static void pass(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}
static void *take(void *arg)
{
	if (head) {
		pass();
		*(volatile int *)head = 1; /* crash */
	}
	return arg;
}
static void *drop(void *arg)
{
	pass();
	head = NULL;
	return arg;
}
int main(void)
{
	pthread_t a, b;
	head = &zero;
	pthread_create(&a, NULL, take, NULL);
	pthread_create(&b, NULL, drop, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
"""


def on_terminal(t, *command):
    """What comes on a terminal, and the status."""
    master, slave = pty.openpty()
    p = Process([t.gatectl, *command], env=dict(t.env, TERM="xterm", NO_COLOR="1"), cwd=t.tmp, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    seen = b""
    while select.select([master], [], [], 60)[0]:
        try:
            seen += os.read(master, 65536)
        except OSError:
            break
    os.close(master)
    return seen.decode(), p.wait()


@params("auto", "-j2", "--all", "--verify 0")
def test_found_on_a_terminal(t, how):
    """One line with the failure and its place, before its script is made; then what is tried, in one line of progress."""
    program = compile_text("late_check.c", LATE_CHECK, "-g -O0")
    options = {"auto": ["--verify", "5"], "-j2": ["-j2", "--verify", "5", "--points", "late_check.c", "--strategy", "random"],
               "--all": ["--all", "--runs", "60", "--verify", "5"], "--verify 0": ["--verify", "0"]}[how]
    text, status = on_terminal(t, "explore", *options, program)
    t.equal(status, 116, "status: %s" % text)
    line = line_of(LATE_CHECK, "/* crash */")
    then = {"--all": ", its script is made after the search", "--verify 0": ""}.get(how, ", making its script")
    found = re.findall(r"\r\x1b\[Kfound: SIGSEGV at late_check\.c:%d \(schedule \d+\)%s\r\n" % (line, then), text)
    t.equal((len(found), text.count("\r\x1b[Kfound: ")), (1, 1), "the line, once: %r" % text)
    tried = text.split(found[0], 1)[1].split("gatectl: found: ")[0]
    t.equal("\n" in tried, False, "one line of progress: %r" % tried)
    if how == "--verify 0":
        return
    t.check(re.search(r" runs?, .*trying \d+ gates?", tried), "what is tried: %r" % tried)
    t.check(re.search(r" 5 runs, verifying \d+ gates?", tried), "the script is verified: %r" % tried)


def test_found_in_a_file(t):
    """Without a terminal there is neither."""
    r = t.gate("explore", "--verify", "5", compile_text("late_check.c", LATE_CHECK, "-g -O0"), cwd=t.tmp)
    t.check(r.status == 116 and r.err.startswith("gatectl: found: ") and "making" not in r.err and "\r" not in r.err, "as it was", r)


def test_quiet(t):
    r = t.gate("explore", "-q", "--runs", "5", abba_fixed(), cwd=t.tmp)
    t.equal((r.status, r.stdout, r.err), (0, "", ""), "nothing is said", r)
    r = t.gate("explore", "-q", abba(), cwd=t.tmp)
    t.equal((r.status, r.stdout), (116, ""), "only the verdict", r)
    t.check(r.first.startswith("gatectl: found: "), "the verdict", r)


KEEPS_STATE = """
#include <fcntl.h>
#include <pthread.h>
static int n;
static void *work(void *a)
{
	__atomic_add_fetch(&n, 1, __ATOMIC_SEQ_CST);
	return a;
}
int main(int argc, char **argv)
{
	pthread_t t;
	pthread_create(&t, 0, work, 0);
	work(0);
	pthread_join(t, 0);
	return open(argv[1], O_CREAT | O_EXCL | O_WRONLY, 0600) < 0;
}
"""


@params(("-j", "1"), ("-j", "2"), ("--points", "sync"), ("--strategy", "dfs"))
def test_state_between_runs(t, options):
    """What the first schedule leaves on the disk makes the others fail: no order of threads does, and no script forces it."""
    r = t.gate("explore", *options, "--verify", "5", "-o", t.path("found"), "--", compile_text("keeps_state.c", KEEPS_STATE, flags="-g -pthread"),
               t.path("left"))
    t.equal(r.status, 116, "status", r)
    t.check(" passed the first time and fails now: the program keeps state between runs (files, sockets, shared memory)\n" in r.err, "why", r)
    t.check("its script" not in r.err and not os.path.exists(t.path("found/1/gates.lua")), "no script", r)
