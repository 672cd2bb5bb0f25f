"""The JSON report: fields, types, and that they are the facts."""

import json
import os

from harness import Failure, compile_text, params

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
                    "gates": list, "places": list, "threads": list, "events": list}, "report")
    for g in j["gates"]:
        typed(t, r, g, {"name": str, "kind": str, "open": bool, "held_max_ms": (int, float)}, "gate")
    for p in j["places"]:
        typed(t, r, p, {"location": str, "sites": int, "arrivals": int, "required": bool}, "place")
    for e in j["events"]:
        typed(t, r, e, {"seq": int, "t_us": int, "what": str}, "event")
        for name in ("thread", "place", "gate"):
            t.check(name in e and isinstance(e[name], (str, none)), "event.%s" % name, r)
    for e, f in zip(j["events"], j["events"][1:]):
        t.check(f["seq"] > e["seq"] and f["t_us"] >= e["t_us"], "events in order", r)
    for th in j["threads"]:
        typed(t, r, th, {"id": str}, "thread")
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
