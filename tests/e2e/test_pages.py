"""HTML pages as they are looked at: headings, names, at 1440 and 420 px, light and dark, on paper."""

import re

from harness import compile_text, timeout
from test_timeline import BOTH, DEADLOCK, chromium, no_complaints, report, text

WIDTHS = (1440, 420)

LAMBDAS = r"""
#include <mutex>
#include <thread>
static std::mutex m;
static int n;
template <class Op> static std::thread start(Op op)
{
	return std::thread([op] { op(); });
}
int main()
{
	std::thread a([] { std::lock_guard<std::mutex> g(m); n++; });
	std::thread b([] { std::lock_guard<std::mutex> g(m); n--; });
	std::thread c = start([] { std::lock_guard<std::mutex> g(m); n += 2; });
	a.join();
	b.join();
	c.join();
	return 0;
}
"""


def looked_at(t, b, path, check=lambda page: None):
    """The page at both widths, light and dark: nothing is wrong on the screen."""
    for width in WIDTHS:
        for dark in (False, True):
            page = b.open(path, width=width, dark=dark)
            t.equal(page.faults(), [], "%d px" % width)
            check(page)
            page.evaluate("document.querySelectorAll('details').forEach(d => d.open = d.id !== 'legend'), 0")
            t.equal(page.faults(), [], "%d px, all of it open" % width)
            no_complaints(t, page)
            page.close()


@timeout(120)
def test_threads_are_told_apart(t):
    """Names that begin alike show their end; each thread has a number and a colour, in lanes and rows."""
    path, record = report(t, compile_text("lambdas.cc", LAMBDAS, "-g -O1"), "")
    ids = [th["id"] for th in record["threads"]]
    t.check(ids[1].startswith("main::{lambda()") and len(ids[3]) > 40, "ids: %s" % ids)

    def check(page):
        labels = page.evaluate("[...document.querySelectorAll('.labels li')].map(li => [li.querySelector('.chip').textContent, "
                               "getComputedStyle(li.querySelector('.chip')).backgroundColor, li.querySelector('b').textContent])")
        t.equal([(number, name) for number, _, name in labels], [(str(i + 1), name) for i, name in enumerate(ids)], "numbers and names")
        t.equal(len({colour for _, colour, _ in labels}), 4, "colours: %s" % labels)
        ends = page.evaluate("[...document.querySelectorAll('.labels .elided > :last-child')].filter(x => x.getBoundingClientRect().right <= "
                             "x.closest('li').getBoundingClientRect().right).map(x => x.textContent)")
        t.equal(ends, [name[-8:] for name in ids[1:]], "ends that are seen")
        rows = page.evaluate("[...document.querySelectorAll('.rows .thread')].map(x => x.textContent)")
        t.check(any(row == "2" + ids[1] for row in rows), "rows: %s" % rows)
    with chromium(t) as b:
        looked_at(t, b, path, check)


CRASH = """#include <pthread.h>
struct node { int value; };
static struct node *head;
static int pop(void)
{
	return head->value;
}
static void *consumer(void *arg) { return (void *)(long)pop(); }
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, consumer, 0);
	pthread_join(t, 0);
	return 0;
}
"""


@timeout(120)
def test_crash(t):
    """The heading is what happened; the calls are open. A status is gatectl's."""
    program = compile_text("queue.c", CRASH, "-g -O0")
    for script, status, said in (('expect { signal = "SIGSEGV" }', 0, "crashed as expected"), ("", 139, "crashed")):
        path, _ = report(t, program, script, status=status)

        def check(page):
            t.equal(text(page, "h1"), "%s: SIGSEGV in pop at queue.c:6 gatectl\u2019s exit status: %d" % (said, status), "heading")
            t.equal(text(page, "#verdict-line"), "consumer#1 reads NULL", "what it did")
            t.check(not page.evaluate("document.getElementById('panel-crash').hidden"), "the tab is open")
            calls = text(page, "#panel-crash")
            t.check("#0  pop () at " in calls and "return head->value;" in calls, "calls: " + calls)
            t.check(re.search("Other threadsmain (joins consumer#1|runs in main)", calls), "the other threads: " + calls)
        with chromium(t) as b:
            looked_at(t, b, path, check)


@timeout(120)
def test_deadlock(t):
    path, _ = report(t, compile_text("bank.c", DEADLOCK), BOTH, status=123)
    with chromium(t) as b:
        looked_at(t, b, path, lambda page: t.check(page.evaluate("document.getElementById('tab-crash').hidden"), "no crash"))


@timeout(120)
def test_no_crash_tab(t):
    path, _ = report(t, compile_text("zero.c", "int main(void) { return 0; }"), "")
    with chromium(t) as b:
        looked_at(t, b, path, lambda page: t.equal((text(page, "#verdict-word"), text(page, "#fact-threads")), ("ok", "1"), "head"))


@timeout(120)
def test_print(t):
    """Paper is light, whatever the theme, and has every row; the screen is as before afterwards."""
    path, record = report(t, compile_text("bank.c", DEADLOCK), BOTH + 'for _ = 1, 60 do at("//first"):log "row" end\n', status=123)
    with chromium(t) as b:
        page = b.open(path, dark=True)
        page.settle()
        few = page.evaluate("document.querySelectorAll('.rows .row').length")
        t.check(few < len(record["events"]), "the screen has few rows")
        page.evaluate("window.onPaper = [], addEventListener('beforeprint', () => onPaper.push(document.querySelectorAll('.rows .row').length, "
                      "document.documentElement.className, document.getElementById('panel-gates').getClientRects().length)), 0")
        page.call("Page.printToPDF")
        t.equal(page.evaluate("onPaper"), [len(record["events"]), "print", 1], "rows, theme and panels on paper")
        page.settle()
        t.equal(page.evaluate("[document.querySelectorAll('.rows .row').length, document.documentElement.className]"), [few, "dark"], "then")
        no_complaints(t, page)
