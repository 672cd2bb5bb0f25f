"""Reports: the record (JSON), Chrome's trace format and JUnit: their form, and that they are the
facts. What the HTML report does in a browser is in test_timeline.py."""

import collections
import json
import os
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

from harness import HERE, Failure, Skip, compile_text, line_of, params
from test_asked_again import has_debug_registers
from test_unavailable import refused

PROGRAM = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile int n;
static void *waiter(void *arg)
{
	n++; /* gate: waits */
	return arg;
}
static void *opener(void *arg)
{
	usleep(200000);
	n++; /* gate: opens */
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	pthread_create(&a, NULL, waiter, NULL);
	pthread_create(&b, NULL, opener, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	if (argc > 10)
		n++; /* gate: never */
	return argc > 1 ? atoi(argv[1]) : 0;
}
"""
SCRIPT = '''
local g = SimpleGate "the gate"
local b = BarrierGate("unused", 2)
at "//waits":wait(g)
at "//opens":open(g)
at("//never", {optional = true}):wait(b)
'''


def typed(t, r, value, fields, where):
    for name, kinds in fields.items():
        t.check(name in value, "%s has no %s" % (where, name), r)
        got = value[name]
        t.check(isinstance(got, kinds) and not (isinstance(got, bool) and bool not in
                (kinds if isinstance(kinds, tuple) else (kinds,))),
                "%s.%s is %r" % (where, name, got), r)


def shape(t, r):
    j = r.report
    none = type(None)
    t.check(isinstance(j, dict), "an object", r)
    typed(t, r, j, {"verdict": str, "status": int, "program": str, "command": list, "runs": int,
                    "gates": list, "places": list, "threads": list, "events": list,
                    "message": str, "cycle": list, "duration_us": int}, "report")
    for g in j["gates"]:
        typed(t, r, g, {"name": str, "kind": str, "open": bool, "held_max_ms": (int, float)}, "gate")
    for p in j["places"]:
        typed(t, r, p, {"location": str, "sites": int, "arrivals": int, "required": bool}, "place")
    for e in j["events"]:
        typed(t, r, e, {"seq": int, "t_us": int, "what": str}, "event")
        for name in ("thread", "place", "gate", "file", "func"):
            t.check(name in e and isinstance(e[name], (str, none)), "event.%s" % name, r)
        t.check(isinstance(e["line"], (int, none)) and (e["line"] is None or e["file"]), "event.line", r)
        if "caused_by" in e:
            t.check(0 < e["caused_by"] < e["seq"], "a cause comes before", r)
    for e, f in zip(j["events"], j["events"][1:]):
        t.check(f["seq"] > e["seq"] and f["t_us"] >= e["t_us"], "events in order", r)
    for th in j["threads"]:
        typed(t, r, th, {"id": str, "state": str, "why": str}, "thread")
        if th["waiting"] is not None:
            typed(t, r, th["waiting"], {"kind": str, "on": list, "text": str, "held": bool, "in_cycle": bool}, "waiting")
            for name in ("object", "place", "file", "func"):
                t.check(isinstance(th["waiting"][name], (str, none)), "waiting.%s" % name, r)
    t.equal(len({th["id"] for th in j["threads"]}), len(j["threads"]), "ids are unique", r)
    return j


def test_clean_run(t):
    program = compile_text("report.c", PROGRAM)
    r = t.clean(t.run_gated(program, script=SCRIPT, args=("5", "two words")), 5)
    j = shape(t, r)
    t.equal((j["verdict"], j["status"], j["runs"]), ("ok", 5, 1), "head", r)
    t.equal(j["program"], program, "program", r)
    t.equal(j["command"][-3:], [program, "5", "two words"], "command", r)
    t.equal([g["name"] for g in j["gates"]], ["the gate", "unused"], "gates", r)
    t.equal([g["open"] for g in j["gates"]], [True, False], "open", r)
    t.equal([g["kind"] for g in j["gates"]], ["SimpleGate", "BarrierGate"], "kinds", r)
    t.check(50 <= j["gates"][0]["held_max_ms"] < 5000, "held_max_ms of the first", r)
    t.equal(j["gates"][1]["held_max_ms"], 0, "held_max_ms of the unused one", r)
    t.equal([(p["location"], p["arrivals"], p["required"]) for p in j["places"]],
            [("//waits", 1, True), ("//opens", 1, True), ("//never", 0, False)], "places", r)
    t.check(all(p["sites"] >= 1 for p in j["places"]), "sites", r)
    ids = {th["id"] for th in j["threads"]}
    t.equal(ids, {"main", "waiter#1", "opener#1"}, "threads", r)


@params(("return 0", 121), ("raise(SIGTERM)", 143), ("abort()", 134))
def test_held_until_the_end(t, case):
    """Who is held when the program ends was held until then."""
    how, status = case
    program = compile_text("ends.c", """
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static int n;
static void *worker(void *arg) { n++; return arg; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, worker, NULL);
	usleep(100000); /* gate: rest */
	%s;
}
""" % how)
    r = t.run_gated(program, script='local there = SimpleGate "there"\nat "worker":open(there):wait(SimpleGate "shut")\nat "//rest":wait(there)\n')
    t.equal(r.status, status, "status", r)
    held = {g["name"]: g["held_max_ms"] for g in r.report["gates"]}
    # main is let go just before the hold is noted
    t.check(held["shut"] >= 90, "it was held before main rested, until the end: %s ms" % held, r)


def test_events_tell_the_story(t):
    r = t.clean(t.run_gated(compile_text("report.c", PROGRAM), script=SCRIPT))
    j = shape(t, r)
    at_gate = [(e["thread"], e["place"]) for e in j["events"] if e["place"]]
    t.check(("waiter#1", "//waits") in at_gate and ("opener#1", "//opens") in at_gate,
            "arrivals are events", r)
    of_gate = [e for e in j["events"] if e["gate"] == "the gate"]
    t.check(len(of_gate) >= 2, "held at and opened", r)
    seq = {(e["thread"], e["place"]): e["seq"] for e in j["events"] if e["place"]}
    opened = [e["seq"] for e in of_gate if e["thread"] == "opener#1"]
    held = [e["seq"] for e in of_gate if e["thread"] == "waiter#1"]
    t.check(opened and held and min(held) < min(opened), "held before it was opened", r)


@params(("never-reached", 'at "//never":run(function() end)\n', 120),
        ("never-opened", 'limits { gate = 0.3 }\nlocal g = SimpleGate "g"\nat "//opens":wait(g)\n'
                         'at "//waits":run(function() wait_until(function() return false end) end)\n', None),
        ("gate-deadlock", 'local g = SimpleGate "g"\nat "//waits":wait(g)\n', 122),
        ("not-as-expected", "expect { exit = 9 }\n", 119),
        ("time-limit", "limits { run = 0.1 }\n", 124),
        ("error", 'at "//waits":run(function() error "x" end)\n', 125))
def test_on_every_verdict(t, case):
    word, script, status = case
    r = t.run_gated(compile_text("report.c", PROGRAM), script=script)
    j = shape(t, r)
    if status:
        t.equal((r.status, j["verdict"], j["status"]), (status, word, status), "verdict", r)
    else:
        t.equal(j["status"], r.status, "status", r)


def test_expected_run_has_status_zero(t):
    r = t.clean(t.run_gated(compile_text("report.c", PROGRAM), script="expect { exit = 7 }\n", args=("7",)))
    t.equal((r.report["verdict"], r.report["status"]), ("ok", 0), "report", r)


def test_two_reports(t):
    one, two = t.path("one.json"), t.path("two.json")
    t.clean(t.gate("run", "--report", one, "--report=" + two, "--", compile_text("report.c", PROGRAM)))
    with open(one) as f, open(two) as g:
        t.equal(f.read(), g.read(), "the same twice")


def test_strange_names(t):
    """Quotes, newlines, control and non-ASCII characters survive the way into JSON."""
    name = 'gr\\u00fcn "quoted" \\\\ tab\\t new\\n'
    lua = 'gr\\u{fc}n "quoted" \\\\ tab\\t new\\n'
    r = t.clean(t.run_gated(compile_text("report.c", PROGRAM), args=("0", 'a"b\\c\n\x01'), script='''
local g = SimpleGate '%s'
at "//waits":open(g)
''' % lua.replace("'", "\\'")))
    t.equal(r.report["gates"][0]["name"], 'gr\u00fcn "quoted" \\ tab\t new\n', "name", r)
    t.equal(r.report["command"][-1], 'a"b\\c\n\x01', "argument", r)


def test_report_is_not_left_half_written(t):
    """An old report at that path is replaced as a whole."""
    path = t.path("r.json")
    with open(path, "w") as f:
        f.write("x" * 1000000)
    t.clean(t.gate("run", "--report", path, "--", compile_text("report.c", PROGRAM)))
    with open(path) as f:
        t.equal(json.load(f)["verdict"], "ok", "verdict")


def test_error_before_the_start(t):
    """A script that cannot be loaded: the report says so; an empty file is no report."""
    for script in ("at(", 'at "//no_such_mark":run(function() end)\n'):
        path = t.path("r.json")
        r = t.gate("run", "--report", path, "-g", t.file("s.lua", script), "--", compile_text("report.c", PROGRAM))
        t.error(r)
        if os.path.exists(path):
            with open(path) as f:
                try:
                    j = json.load(f)
                except ValueError:
                    raise Failure("the report that was left is not JSON\n%s" % r)
            t.equal((j["verdict"], j["status"]), ("error", 125), "report", r)


# ---- what events and threads say --------------------------------------------------------------

def test_events_have_their_line(t):
    r = t.clean(t.run_gated(compile_text("report.c", PROGRAM), script=SCRIPT))
    for e in r.report["events"]:
        if e["place"]:
            line = line_of(PROGRAM, "gate: " + e["place"][2:])
            func = "waiter" if e["place"] == "//waits" else "opener"
            t.equal((os.path.basename(e["file"]), e["line"], e["func"]), ("report.c", line, func), "place of %s" % e, r)
        else:
            t.equal((e["file"], e["line"], e["func"]), (None, None, None), "no place in %s" % e, r)
    t.check(any(e["what"] == "open" and e["place"] == "//opens" for e in r.report["events"]), "the open has its place", r)


def cause(r, e):
    return {x["seq"]: x for x in r.report["events"]}.get(e.get("caused_by"))


# the opener goes on when the waiter has come, however late that is
FIRST = '''
local here = false
at("//waits"):run(function() here = true end)
at("//opens"):when(function() return here end)
'''


def releases(r, thread):
    return [e for e in r.report["events"] if e["what"] == "release" and e["thread"] == thread]


def test_a_release_names_its_open(t):
    r = t.clean(t.run_gated(compile_text("report.c", PROGRAM), script=FIRST + SCRIPT))
    released = releases(r, "waiter#1")
    t.equal(len(released), 1, "releases", r)
    c = cause(r, released[0])
    t.equal((c["what"], c["thread"], c["gate"]), ("open", "opener#1", "the gate"), "its cause", r)


def test_a_barrier_names_the_last_thread(t):
    r = t.clean(t.run_gated(compile_text("report.c", PROGRAM), script='''
local b = BarrierGate("both", 2)
at "//waits":wait(b)
at "//opens":wait(b)
'''))
    released = releases(r, "waiter#1") + releases(r, "opener#1")
    last = [e for e in r.report["events"] if e["what"] == "hold"][-1]
    t.equal([cause(r, e) for e in released], [last, last], "the last arriver", r)


def test_a_condition_names_the_thread_that_came(t):
    """A :when that another thread's arrival makes true; one that only memory makes true has no cause."""
    r = t.clean(t.run_gated(compile_text("report.c", PROGRAM), script='''
local come = 0
at "//opens":run(function() come = come + 1 end)
at "//waits":run(function() come = come + 1 end)
at("//opens"):when(function() return come == 2 end)
at("//waits"):when(function() return come == 2 end)
'''))
    released = releases(r, "waiter#1") + releases(r, "opener#1")
    t.equal(len(released), 1, "releases: of who came first", r)
    c = cause(r, released[0])
    t.equal(c["what"], "arrival", "its cause", r)
    t.check(c["thread"] not in (None, released[0]["thread"]), "the other one's", r)
    r = t.clean(t.run_gated(compile_text("report.c", PROGRAM), script=FIRST + '''
at "//waits":when(function(hit) return hit.var.n == 1 end)
'''))
    causes = [cause(r, e) for e in releases(r, "waiter#1")]
    if has_debug_registers(t):
        t.equal(causes, [None], "a store is no event", r)
    else:  # it is seen when its thread ends, or before
        t.check(len(causes) == 1 and (causes[0] is None or causes[0]["what"] == "thread-exit"), "a store is no event: %s" % causes, r)


def test_threads_have_the_reason_of_a_wait(t):
    r = t.run_gated(compile_text("report.c", PROGRAM), script='local g = SimpleGate "g"\nat "//waits":wait(g)\n')
    t.verdict(r, 122)
    j = shape(t, r)
    w = {th["id"]: th["waiting"] for th in j["threads"]}
    t.equal((w["waiter#1"]["kind"], w["waiter#1"]["object"], w["waiter#1"]["held"]), ("gate", "g", True), "held", r)
    t.equal((w["waiter#1"]["place"], w["waiter#1"]["line"]), ("//waits", line_of(PROGRAM, "gate: waits")), "where", r)
    t.equal((w["main"]["kind"], w["main"]["on"]), ("join", ["waiter#1"]), "main", r)
    t.equal(w["opener#1"], None, "has exited", r)
    t.check("waiter#1" in j["cycle"], "cycle", r)
    t.equal(j["message"].splitlines()[0], r.first, "the verdict's text", r)


# ---- all forms at once ------------------------------------------------------------------------

FORMS = ("json", "trace.json", "html", "xml")


def all_forms(t, *args, **kw):
    paths = {form: t.path("run." + form) for form in FORMS}
    options = [x for form in FORMS for x in ("--report", paths[form])]
    r = t.gate("run", *options, *args, **kw)
    found = {}
    for form in FORMS:
        with open(paths[form], "rb") as f:
            found[form] = f.read()
    return r, found


def test_all_forms_at_once(t):
    r, found = all_forms(t, "-g", t.file("s.lua", SCRIPT), "--", compile_text("report.c", PROGRAM))
    t.clean(r)
    record = json.loads(found["json"])
    t.equal(record["verdict"], "ok", "json", r)
    trace_rules(t, r, json.loads(found["trace.json"]), record)
    t.check(found["html"].startswith(b"<!DOCTYPE html>") and b"//opens" in found["html"], "html", r)
    junit(t, r, found["xml"])


@params("run.txt", "run", "json", "run.json.gz", "run.HTML", "runtrace.jsonl")
def test_other_endings(t, name):
    r = t.gate("run", "--report", t.path(name), "--", "true")
    t.error(r)
    t.check(all(ending in r.first for ending in (".json", ".trace.json", ".html", ".xml")), "the four are listed", r)
    t.check(not os.path.exists(t.path(name)), "nothing was written", r)


@params(*FORMS)
def test_unwritable(t, form):
    """Refused before the program starts."""
    made = t.path("made")
    r = t.gate("run", "--report", t.path("no/such/dir/run." + form), "--", "touch", made)
    t.error(r)
    t.check("run." + form in r.first and not os.path.exists(made), "refused before the start", r)


def test_error_before_the_start_in_all_forms(t):
    r, found = all_forms(t, "-g", t.file("s.lua", "at("), "--", compile_text("report.c", PROGRAM))
    t.error(r)
    trace_rules(t, r, json.loads(found["trace.json"]), json.loads(found["json"]))
    suite = junit(t, r, found["xml"])
    t.equal([len(suite.findall("testcase/" + x)) for x in ("error", "failure")], [1, 0], "an error", r)
    t.check("s.lua:1:" in suite.find("testcase/error").get("message"), "with its text", r)
    t.check(b"s.lua" in found["html"], "html", r)


# ---- Chrome's trace format --------------------------------------------------------------------

def trace_rules(t, r, trace, record):
    """What chrome://tracing and Perfetto need: see the comment at each rule."""
    events = trace["traceEvents"]
    names, stacks, last = collections.defaultdict(dict), collections.defaultdict(list), 0
    flows = {}
    for e in events:
        typed(t, r, e, {"ph": str, "pid": int, "tid": int, "ts": (int, float)}, "trace event")
        track = (e["pid"], e["tid"])
        if e["ph"] == "M":  # names of processes and threads
            names[e["name"]][track] = list(e["args"].values())[0]
            continue
        t.check(e["ts"] >= last, "times rise: %s" % e, r)
        last = e["ts"]
        if e["ph"] == "B":
            t.check(e["name"], "a slice has a name", r)
            stacks[track].append(e["name"])
        elif e["ph"] == "E":  # slices nest: what ends is what began last
            t.check(stacks[track], "an end without a begin: %s" % e, r)
            stacks[track].pop()
        elif e["ph"] == "i":
            t.equal(e["s"], "t", "an instant of its thread", r)
            t.check(stacks[track], "within the thread's life: %s" % e, r)
        else:  # flows start and finish inside a slice, in this order, with the same name and cat
            t.check(e["ph"] in "sf" and stacks[track], "a flow inside a slice: %s" % e, r)
            key = (e["id"], e["name"], e["cat"])
            if e["ph"] == "s":
                t.check(key not in flows, "one start: %s" % e, r)
                flows[key] = False
            else:
                t.equal((flows.get(key), e["bp"]), (False, "e"), "its start: %s" % e, r)
                flows[key] = True
    t.check(all(flows.values()), "every flow finishes: %s" % flows, r)
    t.check(not any(stacks.values()), "every slice ends: %s" % stacks, r)
    tids = [e["tid"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"]
    t.equal(len(set(tids)), len(record["threads"]), "a track for each thread", r)
    t.equal(len(tids), len(set(tids)), "each of its own", r)
    shown = sorted(name.split(" ")[0] for name in names["thread_name"].values())
    t.equal(shown, sorted(th["id"] for th in record["threads"]), "names", r)
    t.equal(len(names["process_name"]), len({th["pid"] for th in record["threads"]}), "processes", r)
    arrows = sum(1 for e in record["events"] if e["what"] == "release" and "caused_by" in e)
    t.equal(len(flows), arrows, "an arrow for each release that has a cause", r)
    holds = sum(1 for e in record["events"] if e["what"] == "hold")
    t.equal(sum(e["ph"] == "B" and e["name"].startswith("held") for e in events), holds, "a slice for each hold", r)


MANY = r"""
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int n;
static void on_signal(int s) { n++; }
static void *worker(void *arg)
{
	for (int i = 0; i < 30; i++)
		n++; /* gate: step */
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t[6];
	pid_t child;
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 6; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	raise(SIGUSR1);
	child = fork();
	if (child == 0) {
		if (argc > 1)
			execl("/bin/true", "true", NULL);
		_exit(0);
	}
	for (int i = 0; i < 6; i++)
		pthread_join(t[i], NULL);
	waitpid(child, NULL, 0);
	return 0;
}
"""
# rounds of three, chained: many releases in the same microsecond
CHAINS = '''
for i = 1, 9 do
	local b = BarrierGate("round " .. i, 3)
	local s = BarrierGate("serial " .. i, 3, { serial = true })
	at("//step", { hit = { i * 6 - 5, i * 6 - 3 } }):wait(b):wait(s)
end
'''


@params((), ("exec",))
def test_trace_of_many_threads(t, args):
    r, found = all_forms(t, "-g", t.file("s.lua", CHAINS), "--", compile_text("many.c", MANY), *args)
    t.equal(r.status, 0, "status", r)
    record = json.loads(found["json"])
    whats = {e["what"] for e in record["events"]}
    t.check({"fork", "signal", "hold", "release"} <= whats and ("exec" in whats) == bool(args), "what there is: %s" % whats, r)
    trace_rules(t, r, json.loads(found["trace.json"]), record)


@params(120, 121, 122, 124)
def test_trace_of_a_run_cut_off(t, status):
    """Slices that are open when the run ends are closed there."""
    script = {120: 'at "//never":run(function() end)\n',
              121: 'limits { gate = 0.2 }\nlocal g = SimpleGate "g"\nat "//opens":wait(g)\n'
                   'on("thread-start", { thread = "opener#1" }):run(function() wait_until(function() return false end) end)\n',
              122: 'local g = SimpleGate "g"\nat "//waits":wait(g)\n',
              124: "limits { run = 0.1 }\n"}[status]
    r, found = all_forms(t, "-g", t.file("s.lua", script), "--", compile_text("report.c", PROGRAM))
    record = json.loads(found["json"])
    t.equal(record["status"], r.status, "status", r)
    trace_rules(t, r, json.loads(found["trace.json"]), record)
    case = junit(t, r, found["xml"]).find("testcase")
    t.equal(case.find("failure").get("type"), record["verdict"], "a failure of that type", r)


# ---- JUnit ------------------------------------------------------------------------------------

def junit(t, r, text):
    """Valid by tests/e2e/junit.rng, and its numbers are right. The one suite of it."""
    if not shutil.which("xmllint"):
        raise Skip("there is no xmllint here (apt-get install libxml2-utils)")
    path = t.path("check.xml")
    with open(path, "wb") as f:
        f.write(text)
    p = subprocess.run(["xmllint", "--noout", "--relaxng", os.path.join(HERE, "junit.rng"), path],
                       capture_output=True, text=True)
    t.equal(p.returncode, 0, "valid: %s\n%s" % (p.stderr[:1500], text.decode(errors="replace")[:3000]), r)
    root = ElementTree.fromstring(text)
    suites = root.findall("testsuite")
    t.equal(len(suites), 1, "suites", r)
    cases = suites[0].findall("testcase")
    for x in (root, suites[0]):
        t.equal(int(x.get("tests")), len(cases), "tests", r)
        for tag, key in (("failure", "failures"), ("error", "errors")):
            t.equal(int(x.get(key)), len(suites[0].findall("testcase/" + tag)), key, r)
        seconds = sum(float(c.get("time")) for c in cases)
        t.check(abs(float(x.get("time")) - seconds) <= 0.0006 * (len(cases) + 1), "time %s, %s" % (x.get("time"), seconds), r)
    return suites[0]


def xml_report(t, *args, **kw):
    path = t.path("run.xml")
    r = t.gate("run", "--report", path, *args, **kw)
    with open(path, "rb") as f:
        return r, junit(t, r, f.read())


def test_junit_of_repeats(t):
    program = compile_text("report.c", PROGRAM)
    r, suite = xml_report(t, "--repeat", "3", "-g", t.file("s.lua", SCRIPT), "--", program)
    t.equal(r.status, 0, "status", r)
    names = [c.get("name") for c in suite.findall("testcase")]
    t.equal(names, ["s.lua (run %d of 3)" % i for i in (1, 2, 3)], "a testcase for each run", r)
    t.equal({c.get("classname") for c in suite.findall("testcase")}, {"report"}, "class", r)
    t.check(all(0.15 < float(c.get("time")) < 20 for c in suite.findall("testcase")), "time", r)


@params((119, "expect { exit = 9 }\n", "not-as-expected"), (120, 'at "//never":run(function() end)\n', "never-reached"),
        (122, 'local g = SimpleGate "g"\nat "//waits":wait(g)\n', "gate-deadlock"),
        (124, "limits { run = 0.1 }\n", "time-limit"))
def test_junit_of_a_verdict(t, case):
    status, script, word = case
    r, suite = xml_report(t, "-g", t.file("s.lua", script), "--", compile_text("report.c", PROGRAM))
    t.verdict(r, status)
    failure = suite.find("testcase/failure")
    t.equal(failure.get("type"), word, "type", r)
    t.equal("gatectl: %s: %s" % (word, failure.get("message")), r.first, "message", r)
    t.check(failure.text.startswith(r.first + "\n") and "\ntry: " in failure.text, "the whole text", r)
    t.equal(suite.find("testcase/system-err").text, failure.text, "system-err", r)


def test_junit_of_a_status(t):
    """The program's own status fails a test as it does at a shell."""
    r, suite = xml_report(t, "--", compile_text("report.c", PROGRAM), "3")
    t.equal(r.status, 3, "status", r)
    t.equal(suite.find("testcase/failure").get("message"), "the program ended with status 3", "message", r)


def test_junit_of_what_cannot_start(t):
    r, suite = xml_report(t, "--", t.file("not-executable", "x"))
    t.equal(r.status, 126, "status", r)
    t.equal(suite.find("testcase/error").get("type"), "error", "type", r)


@params((), ("--skip-if-unavailable",))
def test_junit_where_tracing_is_refused(t, options):
    """An error; skipped where that was allowed for."""
    path = t.path("run.xml")
    r = refused(t, "EPERM", "run", *options, "--report", path, "--", compile_text("report.c", PROGRAM))
    t.equal(r.status, 77 if options else 118, "status", r)
    with open(path, "rb") as f:
        suite = junit(t, r, f.read())
    found = suite.find("testcase/skipped" if options else "testcase/error")
    t.check(found is not None and found.get("type") == "cannot-trace", "what it is", r)
    t.equal(suite.get("skipped"), "1" if options else "0", "skipped", r)


def test_junit_has_the_output(t):
    """What an expect has asked for is kept; XML that a program writes stays text."""
    program = compile_text("says.c", '#include <stdio.h>\nint main(void)\n{\n'
                           '\tputs("<failure/> ]]> \\033[1m & \\xff\\xc3\\xbc\\r");\n\treturn 0;\n}\n')
    r, suite = xml_report(t, "-g", t.file("s.lua", 'expect { stdout = "failure" }\n'), "--", program)
    t.equal(r.status, 0, "status", r)
    t.equal(suite.find("testcase/system-out").text, "<failure/> ]]> \\x1b[1m & \\xff\u00fc\r\n", "system-out", r)


STRANGE = ("]]>", "a\"b'c<d>&amp;", "tab\there\nand\rthere", "\x01\x1b[31m\x7f", b"bad \xff\xfe utf-8 \xc3",
           "\u2028 \ufffe \uffff \U0001f600", "</script><!-- -->", "-->", "%s%n%5$s")


def test_strange_words_in_all_forms(t):
    """Arguments, gates and texts with anything in them: every form stays valid and holds them."""
    script = "".join('local g%d = SimpleGate(%s)\nat("//opens"):log(%s):open(g%d)\n' % (i, lua(w), lua(w), i)
                     for i, w in enumerate(STRANGE) if b"\n" not in raw(w))
    words = [w if isinstance(w, bytes) else w.encode() for w in STRANGE]
    program = compile_text("report.c", PROGRAM)
    paths = {form: t.path("run." + form) for form in FORMS}
    options = [x for form in FORMS for x in ("--report", paths[form])]
    command = [t.gatectl, "run", "-q", *options, "-g", t.file("s.lua", script), "--", program, "0", *words]
    p = subprocess.run(command, capture_output=True, env=t.env, timeout=30)
    t.equal((p.returncode, p.stderr), (0, b""), "run")
    with open(paths["json"], encoding="utf-8") as f:
        record = json.load(f)
    t.equal(record["command"][-1], STRANGE[-1], "arguments in the record")
    t.equal(record["command"][-5], "bad \xff\xfe utf-8 \xc3", "stray bytes are Latin-1")
    t.check(any(g["name"] == "</script><!-- -->" for g in record["gates"]), "gates in the record")
    with open(paths["trace.json"], encoding="utf-8") as f:
        trace_rules(t, None, json.load(f), record)
    with open(paths["xml"], "rb") as f:
        suite = junit(t, None, f.read())
    command = suite.find("properties/property[@name='command']").get("value")
    t.check("]]> a\"b'c<d>&amp; tab\there\nand\rthere \\x01\\x1b[31m\\x7f bad \\xff\\xfe utf-8 \\xc3" in command,
            "arguments in JUnit: %r" % command)
    with open(paths["html"], encoding="utf-8") as f:
        text = f.read()
    data = text[text.index('id="data">') + len('id="data">'):]
    data = data[:data.index("</script>")]
    t.check("<" not in data and "\u2028" not in data, "nothing in the page's data ends its element")
    t.equal(json.loads(data)["command"], record["command"], "arguments in the page")


def raw(w):
    return w if isinstance(w, bytes) else w.encode()


def lua(w):
    return '"' + "".join("\\x%02x" % c if c < 32 or c > 126 or c in b'"\\{}' else chr(c) for c in raw(w)) + '"'
