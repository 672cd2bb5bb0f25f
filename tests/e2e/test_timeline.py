"""The HTML report in a real browser: it draws, tells, searches, zooms, and lets nobody in."""

import json
import os
import re

import browser
from harness import Skip, compile_text, line_of, params, timeout

ROUNDS = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
enum { WORKERS = 5 };
static int rounds;
static volatile long total;
static void *worker(void *arg)
{
	for (int i = 0; i < rounds; i++) {
		__atomic_add_fetch(&total, 1, __ATOMIC_SEQ_CST); /* gate: turn */
	}
	return arg;
}
static void *reader(void *arg)
{
	for (int i = 0; i < rounds; i++)
		total += 0; /* gate: look */
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t[WORKERS + 1];
	rounds = atoi(argv[1]);
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	pthread_create(&t[WORKERS], NULL, reader, NULL);
	for (int i = 0; i <= WORKERS; i++)
		pthread_join(t[i], NULL);
	puts("done");
	return 0;
}
"""
# workers pass in turn, each let go by the one before it; the reader waits for whole rounds
TURNS = '''
local Turn = Gate.type "Turn"
function Turn:init(n) self.allowed = n end
function Turn:ready(hit) return self.allowed > 0 end
function Turn:passed(hit) self.allowed = self.allowed - 1 end
function Turn:opened() self.allowed = self.allowed + 1 end
local turns = {}
for i = 1, 5 do turns[i] = Turn("turn of worker " .. i, i == 1 and 1 or 0) end
local looked = Turn("a whole round", 0)
for i = 1, 5 do
	local who = { thread = "worker#" .. i }
	at("//turn", who):wait(turns[i])
	at("//turn", { thread = who.thread, after = true }):open(turns[i % 5 + 1])
end
at("//turn", { thread = "worker#5" }):open(looked)
at("//look"):wait(looked):log("round {hit.var.i}")
'''

DEADLOCK = r"""
#include <pthread.h>
static pthread_mutex_t alice = PTHREAD_MUTEX_INITIALIZER, bob = PTHREAD_MUTEX_INITIALIZER;
static volatile int moved;
static void move(pthread_mutex_t *from, pthread_mutex_t *to)
{
	pthread_mutex_lock(from);
	moved++; /* gate: first */
	pthread_mutex_lock(to); /* gate: second */
	pthread_mutex_unlock(to);
	pthread_mutex_unlock(from);
}
static void *teller(void *arg)
{
	pthread_setname_np(pthread_self(), arg ? "to alice" : "to bob");
	if (arg)
		move(&bob, &alice);
	else
		move(&alice, &bob);
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, teller, NULL);
	pthread_create(&b, NULL, teller, (void *)1);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
"""
BOTH = 'local both = BarrierGate("both have one", 2)\nat "//first":wait(both)\n'


def chromium(t):
    """Started when gatectl is done: what carries the test's mark is ended after each of its runs."""
    return browser.Browser(t.env)


def shot(t, page, name):
    directory = os.environ.get("GATECTL_SHOTS")
    if directory:
        os.makedirs(directory, exist_ok=True)
        page.screenshot(os.path.join(directory, name + ".png"))


def need_chromium():
    if not browser.program():
        raise Skip("there is no chromium here (apt-get install chromium)")


def report(t, program, script, args=(), status=0):
    need_chromium()
    path = t.path("run.html")
    r = t.run_gated(program, script=script, args=args, options=["--report", path, "--quiet"])
    t.equal(r.status, status, "status", r)
    return path, r.report


def text(page, selector):
    return page.evaluate("document.querySelector(%s).textContent" % json.dumps(selector))


def view(page):
    return page.evaluate("({from: timeline.view.from, to: timeline.view.to, axis: timeline.view.axis})")


def where(page, e):
    return page.evaluate("timeline.where(%d)" % e["seq"])


def no_complaints(t, page):
    t.equal(page.errors, [], "errors in the browser's console")
    t.equal([u for u in page.requests if not u.startswith("file://")], [], "requests to a network")


def hover_tells(t, page, e, source):
    """The tip over the event has file:line and the text of that line."""
    page.evaluate("document.activeElement.blur()")
    at = where(page, e)
    page.move(at["x"] - 40, at["y"])
    page.move(at["x"], at["y"])
    page.settle()
    t.check(page.evaluate("!document.getElementById('tip').hidden"), "the tip is shown")
    tip = text(page, "#tip")
    t.check("%s:%d" % (os.path.basename(e["file"]), e["line"]) in tip, "file:line in the tip: %s" % tip)
    t.check(source in tip, "source text in the tip: %s" % tip)


def search_finds(t, page, word, expected):
    page.click_on("#search")
    page.evaluate("document.getElementById('search').select()")
    page.type(word)
    count = len(expected)
    t.equal(text(page, "#search-count"), "%d hits" % count, "hits of %r" % word)
    seen = []
    for i in range(3):
        page.key("Enter")
        t.equal(text(page, "#search-count"), "%d of %d" % (i + 1, count), "where we are")
        seen.append(page.evaluate("timeline.state.selected.seq"))
    t.equal(seen, [e["seq"] for e in expected[:3]], "the hits, one after the other")
    page.key("Enter", modifiers=8)  # shift
    t.equal(page.evaluate("timeline.state.selected.seq"), expected[1]["seq"], "back again")
    t.check(page.evaluate("document.querySelector('.rows .row.selected') !== null"), "the table shows it too")


def zooms(t, page):
    page.click_on("#zoom-fit")
    page.settle()
    whole = view(page)
    at = page.evaluate("(() => { const b = picture.getBoundingClientRect(); return [b.left + b.width / 3, b.top + 20]; })()")
    page.wheel(*at, -120)
    page.settle()
    closer = view(page)
    t.check(closer["to"] - closer["from"] < 0.8 * (whole["to"] - whole["from"]), "the wheel zooms: %s" % closer)
    page.evaluate("picture.focus()")
    page.key("+", "+")
    page.settle()
    closest = view(page)
    t.check(closest["to"] - closest["from"] < 0.8 * (closer["to"] - closer["from"]), "the plus key zooms: %s" % closest)
    page.drag(at[0] + 100, at[1], at[0] - 100, at[1])
    page.settle()
    moved = view(page)
    t.check(moved["from"] > closest["from"], "a drag moves it: %s" % moved)
    page.key("0", "0")
    page.settle()
    t.equal(view(page), whole, "the key 0 shows all")
    t.equal(text(page, "#zoom-level"), "1×", "zoom factor")


def keys_walk(t, page, events):
    page.evaluate("select(null), picture.focus()")
    page.key("ArrowRight")
    first = page.evaluate("timeline.state.selected.seq")
    page.key("ArrowRight")
    second = page.evaluate("timeline.state.selected.seq")
    by_seq = {e["seq"]: e for e in events}
    t.equal(by_seq[first]["thread"], by_seq[second]["thread"], "right goes along the thread")
    page.key("ArrowDown")
    third = page.evaluate("timeline.state.selected.seq")
    t.check(by_seq[third]["thread"] != by_seq[first]["thread"], "down goes to another thread")
    t.check(str(by_seq[third]["thread"]) in text(page, "#spoken"), "and it is said")


def fast_enough(t, b, path, n):
    """The first picture and a zoom, in milliseconds of this page's own thread. Here they are some
    30 and 10 at 10,000 events; a machine may be a few times slower, but no more."""
    first, zoom = [], []
    for i in range(3):
        page = b.open(path)
        page.settle()
        first.append(page.cpu())
        for k in range(3):
            before = page.cpu()
            page.evaluate("zoom(%s), 0" % (0.1 if k == 2 else 3))
            page.settle()
            zoom.append(page.cpu() - before)
        drawn = page.evaluate("document.documentElement.dataset.drawn")
        page.close()
    print("  %d events: the page %.0f ms (script to first picture %s on the clock), a zoom %.1f ms" % (
        n, min(first), drawn, sorted(zoom)[4]))
    t.check(min(first) < 500, "the page takes %s ms" % first)
    t.check(sorted(zoom)[4] < 100, "a zoom takes %s ms" % zoom)


@params(33, 330)
@timeout(240)
def test_rounds(t, rounds):
    path, record = report(t, compile_text("rounds.c", ROUNDS), TURNS, args=(str(rounds),))
    events = record["events"]
    t.check(len(events) > rounds * 18, "%d events" % len(events))  # more where threads are held
    with chromium(t) as b:
        fast_enough(t, b, path, len(events))
        page = b.open(path)
        page.settle()
        name = "%d" % rounds
        shot(t, page, name + "-time-light")
        t.equal(text(page, "#verdict-word"), "ok", "verdict")
        t.equal(text(page, "#fact-events").replace(",", ""), str(len(events)), "number of events")
        hits = [e for e in events if e["thread"] == "worker#3" and e["what"] == "open"]
        search_finds(t, page, "worker#3 open", hits)
        page.click_on("#axis-order")
        page.settle()
        t.equal(view(page)["axis"], 1, "order axis")
        page.evaluate("zoom(%d)" % (rounds // 3))
        page.settle()
        e = hits[len(hits) // 2]
        page.evaluate("select(bySeq.get(%d))" % e["seq"])
        page.settle()
        hover_tells(t, page, e, "__atomic_add_fetch(&total, 1")
        shot(t, page, name + "-order-light")
        t.check("rounds.c:%d" % line_of(ROUNDS, "gate: turn") in text(page, "#panel-event"), "the details")
        page.scheme(True)
        page.settle()
        t.check(page.evaluate("document.documentElement.classList.contains('dark')"), "dark mode")
        shot(t, page, name + "-order-dark")
        page.click_on("#axis-time")
        zooms(t, page)
        keys_walk(t, page, events)
        page.evaluate("openTab('gates'), fit()")
        shot(t, page, name + "-time-dark")
        no_complaints(t, page)


@timeout(120)
def test_rows_are_few(t):
    """However many events there are, the table has only the rows that are seen."""
    path, record = report(t, compile_text("rounds.c", ROUNDS), TURNS, args=("300",))
    with chromium(t) as b:
        page = b.open(path)
        page.settle()
        t.check(page.evaluate("document.querySelectorAll('.rows .row').length") < 100, "rows")
        page.evaluate("document.getElementById('rows').focus()")
        page.key("End")
        page.settle()
        last = record["events"][-1]
        t.equal(page.evaluate("timeline.state.selected.seq"), last["seq"], "End goes to the last")
        t.check(page.evaluate("document.getElementById('row-%d') !== null" % last["seq"]), "and its row is there")
        no_complaints(t, page)


@timeout(120)
def test_deadlock(t):
    """The verdict's text, the threads of the cycle, and the picture of who waits for whom."""
    path, record = report(t, compile_text("bank.c", DEADLOCK), BOTH, status=123)
    with chromium(t) as b:
        page = b.open(path)
        page.settle()
        shot(t, page, "deadlock-light")
        t.equal(text(page, "#verdict-word"), "deadlock", "verdict")
        t.check("teller#1" in text(page, "#verdict-line"), "first line: " + text(page, "#verdict-line"))
        t.equal(record["cycle"], ["teller#1", "teller#2"], "cycle in the record")
        t.equal(page.evaluate("[...document.querySelectorAll('.labels .cycle b')].map(x => x.textContent.split(' ')[0])"),
                ["teller#1", "teller#2"], "lanes of the cycle")
        t.check(page.evaluate("!document.getElementById('panel-waits').hidden"), "the picture is open")
        nodes = page.evaluate("[...document.querySelectorAll('.graph .node.cycle')].map(x => x.getAttribute('aria-label'))")
        for name in ("teller#1", "teller#2", "alice", "bob"):
            t.check(any(name in n for n in nodes), "%s is in the picture: %s" % (name, nodes))
        t.equal(page.evaluate("document.querySelectorAll('.graph .edge.cycle').length"), 4, "edges of the cycle")
        page.scheme(True)
        page.settle()
        shot(t, page, "deadlock-dark")
        no_complaints(t, page)


@timeout(120)
def test_gate_deadlock(t):
    path, record = report(t, compile_text("bank.c", DEADLOCK), '''
local never = SimpleGate "never"
at("//second", { thread = "teller#1" }):wait(never)
''', status=122)
    with chromium(t) as b:
        page = b.open(path)
        page.settle()
        shot(t, page, "gate-deadlock-light")
        t.equal(text(page, "#verdict-word"), "gate-deadlock", "verdict")
        t.check("never" in text(page, "#panel-waits"), "the gate is in the picture")
        no_complaints(t, page)


HOSTILE = r"""
#define _GNU_SOURCE
#include <pthread.h>
static volatile int n;
static void *worker(void *arg)
{
	pthread_setname_np(pthread_self(), "<img src=x>");
	n++; /* gate: here </script><script>alert(1)</script> <!-- */
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	return 0;
}
"""
TEXT = "</script><script>alert(1)</script><!-- \u2028 & ]]> <b>bold</b>"


@timeout(120)
def test_names_are_text(t):
    """Whatever names and texts hold, it is shown as it is and never becomes markup or script."""
    script = 'local g = SimpleGate %s\nat "//here":log(%s):open(g)\n' % (lua(TEXT), lua(TEXT))
    path, record = report(t, compile_text("hostile.c", HOSTILE), script, args=("<script>alert(2)</script>",))
    with open(path, encoding="utf-8") as f:
        source = f.read()
    t.equal(len(re.findall("</script", source, re.I)), 2, "script elements that end")
    t.check("\u2028" not in source, "U+2028 is escaped")
    with chromium(t) as b:
        page = b.open(path)
        page.settle()
        page.evaluate("lookFor('log')")
        page.settle()
        shot(t, page, "hostile")
        t.check(TEXT in text(page, "#panel-event"), "the text as it is: " + text(page, "#panel-event"))
        t.check("<img src=x>" in text(page, ".labels"), "the thread's name as it is")
        t.equal(page.evaluate("document.querySelectorAll('body img, body b:not(.labels b):not(.gates-list b):not(.tip b)').length"), 0,
                "elements made of texts")
        t.equal(page.evaluate("document.scripts.length"), 2, "scripts")
        no_complaints(t, page)


def lua(s):
    return '"' + "".join(c if 32 <= ord(c) < 127 and c not in '"\\' else "\\u{%x}" % ord(c) for c in s) + '"'


@timeout(120)
def test_error_before_the_start(t):
    """A run that never began has a page too."""
    need_chromium()
    path = t.path("run.html")
    t.error(t.gate("run", "--report", path, "-g", t.file("s.lua", "at("), "--", compile_text("bank.c", DEADLOCK)))
    with chromium(t) as b:
        page = b.open(path)
        page.settle()
        t.equal(text(page, "#verdict-word"), "error", "verdict")
        t.check("s.lua" in text(page, "#verdict-line"), "what is wrong: " + text(page, "#verdict-line"))
        t.equal(page.evaluate("[...document.querySelectorAll('canvas, [role=tab]')].filter(x => x.getClientRects().length).length"), 0, "no empty picture")
        no_complaints(t, page)


SLEEPS = """#include <unistd.h>
static void work(void)
{
	usleep(700000);
}
int main(void)
{
	work();
	return 0;
}
"""


def test_folds(t):
    """Time without events takes little room, and the way back is exact; file and line are never cut."""
    path, record = report(t, compile_text("a_file_with_quite_a_long_name_of_its_own.c", SLEEPS),
                          'at "work":log "in"\nat "work%return":log "out"\n')
    with chromium(t) as b:
        page = b.open(path)
        page.settle()
        t.check(page.evaluate("folds.some(f => f.to - f.from > 600000)"), "the sleep is folded")
        t.check(page.evaluate("span[TIME] < duration / 2"), "the axis is shorter")
        t.check(page.evaluate("events.every((e, i) => !i || e.at[TIME] >= events[i - 1].at[TIME])"), "in order")
        t.check(page.evaluate("[...document.querySelectorAll('.place > span:last-child')].every("
                              "x => x.scrollWidth <= x.clientWidth && x.getBoundingClientRect().right <= "
                              "x.closest('.row').getBoundingClientRect().right)"), "file and line")
