"""Several places in one function: each is decided inside the program, or the report has the reason why its arrivals stop."""

import re

from harness import compile_text, params

SEVERAL = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
static volatile long a, b, c, rounds;
__attribute__((noinline)) void hot(long i)
{
	a = a * 3 + i; /* gate: FIRST */
	b = b * 5 + i; /* gate: SECOND */
	c = c * 7 + i; /* gate: THIRD */
}
__attribute__((noinline)) void tiny(void)
{
	__asm__ volatile("nop"); /* gate: TINY */
	__asm__ volatile("nop"); /* gate: BESIDE */
	a = c; /* gate: LAST */
}
static void *w(void *arg)
{
	for (long i = 0; i < rounds; i++) {
		hot(i);
		tiny();
		a = a + i; /* gate: LOOP */
		b = b + i; /* gate: NEXT */
	}
	return arg;
}
int main(int argc, char **argv)
{
	struct rusage from, to;
	pthread_t t;

	rounds = atol(argv[1]);
	getrusage(RUSAGE_SELF, &from);
	for (int i = 0; i < 3; i++) {
		pthread_create(&t, NULL, w, NULL);
		pthread_join(t, NULL);
	}
	getrusage(RUSAGE_SELF, &to);
	printf("%ld\n", to.ru_nvcsw - from.ru_nvcsw); /* each stop is a voluntary context switch */
	return 0;
}
"""

BUILDS = ["gcc -O0", "gcc -O2", "clang -O0", "clang -O2"]
ROUNDS, STARTS = 200, 100  # of each of three threads; and the stops of one place until its arrivals are decided inside

SETS = ["hot //FIRST", "hot hot%return", "//FIRST //THIRD", "//FIRST //SECOND //THIRD", "hot //FIRST //SECOND //THIRD", "//LOOP //NEXT",
        "hot //LOOP //NEXT", "//TINY //BESIDE", "tiny //TINY //LAST tiny%return", "//FIRST //FIRST"]
LOG, ASKS = ':log "x"', "when = 'a == -1'"
# For the first place of a set, the second, and so on.
OPTIONS = {
    "equal": [("hit = 10^6", LOG)],
    "unequal": [("hit = %d * 10^6" % n, LOG) for n in (1, 2, 3, 4)],
    "after": [("hit = 10^6", LOG), ("hit = 10^6, after = true", LOG)],
    "one thread": [("hit = 10^6, thread = 'w#1'", LOG)],
    "threads": [("hit = 10^6, thread = 'w#%d'" % n, LOG) for n in (1, 2, 3, 1)],
    "a thread and all": [("hit = 10^6, thread = 'w#2'", LOG), ("hit = 10^6", LOG)],
    "a pattern and all": [("thread = 'w*'", LOG), ("hit = 10^6", LOG)],
    "asks": [(ASKS, LOG), ("hit = 10^6", LOG)],
    "acts": [("hit = {5, 10^6}", LOG), ("hit = 10^6", LOG)],
}


def several(build):
    compiler, flags = build.split(" ", 1)
    return compile_text("several.c", SEVERAL, "-g " + flags, compiler)


def script_of(places):
    return "".join("at('%s', {optional = true, %s})%s\n" % (location, options.replace(", after = true", "" if "%" in location else ", after = true"), verb)
                   for location, options, verb in places)


def stops_of(t, program, script, rounds=ROUNDS, options=()):
    r = t.run_gated(program, script, (str(rounds),), options)
    t.equal(r.status, 0, "status", r)
    return int(r.stdout), [p["trap"] for p in r.report["places"]], r


def own_stops(r, location):
    return sum(e["place"] == location and "times" not in e for e in r.report["events"])


@params(*["%s, %s" % (build, name) for build in BUILDS for name in OPTIONS])
def test_inside_or_reason(t, case):
    build, name = case.split(", ")
    for locations in (s.split() for s in SETS):
        options = OPTIONS[name]
        places = [(location, *options[i % len(options)]) for i, location in enumerate(locations)]
        stops, reasons, r = stops_of(t, several(build), script_of(places))
        t.check(any(reasons) or stops < STARTS * len(places), "%d stops at %s, and no reason" % (stops, locations), r)
        for location in locations:
            of_it = [why for p, why in zip(locations, reasons) if p == location]
            t.check(any(of_it) or own_stops(r, location) < STARTS * len(of_it), "each arrival at %s stops, and no reason" % location, r)


@params(*BUILDS)
def test_counts_are_inside(t, build):
    """Counts alone are no reason for a stop, at one address or at several."""
    for locations in (["hot", "//FIRST"], ["hot", "//FIRST", "//SECOND", "//THIRD"], ["//LOOP", "//NEXT"]):
        for name in ("equal", "unequal"):
            options = OPTIONS[name]
            places = [(location, *options[i % len(options)]) for i, location in enumerate(locations)]
            stops, reasons, r = stops_of(t, several(build), script_of(places))
            t.equal(reasons, [None] * len(places), "reasons", r)
            t.check(stops < STARTS * len(places), "%d stops" % stops, r)


def test_reasons(t):
    """A place has its own reason, or that of another one at its address."""
    program = several("gcc -O2")
    hit, many = ("hit = 10^6", LOG), "places there name several threads"
    other = "the place of .*gates.*:%d stands at the same address: .*"
    table = [
        ([("hot", ASKS, LOG), ("//FIRST", *hit)], ["other places are at the same address", other % 1 + "other places are at the same address"]),
        ([("//FIRST", *hit), ("hot", ASKS, LOG)], [other % 2 + "other places are at the same address", "other places are at the same address"]),
        ([("hot", *hit), ("hot%return", *hit)], [None, "within the bytes"]),
        ([("//FIRST", "thread = 'w#1'", LOG), ("//FIRST", "thread = 'w#2'", LOG)], [other % 2 + many, many]),
        ([("//FIRST", "thread = 'w#1'", LOG), ("//FIRST", *hit)], ["the thread that it names", other % 1 + "the thread that it names"]),
        ([("//FIRST", "", LOG), ("//FIRST", *hit)], ["its verbs act, or its gate decides", other % 1 + "its verbs act, or its gate decides"]),
        ([("//FIRST", "hit = 10^6", ":event 'e'"), ("hot", *hit)], [None, None]),
        ([("//FIRST", "hit = 5000", LOG)], ["few enough"]),
    ]
    for places, expected in table:
        _, reasons, r = stops_of(t, program, script_of(places))
        for why, pattern in zip(reasons, expected):
            t.check(why is None if pattern is None else why and re.search(pattern, why), "%s: %s, expected %s" % (places, why, pattern), r)
    for option, pattern in (("--no-resident", "--no-resident"), ("-v", "-v")):
        _, reasons, r = stops_of(t, program, script_of([("//FIRST", *hit)]), options=(option,))
        t.check(pattern in (reasons[0] or ""), "the reason with " + option, r)


def test_thread_of_the_same_memory(t):
    """A thread that gets an exited thread's memory passes inside."""
    places = [("//FIRST", "thread = 'w#2'", LOG)]
    stops, _, r = stops_of(t, several("gcc -O2"), script_of(places), 1000)
    t.check(1000 < stops < 1000 + STARTS, "%d stops, of 1000 arrivals" % stops, r)


def test_held_by_a_function(t):
    """While a function holds a thread, it is the reason."""
    program = compile_text("held.c", r"""
#include <pthread.h>
static volatile long a, b, k;
__attribute__((noinline)) long get(void) { return k; }
static void *work(void *arg)
{
	b = 1; /* gate: START */
	for (long i = 0; i < 400; i++)
		k = i; /* gate: HOT */
	return arg;
}
int main(void)
{
	pthread_t t;
	a = get();
	pthread_create(&t, 0, work, 0);
	a = 1; /* gate: WAIT */
	pthread_join(t, 0);
	return 0;
}
""", "-g -O1 -pthread")
    script = """
local go = SimpleGate "go"
at("//START"):wait(go)
at("//WAIT"):open(go):when(function(hit) return hit:call("get") == 399 end)
at("//HOT", {hit = 10^6, optional = true}):log "x"
"""
    r = t.run_gated(program, script)
    t.equal(r.status, 0, "status", r)
    t.check("called again at each arrival" in (r.report["places"][2]["trap"] or ""), "the reason", r)


@params(*BUILDS)
def test_lines(t, build):
    """`lines` takes its locations together: what else is at the address, and what is where the jump would be."""
    program = several(build)
    said = t.gate("lines", program, "hot", "//FIRST", "//SECOND").stdout
    for location in ("hot", "//FIRST"):
        t.check("same address as %s: every arrival is a trap where" % location in said, "what is at one address:\n" + said)
    t.equal(said.count("every arrival is a trap"), 2, "what `lines` says:\n" + said)
    said = t.gate("lines", program, "//TINY", "//BESIDE").stdout
    t.equal(re.findall("every arrival is a trap: (.*)", said), ["//BESIDE stands where the jump would"], "what is in the way:\n" + said)
    t.check("a trap" not in t.gate("lines", program, "//TINY").stdout, "nothing is in the way of one alone")
    _, reasons, r = stops_of(t, program, script_of([("//TINY", *OPTIONS["equal"][0]), ("//BESIDE", *OPTIONS["equal"][0])]))
    t.equal(reasons, ["another trap stands where the jump would", None], "reasons", r)
