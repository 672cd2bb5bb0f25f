"""HTML pages as they are looked at: headings, names, at 1440 and 420 px, light and dark, on paper."""

import re

from harness import compile_text, timeout
from test_harness import library
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

    def check(page):
        t.check(page.evaluate("document.getElementById('tab-crash').hidden"), "no crash")
        rows = page.evaluate("[...document.querySelectorAll('.rows .row')].map(x => x.innerText).join()")
        t.check("both" in rows and "have one" in rows, "the gate is in the rows: " + rows)
        page.click_on("#legend summary")
        inside = page.evaluate("(() => { const b = document.getElementById('legend-body').getBoundingClientRect(); "
                               "return b.width > 200 && b.left >= 0 && b.right <= innerWidth; })()")
        t.check(inside, "the legend is on the screen")
        page.key("Escape")
    with chromium(t) as b:
        looked_at(t, b, path, check)


@timeout(120)
def test_no_crash(t):
    path, _ = report(t, compile_text("zero.c", "int main(void) { return 0; }"), "")

    def check(page):
        t.equal((text(page, "#verdict-word"), text(page, "#fact-threads")), ("ok", "1"), "head")
        t.check(page.evaluate("document.getElementById('fact-threads').getClientRects().length"), "facts are shown")
    with chromium(t) as b:
        looked_at(t, b, path, check)


SLOW = """#include <pthread.h>
#include <unistd.h>
static void *sleeps(void *arg) { usleep(1500000); return arg; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, sleeps, 0);
	pthread_join(t, 0);
	return 0;
}
"""


@timeout(60)
def test_waits_of_a_good_run(t):
    """What threads waited for when an early report was written is not in the last one."""
    path, record = report(t, compile_text("slow.c", SLOW), "")
    t.equal([th["waiting"] for th in record["threads"]], [None, None], "waits")
    with chromium(t) as b:
        page = b.open(path)
        page.settle()
        t.equal(page.evaluate("['event', 'waits'].map(x => document.getElementById('tab-' + x).hidden)"), [False, True], "tabs")
        t.equal(page.evaluate("[...document.querySelectorAll('.labels i')].map(x => x.textContent)"), ["exited", "exited"], "states")
        no_complaints(t, page)


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


# ---- searches and audits ----------------------------------------------------------------------

def page_of(t, status, *args, **kw):
    path = t.path("page.html")
    r = t.gate(*args[:1], "-q", "--report", path, *args[1:], **kw)
    t.equal(r.status, status, "status", r)
    return path


def heading(page):
    return page.evaluate("document.querySelector('h1').firstChild.textContent")


def marks(page):
    """Of an axis: texts, and whether distances are 1, 2 or 5 times a power of ten."""
    texts = page.evaluate("[...document.querySelectorAll('svg')].map(s => ['.end', '.middle'].map(k => "
                          "[...s.querySelectorAll('.tick' + k)].map(x => x.textContent)))")
    return [axis for picture in texts for axis in picture]


UPDATE = """#include <pthread.h>
static int n;
static void *add(void *arg)
{
	int old = n;
	n = old + 1;
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, add, 0);
	pthread_create(&b, 0, add, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return n != 2;
}
"""


@timeout(120)
def test_explore(t):
    """The heading is what was found; numbers of axes are round; the schedule names threads as the timeline does."""
    path = page_of(t, 116, "explore", "-o", t.path("found"), "--verify", "0", compile_text("update.c", UPDATE))

    def check(page):
        t.equal(heading(page), "exit status 1 of update", "heading")
        t.check(re.match(r"1 failure in \d+ schedules?, ", text(page, ".verdict p")), "numbers: " + text(page, ".verdict p"))
        t.check(" in 1 schedule;" in text(page, ".failure"), "one schedule: " + text(page, ".failure"))
        t.equal(page.evaluate("[...document.querySelectorAll('.steps .chip')].map(x => x.textContent)"), ["1", "2", "3"], "threads")
        axes = marks(page)
        t.check(axes and all(len(axis) > 1 for axis in axes), "axes: %s" % axes)
        for axis in axes:
            values = [float(mark.replace(",", "").split()[0]) for mark in axis]
            step = "%e" % values[1]
            t.check(values[0] == 0 and re.match("[125][.]0+e", step), "round: %s" % axis)
    with chromium(t) as b:
        looked_at(t, b, path, check)
        page = b.open(path, dark=True)
        page.evaluate("window.onPaper = [], addEventListener('beforeprint', () => onPaper.push(document.documentElement.className, "
                      "document.querySelector('details').open)), 0")
        page.call("Page.printToPDF")
        t.equal(page.evaluate("onPaper"), ["print", True], "paper is light and has the schedule")
        t.equal(page.evaluate("[document.documentElement.className, document.querySelector('details').open]"), ["dark", False], "then")


@timeout(120)
def test_explore_once(t):
    """One schedule has no curve, and no plural."""
    path = page_of(t, 0, "explore", "-n", "1", compile_text("zero.c", "int main(void) { return 0; }"))

    def check(page):
        t.equal((heading(page), text(page, ".verdict p")), ("nothing found", "1 schedule, 1 distinct"), "heading")
        t.equal(marks(page), [], "no curves")
    with chromium(t) as b:
        looked_at(t, b, path, check)


@timeout(120)
def test_explore_error(t):
    """A search that has not begun is headed by its verdict, and the page has its text."""
    path = page_of(t, 125, "explore", "-g", t.file("gone.lua", "at("), compile_text("zero.c", "int main(void) { return 0; }"))

    def check(page):
        t.equal(heading(page), "error", "heading")
        t.check("gone.lua:1: " in text(page, ".verdict p"), "text: " + text(page, ".verdict p"))
    with chromium(t) as b:
        looked_at(t, b, path, check)


@timeout(120)
def test_races(t):
    path = page_of(t, 116, "races", "-n", "20", compile_text("update.c", UPDATE))

    def check(page):
        t.check(re.fullmatch(r"race on n at update.c:\d and update.c:\d(, and \d more)? ", heading(page) + " "), "heading: " + heading(page))
        t.check(page.evaluate("document.querySelectorAll('.failure').length") == int(text(page, ".verdict p").split()[0]), "a part for each")
        t.check("add#1" in text(page, ".failure li") and "holding no lock" in text(page, ".failure"), "sides: " + text(page, ".failure"))
    with chromium(t) as b:
        looked_at(t, b, path, check)


@timeout(120)
def test_harness(t):
    """README.md is rendered; its columns scroll at 420 px."""
    path = page_of(t, 116, "harness", "--object", "queue", "--schema", "{ push(1); pop() } || { size() }", "--verify", "0", "-o", t.path("found"),
                   library("queue_size"))

    def check(page):
        t.check(heading(page).startswith("size() gave -1, not 0, in { push(1); pop() } || { size() }: "), "heading: " + heading(page))
        t.equal(page.evaluate("[...document.querySelectorAll('.failure h3')].map(x => x.textContent)"), ["How it comes about", "Operations", "Files"], "headings")
        shown = text(page, ".failure")
        t.check("`" not in shown and "##" not in shown and "- test.c" not in shown, "no Markdown: " + shown)
        t.check(page.evaluate("[...document.querySelectorAll('.failure > p > code')].some(x => /pop\\(\\)=/.test(x.textContent))"), "code spans")
        t.check("queue_size.c:" in text(page, ".failure pre") and text(page, ".failure li") == "size() gave -1, not 0", "code and list: " + shown)
    with chromium(t) as b:
        looked_at(t, b, path, check)


AUDIT = """#include <pthread.h>
struct box { pthread_mutex_t lock; int n, m; };
void box_add(struct box *b)
{
	pthread_mutex_lock(&b->lock);
	b->n++;
	b->m = 0;
	pthread_mutex_unlock(&b->lock);
}
int box_n(struct box *b)
{
	return b->n;
}
"""


@timeout(120)
def test_audit(t):
    """Lines that two places share are shown once, as they are indented; a note stands below its line."""
    path = page_of(t, 116, "audit", t.file("box.c", AUDIT))

    def check(page):
        t.check(heading(page).startswith("%s:12: 'n' of struct box is read without 'lock'" % t.path("box.c")), "heading: " + heading(page))
        numbers = page.evaluate("[...document.querySelectorAll('.failure .excerpt tr:not(.note) td:first-child')].map(x => Number(x.textContent))")
        t.equal(numbers, list(range(3, 14)), "lines")
        t.check("\treturn b->n;" in text(page, ".excerpt code.here"), "indentation: %r" % text(page, ".excerpt code.here"))
        t.equal(page.evaluate("[...document.querySelectorAll('.excerpt .note')].map(x => [x.previousSibling.textContent, x.textContent])"),
                [["6\tb->n++;", "written here, in box_add"]], "notes")
    with chromium(t) as b:
        looked_at(t, b, path, check)
