"""gatectl harness: what is found of an object, which outcomes are atomic, what comes of one that is not, errors."""

import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree

import browser
from harness import ROOT, compile_text, end_processes, params, timeout, wait_until
from patience import wall

OBJECTS = os.path.join(ROOT, "tests", "harness")
SCRIPTS = "--verify", "20", "--gates-for", "40"


def library(name, level="-O2", compiler=None, flags="-shared -fPIC"):
    with open(os.path.join(OBJECTS, name + ".c"), encoding="utf-8") as f:
        return compile_text(f"lib{name}.c", f.read(), f"-g -pthread {flags} {level}", compiler)


def made(name, text, flags="-shared -fPIC"):
    return compile_text(name, "#include <stdlib.h>\n" + text, f"-g -pthread {flags}")


def harness(t, *args, scripts=SCRIPTS, **kw):
    report = t.path("harness.json")
    r = t.gate("harness", "--for", "250", *scripts, "--report", report, *args, seconds=270, **kw)
    with open(report) as f:
        r.report = json.load(f)
    t.equal(r.report["status"], r.status, "status in the report", r)
    return r


def test_list(t):
    r = t.gate("harness", library("queue_size"), "--list", "--object", "struct queue")
    t.equal((r.status, r.err), (0, ""), "status", r)
    for line in ("struct queue in libqueue_size", "constructor  struct queue *queue_new(void)", "destructor   void queue_free(struct queue *)",
                 "operation    int queue_push(struct queue *, int)", "; 1,2,0", "created by: object = queue_new();",
                 "destroyed by: queue_free(object);"):
        t.check(line in r.stdout, line, r)


def test_options_end(t):
    """`--` ends options, wherever it stands: a library may begin with a dash."""
    os.symlink(library("queue_size"), t.path("-dash.so"))
    for words in (["--object", "queue", "--list", "--", "-dash.so"], ["--list", "--object=queue", "--", "-dash.so"]):
        r = t.gate("harness", *words, cwd=t.tmp)
        t.equal((r.status, r.err), (0, ""), words, r)
    t.error(t.gate("harness", "--object", "--", "--list", "--", "-dash.so", cwd=t.tmp), where=": no function .* returns a pointer to --$")
    t.error(t.gate("harness", "--object", "queue", "--", "-dash.so", "--list", cwd=t.tmp), where="unexpected argument '--list' after the library")


BOX = """#include <stdarg.h>
struct box { int n; };
struct pair { float a, b; };
struct box *box_new(void) { return calloc(1, sizeof(struct box)); }
int box_get(struct box *b) { return b->n; }
int box_log(struct box *b, const char *format, ...) { return b->n + (format != 0); }
int box_pair(struct box *b, struct pair p) { return b->n + (int)p.a; }
"""


def test_left_out(t):
    r = t.gate("harness", "--list", "--object", "box", made("box.c", BOX))
    t.check("left out     int box_log(struct box *, const char *, ...)" in r.stdout and "; it is variadic (a function that calls it" in r.stdout, "variadic", r)
    t.check("; by value: parameter p is a struct pair (a function" in r.stdout, "struct by value", r)
    r = t.gate("harness", "--object", "box", "--ops", "box_log", "-o", t.path("d"), made("box.c", BOX))
    t.error(r, where="--ops: 'box_log' is no operation of struct box: it is variadic")


@timeout(120)
@params("gcc", "clang")
def test_violation(t, compiler):
    """The size of a queue that is read as two words: found, explained, forced, written as a test."""
    folder = t.path("found")
    r = harness(t, "--object", "queue", "--schema", "{ push(1); pop() } || { size() }", "-o", folder, library("queue_size", compiler=compiler))
    t.equal(r.status, 116, "status", r)
    t.check(r.first.startswith("gatectl: found: 1 violation in 1 harness; the first: size() gave -1, not 0, in { push(1); pop() } || { size() }: "), "first line", r)
    t.check(f"; its script: {folder}/1/gates.lua" in r.first, "the script", r)
    (found,) = r.report["violations"]
    t.equal((found["kind"], found["forced"]), ("status", found["asked"]), "kind, and forced", r)
    with open(f"{folder}/1/outcomes.txt") as f:
        rows = [line.rstrip("\n").split("\t") for line in f]
    t.equal(rows[0], ["outcome", "times", "atomic", "explained by"], "the header", r)
    atomic = {row[0]: row[3] for row in rows[1:] if row[2] == "yes"}
    end = "size()=0 pop()=0,0 pop()=0,0"
    none = f"push(1)=1 pop()=1,1 | size()=0 ; {end}"
    t.equal(atomic, {none: atomic.get(none), f"push(1)=1 pop()=1,1 | size()=1 ; {end}": "push(1) size() pop()"}, "what is atomic, and why", r)
    wrong = [row for row in rows[1:] if row[2] == "NO"]
    t.equal([(row[0], row[3]) for row in wrong], [(f"push(1)=1 pop()=1,1 | size()=-1 ; {end}", "-")], "what is not", r)
    t.check(all(int(row[1]) > 0 for row in wrong), "it came", r)
    with open(f"{folder}/1/README.md") as f:
        readme = f.read()
    t.check("size() gave -1, not 0" in readme and "libqueue_size.c:" in readme, "the story: " + readme, r)
    check_test(t, folder + "/1")


def check_test(t, folder, most=140):
    """test.c is what a person would have written, and gates.lua forces the outcome in it."""
    with open(folder + "/test.c") as f:
        lines = f.read().splitlines()
    t.check(len(lines) <= most, f"{len(lines)} lines", None)
    command = lines[0].removeprefix("/* ").removesuffix(" */").replace("-g ", "-g -Wall -Wextra ", 1)
    made = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True)
    t.equal((made.returncode, made.stderr), (0, ""), command, None)
    r = t.run([folder + "/test"])
    t.equal(r.status, 0, "without gates it passes", r)
    for _ in range(5):
        r = t.gate("run", "-g", folder + "/gates.lua", folder + "/test")
        t.equal((r.status, r.err), (0, ""), "with gates it fails as expected", r)


@timeout(120)
def test_weakened(t):
    """--weaken: what the file allows is no violation, and what it does not is one still."""
    given = ("--object", "queue", "--schema", "{ push(1); pop() } || { size() }", "-n", "30", "-o", t.path("found"))
    lists = t.file("list.lua", "return { -1, 0, 1 }")
    asks = t.file("asks.lua", "return function(c) return c.call == 'size()' and c.result == -1 and #c.results == 1 and #c.atomic == 2 end")
    for script in (lists, asks):
        r = harness(t, *given, "--weaken", f"size:{script}", library("queue_size"))
        t.equal((r.status, "gatectl: " in r.err, r.report["violations"]), (0, False, []), script, r)
        said = verdicts(r)
        t.equal((said["queue_size"], said["queue_push"]), ("weak as declared in 1 harness, 30 schedules", "atomic in 1 harness, 30 schedules"), "verdicts", r)
    r = harness(t, *given, "--weaken", "size:" + t.file("zero.lua", "return { 0 }"), library("queue_size"))
    t.equal(r.status, 116, "-1 is not in the list", r)
    for script, where in (("x = 1", "has to return a function or a table"), ("return function(c) return c.no.more end", "bad.lua:1: attempt to index")):
        r = t.gate("harness", *given, "--weaken", "size:" + t.file("bad.lua", script), library("queue_size"))
        t.error(r, where=re.escape(where))
        t.check("no violation" not in r.err, "no all-clear", r)
    t.error(t.gate("harness", *given, "--weaken", "sise:" + lists, library("queue_size")), where="--weaken: 'sise' is no operation")
    t.error(t.gate("harness", *given, "--weaken", "size", library("queue_size")), where="--weaken: 'size' is not OPERATION:FILE.lua")


@timeout(60)
def test_odd_name(t):
    """The script finds the library, whatever it is called, and no name ends the first line of test.c, which compiles it."""
    path, folder = t.path("x(1);y.so*/z.so"), t.path("found")
    os.mkdir(os.path.dirname(path))
    shutil.copy(library("queue_size"), path)
    r = harness(t, "--object", "queue", "--schema", "{ push(1); pop() } || { size() }", "-o", folder, path)
    t.check(f"; its script: {folder}/1/gates.lua" in r.first, "the script", r)
    with open(f"{folder}/1/test.c") as f:
        first = f.readline()
    command = re.fullmatch(r"/\* (.*) \*/\n", first).group(1)
    p = subprocess.run(["sh", "-c", command + " -Wall -Werror"], cwd=f"{folder}/1", capture_output=True, text=True)
    t.equal((p.returncode, p.stderr), (0, ""), command)


# The text is in a buffer of the calling thread's own, as that of strerror(3).
NOTE = """#include <pthread.h>
#include <stdio.h>
#include <string.h>
struct note { pthread_mutex_t lock; volatile int n; };
struct note *note_new(void)
{
	struct note *b = calloc(1, sizeof(*b));
	pthread_mutex_init(&b->lock, 0);
	return b;
}
void note_add(struct note *b)
{
	if (LOCKED)
		pthread_mutex_lock(&b->lock);
	b->n = b->n + 1;
	b->n = b->n + 1;
	if (LOCKED)
		pthread_mutex_unlock(&b->lock);
}
const char *note_show(struct note *b)
{
	static __thread char text[LONG + 50];
	pthread_mutex_lock(&b->lock);
	memset(text, 'x', LONG);
	snprintf(text + LONG, 50, "n\\tis\\n\\"%d\\", \\xe9", b->n);
	pthread_mutex_unlock(&b->lock);
	return text;
}
"""


@params(0, 600, 5000)
def test_text_of_a_thread(t, length):
    """What a call gives as a text is read before its thread ends, and long texts that are equal stay so."""
    path = made("note.c", NOTE, f"-shared -fPIC -DLOCKED=1 -DLONG={length}")
    r = harness(t, "--object", "note", "--schema", "{ add(); show() } || { show(); add() }", "-n", "30", "-o", t.path("d"), path)
    t.equal((r.status, "gatectl: " in r.err, r.stdout), (0, False, ""), "no violation", r)


LOUD = """#include <stdio.h>
struct loud { int n; };
__attribute__((constructor)) static void hello(void) { puts("ok 0\\t1"); }
struct loud *loud_new(void) { return calloc(1, sizeof(struct loud)); }
int loud_add(struct loud *l) { return __atomic_add_fetch(&l->n, 1, __ATOMIC_SEQ_CST); }
"""


def test_loud_library(t):
    """What the library writes itself when it is loaded is not taken for what calls give."""
    r = t.gate("harness", "--object", "loud", "-o", t.path("d"), made("loud.c", LOUD))
    t.error(r, where="no operation of struct loud returns")


@timeout(60)
def test_texts(t):
    """Texts stand in outcomes as C writes them: a line for each outcome, and --weaken sees the text itself."""
    path = made("note.c", NOTE, "-shared -fPIC -DLOCKED=0 -DLONG=0")
    given = ("--object", "note", "--schema", "{ add() } || { show() }", "-n", "30", "-o", t.path("found"))
    r = harness(t, *given, path)
    t.equal(r.status, 116, "status", r)
    with open(t.path("found/1/outcomes.txt"), encoding="ascii") as f:
        rows = [line.rstrip("\n").split("\t") for line in f][1:]
    t.equal(sorted(row[0::2] for row in rows), [["add() | show()=\"n\\tis\\n\\\"%d\\\", \\xe9\" ; show()=\"n\\tis\\n\\\"2\\\", \\xe9\"" % n, atomic]
                                                 for n, atomic in enumerate(("yes", "NO", "yes"))], "outcomes", r)
    check_test(t, t.path("found/1"))
    allowed = t.file("allowed.lua", 'return { "n\\tis\\n\\"1\\", \\xe9" }')
    r = harness(t, *given, "--weaken", "show:" + allowed, path)
    t.equal((r.status, "gatectl: " in r.err), (0, False), "it is allowed", r)


@timeout(60)
def test_no_time_for_all(t):
    """Fewer runs than asked for: all that is written says so, as the script does."""
    page = t.path("harness.html")
    r = harness(t, "--object", "note", "--schema", "{ add() } || { show() }", "-n", "30", "-o", t.path("found"), "--report", page,
                made("note.c", NOTE, "-shared -fPIC -DLOCKED=0 -DLONG=0"), scripts=("--verify", "1000000", "--gates-for", wall(2)))
    said = r"in all of the %d runs that \d+ s gave of the 1000000 asked for" % r.report["violations"][0]["forced"]
    for name, text in (("stderr", r.err), *[(path, open(path).read()) for path in (page, t.path("found/1/README.md"), t.path("found/1/gates.lua"))]):
        t.check(re.search(said, text.replace("\n-- ", " ")), "%s: %s" % (name, text), r)


# Notes with which values it is called, each once.
NOTED = """
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
struct noted { int n; };
struct noted *noted_new(void) { return calloc(1, sizeof(struct noted)); }
static char seen[3][3][3];
int noted_set(struct noted *o, int a, int b, int c)
{
	char text[32];
	int fd = seen[a][b][c] ? -1 : open(getenv("NOTES"), O_WRONLY | O_CREAT | O_APPEND, 0666);
	seen[a][b][c] = 1;
	if (fd >= 0 && write(fd, text, sprintf(text, "%d,%d,%d\\n", a, b, c)) >= 0)
		close(fd);
	return o->n += a;
}
int noted_get(struct noted *o) { return o->n; }
"""


def test_calls_of_a_schema(t):
    """Not all values of an operation are tried where a schema says which matter."""
    notes = t.path("notes")
    r = harness(t, "--object", "noted", "--schema", "{ set(1,2,0) } || { get() }", "-n", "2", "-o", t.path("d"), made("noted.c", NOTED), env={"NOTES": notes})
    t.equal(r.status, 0, "nothing is found", r)
    with open(notes) as f:
        tried = set(f.read().split())
    t.check("1,2,0" in tried and len(tried) == 2, "what was called: %s" % tried, r)


def test_not_in_the_schema(t):
    """What it does not call, and has many calls, is neither said to change something nor to only read."""
    text = NOTED.replace("noted_get(struct noted *o)", "noted_get(struct noted *o, int x, int y, int z)").replace("return o->n; }", "return o->n + (x - x) * y * z; }")
    r = harness(t, "--object", "noted", "--schema", "{ set(1,2,0) } || { set(1,2,0) }", "-n", "2", "-o", t.path("d"), made("noted2.c", text), env={"NOTES": t.path("notes")})
    t.equal("changes: set; only reads: none" in r.err, True, "what is said", r)
    said = {o["function"]: o.get("left_out") for o in r.report["operations"]}
    t.equal((said["noted_set"], said["noted_get"]), (None, "no schema calls it"), "in the report", r)


BAG = """
struct bag { int count, top, items[8]; };
struct bag *bag_new(void) { return calloc(1, sizeof(struct bag)); }
void bag_push(struct bag *b, int v)
{
	int top = __atomic_load_n(&b->top, __ATOMIC_SEQ_CST);
	b->items[top] = v;
	__atomic_store_n(&b->top, top + 1, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&b->count, 1, __ATOMIC_SEQ_CST);
}
int bag_pop(struct bag *b) { return b->top ? b->count--, b->items[--b->top] : -1; }
int bag_size(struct bag *b) { return __atomic_load_n(&b->count, __ATOMIC_SEQ_CST); }
"""


@timeout(120)
def test_lost(t):
    """Its size counts what is lost, too: only who takes everything out sees that."""
    r = harness(t, "--object", "bag", "--schema", "{ push(1) } || { push(2) }", "-n", "100", "-o", t.path("found"), made("bag.c", BAG))
    t.equal(r.status, 116, "status", r)
    t.check("in the end size() pop() until nothing is left" in r.err, "how it is seen", r)
    t.check(re.search(r"push\(1\) \| push\(2\) ; size\(\)=2 pop\(\)=[12] pop\(\)=-1 pop\(\)=-1; its script", r.first), "what is seen", r)
    check_test(t, t.path("found/1"))


@timeout(120)
def test_enumerated(t):
    """Without a schema harnesses are made, and the smallest ones come first."""
    r = harness(t, "--object", "queue", "--calls", "2..3", "--ops", "push,pop,size", "-o", t.path("found"), library("queue_size"))
    t.equal(r.status, 116, "status", r)
    t.equal(r.report["sizes"][0]["harnesses"], 6, "of two calls", r)
    t.equal({o["function"]: o["reads"] for o in r.report["operations"]}, {"queue_push": False, "queue_pop": False, "queue_size": True},
            "who reads was found by running", r)


@timeout(120)
def test_correct(t):
    shards = [harness(t, "--object", "queue", "--calls", "2", "-n", "3", "--shard", f"{k}/2", "-o", t.path("found"), library("queue_locked"))
              for k in (1, 2)]
    t.equal([r.report["sizes"][0]["searched"] for r in shards], [3, 3], "of six", shards[0])
    r = harness(t, "--object", "queue", "--calls", "2", "-n", "40", "-o", t.path("found"), library("queue_locked"))
    t.equal((r.status, "gatectl: " in r.err, r.report["violations"]), (0, False, []), "nothing found", r)
    t.check("no violation" in r.err, "the summary", r)
    t.check(not os.path.exists(t.path("found")), "nothing is written", r)


# Linked behind what needs it.
OTHER = "int both(int a, int b) { return a + b; }\n"
ADDER = """#include <stdlib.h>
struct adder { int sum; };
int both(int a, int b);
struct adder *adder_new(void) { return calloc(1, sizeof(struct adder)); }
void adder_free(struct adder *a) { free(a); }
int adder_add(struct adder *a) { int sum = both(a->sum, 1); a->sum = sum; return sum; }
"""


def test_further_library(t):
    archive = t.path("libother.a")
    subprocess.run(["ar", "rcs", archive, made("other.c", OTHER, "-c")], check=True)
    r = harness(t, "--object", "adder", "--cflags", archive, "-o", t.path("found"), made("adder.c", ADDER, "-c"))
    t.equal(r.status, 116, "status", r)
    with open(t.path("found/1/test.c"), encoding="utf-8") as f:
        t.check(archive + " */" in f.readline(), "the command that compiles it has it last", r)


@timeout(120)
@params("object", "archive")
def test_linked_in(t, kind):
    """An object file and a static archive are linked with as a shared object is."""
    path = library("queue_size", flags="-c")
    if kind == "archive":
        archive = t.path("libqueue.a")
        subprocess.run(["ar", "rcs", archive, path], check=True)
        path = archive
    os.mkdir(t.path("a folder"))
    r = harness(t, "--object", "queue", "--schema", "{ push(1); pop() } || { size() }", "-o", t.path("found"), path, env={"TMPDIR": t.path("a folder")})
    t.equal(r.status, 116, "status", r)


VIOLATED = {"queue_size": "queue", "map_put_if_absent": "map", "stack_aba": "stack", "counter_relaxed": "counter", "set_weak": "set",
            "ring_single": "ring", "cache_unlocked": "cache_t", "reference_count": "shared"}


@timeout(150)
@params(*VIOLATED)
def test_known(t, name):
    """Each of these is found within a minute, without a hint, in code that was compiled with -O2."""
    folder = t.path("found")
    r = t.gate("harness", *SCRIPTS, "--object", VIOLATED[name], "-o", folder, library(name), seconds=140)
    t.equal(r.status, 116, "status", r)
    t.check("its script: " in r.first, "a script", r)
    check_test(t, folder + "/1")


@timeout(150)
@params("queue_locked", "queue_lockfree")
def test_right(t, name):
    r = t.gate("harness", "--object", "queue", "--for", "12", "-o", t.path("d"), library(name), seconds=140)
    t.equal((r.status, "gatectl: " in r.err), (0, False), "nothing found", r)


def test_reports(t):
    xml_path = t.path("r.xml")
    r = t.gate("harness", "-q", "--object", "queue", "--schema", "{ push(1) } || { pop() }", "-n", "20", "--report", xml_path,
               "-o", t.path("d"), library("queue_locked"))
    t.equal((r.status, r.stdout, r.err), (0, "", ""), "-q", r)
    suite = xml.etree.ElementTree.parse(xml_path).getroot()
    t.check(suite.find(".//testcase") is not None and suite.find(".//failure") is None, "passed", r)
    page = t.path("r.html")
    r = t.gate("harness", "-q", *SCRIPTS, "--object", "queue", "--schema", "{ push(1); pop() } || { size() }", "--report", page, "-o", t.path("d"),
               library("queue_size"))
    t.equal(r.status, 116, "found", r)
    text = browser.rendered(t, page)
    for part in ("<title>gatectl harness</title>", "<td>queue_size</td><td>only reads</td>", 'href="d/1/gates.lua"', "<td>NO</td><td>-</td>", "</html>"):
        t.check(part in text, part + ": " + text, r)
    t.error(t.gate("harness", "--object", "queue", "--report", t.path("r.trace.json"), library("queue_locked")), where="--report")


ODD = """#include <pthread.h>
#include <time.h>
#include <unistd.h>
struct odd { pthread_mutex_t lock; int n; };
struct odd *odd_new(void) { struct odd *o = calloc(1, sizeof(*o)); pthread_mutex_init(&o->lock, 0); return o; }
int odd_add(struct odd *o) { return __atomic_add_fetch(&o->n, 1, __ATOMIC_SEQ_CST); }
int odd_stuck(struct odd *o) { pthread_mutex_lock(&o->lock); pthread_mutex_lock(&o->lock); return 0; }
int odd_quit(struct odd *o) { (void)o; exit(3); }
int odd_die(struct odd *o) { return *(volatile int *)(long)o->n; }
void *odd_address(struct odd *o) { (void)o; return malloc(100000); }
void odd_spin(struct odd *o) { while (*(volatile int *)&o->n >= 0) ; }
"""


@timeout(120)
def test_odd_operations(t):
    """One that blocks for ever, asleep or not, one that exits, one that crashes, one that gives an address: each is told."""
    r = harness(t, "--object", "odd", "--calls", "2", "-n", "20", "-o", t.path("d"), made("odd.c", ODD))
    t.equal(r.status, 0, "status", r)
    for line in ("odd_stuck was left out: it blocks for ever", "odd_quit was left out: it ends the program (exit status 3)",
                 "odd_die was left out: it dies by SIGSEGV", "odd_spin was left out: it never ends", "odd_address returns another value in each run: its value is left out"):
        t.check(line in r.err, line, r)
    r = t.gate("harness", "--object", "odd", "--ops", "quit,stuck", "-o", t.path("d"), made("odd.c", ODD))
    t.error(r, where="no operation of struct odd returns")


PERMITS = """struct permits { volatile int n; };
struct permits *permits_new(void) { struct permits *p = calloc(1, sizeof(*p)); p->n = 3; return p; }
void permits_end(struct permits *p) { p->n = 0; }
int permits_try(struct permits *p) { int n = p->n; return n ? p->n = n - 1, 1 : 0; }
"""


@timeout(60)
def test_seen_late(t):
    """What an operation takes is seen when there is nothing left: it does not only read."""
    # Behind end(), and once, nobody sees it.
    r = harness(t, "--object", "permits", "--schema", "{ try(); try() } || { try(); try() }", "-n", "200", "-o", t.path("d"), made("permits.c", PERMITS))
    t.check("changes: end, try; only reads: none" in r.err, "it changes something", r)
    t.equal(r.status, 116, "one permit is given twice", r)


FLAG = """struct flag { volatile int up; };
void flag_set(struct flag *f) { f->up = 1; }
int flag_wait(struct flag *f) { while (!f->up) ; return 7; }
"""


@timeout(60)
def test_waits_for_another(t):
    """A loop that another thread ends is an operation, though it would be the only one to look in the end."""
    path = made("flag.c", FLAG, "-shared -fPIC -O2")
    r = harness(t, "--object", "flag", "--schema", "{ set() } || { wait() }", "-n", "20", "-o", t.path("d"), path)
    t.equal((r.status, r.report["violations"]), (0, []), "searched", r)
    t.check("; in the end" not in r.err and "1 harness, 20 schedules" in r.err, "nobody waits in the end", r)
    refused(t, "nothing was searched: calls one after the other do not end normally in any of 1 harness", "--object", "flag",
            "--schema", "{ wait() } || { wait() }", path)


KINDS_H = """#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
enum mode { SLOW, FAST = 4 };
typedef struct kinds kinds_t;
int kinds_open(kinds_t **out, const char *name, size_t room);
void kinds_close(kinds_t *k);
void *kinds_put(kinds_t *k, void *item);
bool kinds_take(kinds_t *k, void **item);
uint8_t kinds_mode(kinds_t *k, enum mode m, bool on);
const char *kinds_name(kinds_t *k, const char *name);
long long kinds_each(kinds_t *k, int (*visit)(void *, int), void *arg);
double kinds_ratio(const kinds_t *k, uint64_t *count, int64_t *sum);
"""
KINDS = KINDS_H + """#include <pthread.h>
struct kinds { pthread_mutex_t lock; void *items[8]; int count; enum mode mode; const char *name; };
int kinds_open(kinds_t **out, const char *name, size_t room)
{
	*out = calloc(1, sizeof(kinds_t));
	(*out)->name = name;
	return room == 0;
}
void kinds_close(kinds_t *k) { free(k); }
void *kinds_put(kinds_t *k, void *item)
{
	pthread_mutex_lock(&k->lock);
	if (k->count < 8)
		k->items[k->count++] = item;
	pthread_mutex_unlock(&k->lock);
	return item;
}
bool kinds_take(kinds_t *k, void **item)
{
	bool any = k->count > 0;
	if (any)
		*item = k->items[--k->count];
	return any;
}
uint8_t kinds_mode(kinds_t *k, enum mode m, bool on)
{
	uint8_t old = (uint8_t)k->mode;
	if (on)
		k->mode = m;
	return old;
}
const char *kinds_name(kinds_t *k, const char *name) { const char *old = k->name; k->name = name; return old; }
long long kinds_each(kinds_t *k, int (*visit)(void *, int), void *arg)
{
	pthread_mutex_lock(&k->lock);
	for (int i = 0; i < k->count; i++)
		visit(arg, i);
	pthread_mutex_unlock(&k->lock);
	return k->count;
}
double kinds_ratio(const kinds_t *k, uint64_t *count, int64_t *sum)
{
	*count = (uint64_t)k->count;
	*sum = -k->count;
	return k->count / 2.0;
}
"""
SCHEMAS = {"{ each(1) } || { put(7) }": "each(1)=1,0 | put(7)=7 ; ratio()=0.5,1,-1 take()=1,7 take()=0,0",
           "{ take() } || { put(1); take() }": None,
           "{ mode(4,1) } || { mode(4,1); mode(0,0) }": None,
           '{ name("a") } || { name("b"); name("c") }': None}


@timeout(150)
@params(*range(2 * len(SCHEMAS)))
def test_kinds(t, number):
    """Parameters of every kind, with and without a header: what the harness and the test call is the same."""
    schema, outcome = list(SCHEMAS.items())[number // 2]
    header = ["--include", t.file("kinds.h", KINDS_H)] if number % 2 else []
    r = harness(t, "--object", "kinds_t", "--schema", schema, "-n", "300", "-o", t.path("d"), *header, made("kinds.c", KINDS, "-shared -fPIC -O1"))
    t.equal(r.status, 116, "status", r)
    if outcome:
        t.check(": %s; its script" % outcome in r.first, outcome, r)
    check_test(t, t.path("d/1"))


def test_said(t):
    """--new, --delete and --ops say what is not guessed."""
    library_path = made("kinds.c", KINDS, "-shared -fPIC -O1")
    r = t.gate("harness", "--list", "--object", "kinds_t", library_path)
    t.check('created by: if (kinds_open(&object, "a", 4) != 0) object = NULL;' in r.stdout, "guessed", r)
    r = t.gate("harness", "--list", "--object", "kinds_t", "--ops", "kinds_put,close", "--new", "calloc(1, 256)", "--delete", "kinds_close", library_path)
    t.check("2 operations" in r.stdout and "created by: object = calloc(1, 256);" in r.stdout, "said", r)
    t.check("not among --ops" in r.stdout and "destroyed by: kinds_close(object);" in r.stdout, "said", r)


PAIR = """#include <pthread.h>
struct pair { pthread_mutex_t a, b; int *p; };
struct pair *pair_new(void)
{
	struct pair *p = calloc(1, sizeof(*p));
	pthread_mutex_init(&p->a, 0);
	pthread_mutex_init(&p->b, 0);
	p->p = calloc(1, sizeof(int));
	return p;
}
#if DEAD
static int both(pthread_mutex_t *a, pthread_mutex_t *b)
{
	pthread_mutex_lock(a);
	pthread_mutex_lock(b);
	pthread_mutex_unlock(b);
	return pthread_mutex_unlock(a);
}
int pair_one(struct pair *p) { return both(&p->a, &p->b); }
int pair_two(struct pair *p) { return both(&p->b, &p->a); }
#else
void pair_swap(struct pair *p, int v)
{
	int *n = malloc(sizeof(int)), *old = p->p;
	*n = v;
	p->p = n;
	free(old);
}
int pair_get(struct pair *p) { return *p->p; }
#endif
"""


@timeout(120)
def test_deadlock(t):
    """Two locks in two orders: a violation, though nobody sees what the operations change."""
    r = harness(t, "--object", "pair", "--calls", "2", "-o", t.path("d"), made("dead.c", PAIR, "-shared -fPIC -O2 -DDEAD=1"))
    t.equal((r.status, r.report["violations"][0]["kind"]), (116, "deadlock"), "a deadlock", r)
    t.check("no operation shows what another one changes" in r.err, "told", r)
    with open(r.report["violations"][0]["script"]) as f:
        t.check("expect { deadlock = true }" in f.read(), "the script expects it", r)


@timeout(120)
def test_sanitizer(t):
    """Of a library with AddressSanitizer: its report is a violation."""
    r = harness(t, "--object", "pair", "--schema", "{ swap(1) } || { swap(2) }", "-o", t.path("d"),
                made("uaf.c", PAIR, "-shared -fPIC -O1 -fsanitize=address"))
    t.equal((r.status, [v["kind"] for v in r.report["violations"]]), (116, ["sanitizer"]), "freed twice", r)


def refused(t, where, *args, **kw):
    r = t.gate("harness", "-o", t.path("d"), *args, **kw)
    t.error(r, where=re.escape(where))
    t.check(not os.path.exists(t.path("d")), "nothing is written", r)


def test_errors(t):
    queue = library("queue_locked")
    refused(t, "no function that can be called takes or returns a pointer to qeue; did you mean queue?", "--object", "struct qeue", queue)
    refused(t, "no --object TYPE was given", queue)
    refused(t, "no library was given", "--object", "queue")
    refused(t, "no debug information", "--object", "queue", compile_text("bare.c", "int bare(void *p) { return p != 0; }\n", "-shared -fPIC"))
    refused(t, "is a program, with which nothing can be linked", "--object", "queue", compile_text("prog.c", "int main(void) { return 0; }\n", "-g"))
    refused(t, "is not a shared object", "--object", "queue", t.file("text", "no library\n"))
    refused(t, "--schema: '{ push(1) }': there is only one thread", "--object", "queue", "--schema", "{ push(1) }", queue)
    refused(t, "unexpected argument 'second.so' after the library", "--object", "queue", queue, "second.so")
    refused(t, "--schema: there is no operation 'put'", "--object", "queue", "--schema", "{ put(1) } || { pop() }", queue)
    refused(t, "--calls: '6..3'", "--object", "queue", "--calls", "6..3", queue)
    refused(t, "--values: '1,x'", "--object", "queue", "--values", "1,x", queue)
    refused(t, "--threads: '9'", "--object", "queue", "--threads", "9", queue)
    refused(t, "--ops: 'put' is no operation", "--object", "queue", "--ops", "push,put", queue)
    refused(t, "the harness cannot be compiled", "--object", "queue", "--new", "no_such_function(", queue)


OPAQUE = """struct hidden;
int hidden_get(struct hidden *h) { return h != 0; }
int hidden_set(struct hidden *h, int v) { return h != 0 && v; }
"""
FAILING = """struct lame { int n; };
struct lame *lame_new(void) { %s }
int lame_get(struct lame *l) { return l->n; }
"""


def test_constructors(t):
    refused(t, "struct hidden is opaque", "--object", "hidden", made("opaque.c", OPAQUE))
    refused(t, "lame_init creates a struct lame, but cannot be called: no value can be guessed: parameter o", "--object", "lame",
            made("init.c", "struct lame { int n; };\nstruct other;\nvoid lame_init(struct lame *l, struct other *o) { l->n = o != 0; }\n"
                 "int lame_get(struct lame *l) { return l->n; }\n"))
    refused(t, "'object = lame_new();' gives no object", "--object", "lame", made("null.c", FAILING % "return 0;"))
    refused(t, "'object = lame_new();' dies by SIGABRT", "--object", "lame", made("abort.c", FAILING % "abort();"))
    refused(t, "'object = lame_new();' ends the program (exit status 7)", "--object", "lame", made("exit.c", FAILING % "exit(7);"))


STRANGER = """#include <pthread.h>
struct box { int n; };
struct box *x_box_new(void) { return calloc(1, sizeof(struct box)); }
struct box *x_text_boxed(const char *text) { struct box *b = x_box_new(); b->n = *text; return b; }
int x_box_add(struct box *b, int n) { return __atomic_add_fetch(&b->n, n, __ATOMIC_SEQ_CST); }
int x_box_get(struct box *b) { return __atomic_load_n(&b->n, __ATOMIC_SEQ_CST); }
"""


def test_other_libraries(t):
    """Nobody takes silence about what is not looked into for an all-clear; and whoever only gives an object lends it no name."""
    r = harness(t, "--object", "box", "--ops", "add,get", "--calls", "3", "-n", "10", "-o", t.path("d"),
                made("stranger.c", STRANGER, "-shared -fPIC -Wl,--no-as-needed -lelf"))
    t.equal(r.status, 0, "status", r)
    t.check("libelf.so.1: a library of the system" in r.err and "libc" not in r.err.split(":")[0], "says what is not looked into", r)
    r = harness(t, "--object", "box", "--calls", "3", "-n", "10", "-o", t.path("d"), made("stranger.c", STRANGER))
    t.check("has no points inside" not in r.err, "nothing to say", r)


# Each thread adds to a list of its own; the newest list is taken from first. All of it under one lock.
LISTS = """#include <pthread.h>
struct bag { pthread_mutex_t lock; int lists, count[8], taken[8], items[8][16]; };
static __thread struct bag *known;
static __thread int own;
struct bag *bag_new(void)
{
	struct bag *b = calloc(1, sizeof(*b));
	pthread_mutex_init(&b->lock, 0);
	return b;
}
int bag_add(struct bag *b, int item)
{
	int count = 0;
	pthread_mutex_lock(&b->lock);
	if (known != b)
		own = b->lists++;
	known = b;
	b->items[own][b->count[own]++] = item;
	for (int i = 0; i < b->lists; i++)
		count += b->count[i];
	pthread_mutex_unlock(&b->lock);
	return count;
}
int bag_take(struct bag *b)
{
	int item = 0;
	pthread_mutex_lock(&b->lock);
	for (int i = b->lists; i-- > 0 && !item;)
		if (b->taken[i] < b->count[i])
			item = b->items[i][b->taken[i]++];
	pthread_mutex_unlock(&b->lock);
	return item;
}
"""


def test_something_for_each_thread(t):
    """What whole calls give when threads make them is atomic, too."""
    r = harness(t, "--object", "bag", "--values", "1,2", "--calls", "3", "-n", "40", "-o", t.path("d"), made("lists.c", LISTS))
    t.equal((r.status, r.report["violations"]), (0, []), "no violation", r)


def verdicts(r):
    return {o["function"]: o["verdict"] for o in r.report["operations"]}


@timeout(120)
def test_soon(t):
    """Five operations: the search begins at once, and the operation that a violation is due to is named, in all that is written."""
    page, folder = t.path("harness.html"), t.path("found")
    r = harness(t, "--object", "struct map", "--for", "60", "-o", folder, "--report", page, library("map_check_then_act"))
    t.equal(r.status, 116, "status", r)
    said = verdicts(r)
    t.check(said["map_put_absent"].startswith("not atomic: "), "verdict", r)
    t.check(not any(v.startswith("not atomic") for f, v in said.items() if f != "map_put_absent"), "the others: %s" % said, r)
    t.check(sum(o["tried"] for o in r.report["operations"]) > 100 and all(o["tried"] for o in r.report["operations"]), "calls were tried", r)
    t.check(re.search(r"^put_absent: not atomic: .* in \{ .*$", r.err, re.M) and "changes: put, put_absent, remove; only reads: count, get" in r.err, "on stderr", r)
    with open(folder + "/1/README.md", encoding="utf-8") as f:
        t.check("- put_absent: not atomic: " in f.read(), "in the folder", r)
    t.check("<td>map_put_absent</td><td>changes</td><td>not atomic: " in browser.rendered(t, page), "on the page", r)


def test_trusted(t):
    """--core and --untrusted: one call of what is not trusted, among calls of what is."""
    r = harness(t, "--object", "struct map", "--core", "put,get", "--untrusted", "put_absent", "-o", t.path("found"), library("map_check_then_act"))
    t.equal(r.status, 116, "status", r)
    schema = r.report["violations"][0]["schema"]
    t.check(schema.count("put_absent(") == 1 and "remove(" not in schema and "count(" not in schema, schema, r)
    said = verdicts(r)
    t.check(said["map_put_absent"].startswith("not atomic: "), "verdict", r)
    t.equal(said["map_remove"], "not tried: neither --core nor --untrusted names it", "verdict", r)
    t.check(said["map_put"].endswith(" (trusted)"), "verdict", r)
    r = harness(t, "--object", "struct map", "--core", "put,get,remove", "--untrusted", "count", "--calls", "2", "-n", "20", "-o", t.path("d"),
                library("map_check_then_act"))
    t.equal((r.status, r.report["violations"]), (0, []), "count is atomic", r)
    t.check(re.fullmatch(r"atomic in \d+ harnesses, \d+ schedules", verdicts(r)["map_count"]), "verdict", r)
    refused(t, "--untrusted: 'size' is no operation of struct map", "--object", "map", "--untrusted", "size", library("map_check_then_act"))


@timeout(60)
def test_order_of_threads(t):
    """{ 0 < 2 }: the first thread ends before the third one begins, in whole calls, in the search, and in test.c."""
    given = ("--object", "map", "-n", "200", "-o", t.path("found"), "--schema")
    r = harness(t, *given, "{ put(1,1) } || { put_absent(1,2) } || { get(1) } { 0 < 2, 1 < 2 }", library("map_check_then_act"))
    t.equal(r.status, 116, "status", r)
    (found,) = r.report["violations"]
    t.check("{ get(1) } { 0 < 2, 1 < 2 }" in found["headline"], "the order is told", r)
    t.check(all("get(1)=0" not in o["outcome"].split(";")[0] for o in found["outcomes"]), "what was put was there", r)
    check_test(t, t.path("found/1"))
    for order, why in (("{ 0 < 3 }", "has the numbers of two threads, from 0"), ("{ 0 < 1, 1 < 0 }", "a thread would have to end before it begins"),
                       ("{ 0 < 1", "the order has to end with }")):
        refused(t, why, "--object", "map", "--schema", "{ put(1,1) } || { get(1) } " + order, library("map_check_then_act"))


# Its constructor waits; so does each order of whole calls.
LATE = """#include <unistd.h>
struct late { int n; };
struct late *late_new(void) { usleep(%d); return calloc(1, sizeof(struct late)); }
int late_add(struct late *l, int n) { return __atomic_add_fetch(&l->n, n, __ATOMIC_SEQ_CST); }
int late_set(struct late *l, int n) { return __atomic_exchange_n(&l->n, n, __ATOMIC_SEQ_CST); }
int late_get(struct late *l) { return __atomic_load_n(&l->n, __ATOMIC_SEQ_CST); }
"""


@timeout(90)
def test_time_of_trials(t):
    """Trying operations ends after a fifth of the time: what is not known then is told, and the search begins."""
    r = harness(t, "--object", "late", "--calls", "2", "--for", "20", "-n", "2", "-o", t.path("d"), made("late.c", LATE % 200000))
    t.equal((r.status, r.report["violations"]), (0, []), "status", r)
    t.check(r.report["harnesses"] > 0, "searched", r)
    t.check("; only reads: none; not known, since the trial of operations was over: " in r.err, "no operation is said to only read", r)
    t.check(any(o["unsure"] for o in r.report["operations"]) and not any(o["reads"] for o in r.report["operations"]), "in the report", r)
    r = harness(t, "--object", "late", "--for", "1", "-o", t.path("d"), made("later.c", LATE % 400000))
    t.error(r, where=r"nothing was searched: the 1 seconds were over while whole calls were tried: add \d+ calls? in [0-9.]+ s, get")


def test_runs_freely(t):
    """test --for SECONDS: the calls again and again, and how often each outcome came."""
    r = harness(t, "--object", "queue", "--schema", "{ push(1); pop() } || { size() }", "-o", t.path("found"), library("queue_size"))
    t.equal(r.status, 116, "status", r)
    known = {o["outcome"]: o["atomic"] for o in r.report["violations"][0]["outcomes"]}
    r = t.run([t.path("found/1/test"), "--for", "0.5"])
    rows = [line.split("\t") for line in r.stdout.splitlines()]
    t.equal(rows[0], ["outcome", "times", "atomic"], "the header", r)
    t.check(len(rows) > 1 and all(int(row[1]) > 0 and (row[2] == "yes") == known[row[0]] for row in rows[1:]), "outcomes of the search", r)
    t.equal(r.status, 1 if any(row[2] == "NO" for row in rows[1:]) else 0, "status", r)


INPUTS = """#include <pthread.h>
struct item { int key; char *note; };
typedef struct { short a, b; } pair_t;
typedef struct bag *bag_t;
struct bag { pthread_mutex_t lock; int n, items[32]; };
bag_t bag_new(unsigned (*hash)(const void *), int (*equal)(const char *, const char *), int (*compare)(const void *, const void *), void (*destroy)(void *))
{
	struct bag *b = calloc(1, sizeof(*b));
	pthread_mutex_init(&b->lock, 0);
	if (hash(b) != hash(b) || !equal("key", "key") || compare(b, b) || compare((void *)1, (void *)2) >= 0 || destroy)
		abort();
	return b;
}
void bag_free(bag_t b) { free(b); }
static int one(bag_t b, int v)
{
	pthread_mutex_lock(&b->lock);
	int n = b->n;
	if (n < 32)
		b->items[b->n++] = v;
	pthread_mutex_unlock(&b->lock);
	return n;
}
int bag_add(bag_t b, int v) { return one(b, v); }
int bag_add_all(bag_t b, const long *v, size_t count)
{
	for (size_t i = 0; i < count; i++)
		one(b, (int)v[i]);
	return (int)count;
}
int bag_add_item(bag_t b, const struct item *i) { return one(b, i->key + (i->note != 0)); }
int bag_add_pair(bag_t b, pair_t p) { return one(b, p.a + 10 * p.b); }
int bag_join(bag_t b, bag_t from) { return from->n ? one(b, from->items[0]), from->n : 0; }
int bag_sum(bag_t b)
{
	int sum = 0;
	pthread_mutex_lock(&b->lock);
	for (int i = 0; i < b->n; i++)
		sum = sum * 10 + b->items[i];
	pthread_mutex_unlock(&b->lock);
	return sum;
}
pair_t bag_pair(bag_t b) { pair_t p = {1, 2}; (void)b; return p; }
int bag_take(bag_t b, struct item *i) { (void)b; return i->key; }
"""


@timeout(60)
def test_inputs(t):
    """Functions of a constructor, structs, arrays with their length, a second object, a typedef of a pointer; a remedy for what is left out."""
    path = made("inputs.c", INPUTS)
    r = t.gate("harness", "--list", "--object", "bag_t", path)
    for line in (" int *, size_t)  inputs.c:26; {1,2},{2}", "int bag_add_item(bag_t, const struct item *)  inputs.c:32; {1},{2}",
                 "int bag_add_pair(bag_t, pair_t)  inputs.c:33; {1},{2}", "a second object, after bag_add(object, 1)",
                 "bag_new((void *)hash_key, (void *)equal_texts, (void *)compare_keys, NULL);",
                 "it returns pair_t by value (a function that calls it, and takes and returns numbers, can be called)",
                 "no value can be guessed: parameter i is a struct item * (a function that calls it"):
        t.check(line in r.stdout, line, r)
    r = harness(t, "--object", "bag_t", "--schema", "{ add_all({3,4}); add_item({1}) } || { add_pair({2}); join() }", "-n", "200", "-o", t.path("found"), path)
    t.equal(r.status, 116, "add_all is not atomic", r)
    outcomes = r.report["violations"][0]["outcomes"]
    t.check(any(o["order"] and o["outcome"].endswith(" ; sum()=34121") for o in outcomes), "each value arrives: %s" % outcomes, r)
    t.equal({f for f, v in verdicts(r).items() if v.startswith("not atomic")}, {"bag_add_all"}, "verdicts", r)
    check_test(t, t.path("found/1"))


CLASS = """#include <mutex>
#include <stdexcept>
namespace lib {
class Queue {
public:
	Queue(unsigned room);
	~Queue();
	bool push(int v);
	bool push(int v, int w);
	bool pop(int &v);
	int size() const;
	int join(const Queue &other);
	int take();
private:
	mutable std::mutex lock;
	int items[16], head, tail;
	unsigned room;
};
Queue::Queue(unsigned r) : head(0), tail(0), room(r) {}
Queue::~Queue() { tail = head; }
bool Queue::push(int v)
{
	std::lock_guard<std::mutex> g(lock);
	if (tail < 16)
		items[tail++] = v;
	return room == 4;
}
bool Queue::push(int v, int w) { return push(v) && push(w); }
bool Queue::pop(int &v)
{
	std::lock_guard<std::mutex> g(lock);
	if (head == tail)
		return false;
	v = items[head++];
	return true;
}
int Queue::size() const { std::lock_guard<std::mutex> g(lock); return tail - head; }
int Queue::take()
{
	int v;
	if (!pop(v))
		throw std::out_of_range("empty");
	return v;
}
int Queue::join(const Queue &other) { int n = other.size(); if (n) push(other.items[other.head]); return n; }
}
"""


@timeout(90)
@params("g++", "clang++")
def test_class(t, compiler):
    """A C++ class: constructor, destructor, overloaded and const members, references."""
    path = compile_text("class.cc", CLASS, "-g -O1 -shared -fPIC -pthread", compiler)
    for name in ("Queue", "lib::Queue"):
        r = t.gate("harness", "--list", "--object", name, path)
        t.equal((r.status, r.err), (0, ""), "status", r)
        for line in ("lib_Queue in class.so: 6 operations", "destructor   void Queue_delete(", "Queue_push_2", "; int *: read after the call",
                     "; a second object, after Queue_push", "created by: Queue_new(object, 4);", "destroyed by: Queue_delete(object);"):
            t.check(line in r.stdout, line, r)
    both = re.search(r"Queue_(push\w*)\(.*, int, int\)", r.stdout).group(1)
    r = harness(t, "--object", "Queue", "--schema", "{ %s(1,2) } || { take(); take() }" % both, "-n", "300", "-o", t.path("found"), path)
    t.equal(r.status, 116, "status", r)
    t.equal({f for f, v in verdicts(r).items() if v.startswith("not atomic")}, {"Queue_" + both}, "verdicts", r)
    outcomes = {o["outcome"].split(" ; ")[0]: o["order"] is not None for o in r.report["violations"][0]["outcomes"]}
    empty = "throws(std::out_of_range)"
    t.check(outcomes.get(f"{both}(1,2)=1 | take()={empty} take()={empty}"), "an exception is a result: %s" % outcomes, r)
    check_test(t, t.path("found/1"), 200)


@timeout(60)
def test_reduced(t):
    """A violation is told of the smallest harness that has it."""
    r = harness(t, "--object", "bag_t", "--ops", "add,add_all,sum", "--calls", "3", "--all", "-n", "30", "-o", t.path("found"), made("inputs.c", INPUTS),
                scripts=("--verify", "2", "--gates-for", "20"))
    t.equal(r.status, 116, "status", r)
    t.check(all(v["schema"].count("(") == 2 for v in r.report["violations"]), "two calls each", r)
    t.equal({f for f, v in verdicts(r).items() if v.startswith("not atomic")}, {"bag_add_all"}, "verdicts", r)


def test_killed(t):
    """What it compiles in TMPDIR goes with it, however it ends."""
    os.mkdir(t.path("tmp"))
    p = subprocess.Popen([t.gatectl, "harness", "--object", "queue", "--all", "-o", t.path("found"), library("queue_size")], stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**t.env, "TMPDIR": t.path("tmp")})
    try:
        wait_until(lambda: os.listdir(t.path("tmp")), "its folder")
    finally:
        p.kill()
        p.wait()
    wait_until(lambda: not os.listdir(t.path("tmp")), "the folder is gone")
    end_processes(t.marker)


def test_ended_while_a_script_is_made(t):
    """What came, how often, and how to see it again is written before a script is looked for."""
    p = subprocess.Popen([t.gatectl, "harness", "--object", "queue", "--schema", "{ push(1); pop() } || { size() }", "--gates-for", "0",
                          "--verify", "1000000", "-o", t.path("found"), library("queue_size")], stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=t.env)
    try:
        wait_until(lambda: os.path.exists(t.path("found/1/outcomes.txt")), "its folder")
    finally:
        p.terminate()
    err = p.communicate(timeout=100)[1]
    t.equal(p.returncode, 128 + 15, "status: " + err)
    t.check(err.startswith("gatectl: found: 1 violation in 1 harness; the first: size() gave -1, not 0, in { push(1); pop() } || { size() }: "), "told: " + err)
    t.check("no script of gates: the search for one was ended\n" in err, "why: " + err)
    t.check({"README.md", "outcomes.txt", "test.c"} <= set(os.listdir(t.path("found/1"))), "kept: " + err)
    with open(t.path("found/1/README.md"), encoding="utf-8") as f:
        t.check("\nThere is no gates.lua: the search for one was ended.\n" in f.read(), "... there, too")


KEEPS_THE_LOCK = """
#include <pthread.h>
struct purse { pthread_mutex_t lock; int coins; };
struct purse *purse_new(void) { struct purse *p = calloc(1, sizeof *p); pthread_mutex_init(&p->lock, NULL); return p; }
void purse_free(struct purse *p) { free(p); }
void purse_add(struct purse *p, int n)
{
	pthread_mutex_lock(&p->lock);
	p->coins += n;
	pthread_mutex_unlock(&p->lock);
}
int purse_empty(struct purse *p)
{
	pthread_mutex_lock(&p->lock);
	int n = p->coins;
	if (!n)
		return 0;
	p->coins = 0;
	pthread_mutex_unlock(&p->lock);
	return n;
}
"""


@timeout(120)
def test_calls_that_do_not_end(t):
    """The shortest calls one after the other that hang are named, with the place, in the summary and in the verdicts."""
    path = made("purse.c", KEEPS_THE_LOCK, "-shared -fPIC -O0")
    hangs = "{ empty(); add(1) } blocks for ever: main waits for mutex p->lock held by main itself, in purse_add at purse.c:9"
    r = harness(t, "--object", "purse", "--calls", "3..3", "--values", "1", "-n", "30", "-o", t.path("d"), path)
    t.equal((r.status, r.report["violations"]), (0, []), "status", r)
    t.check("\nleft out: " + hangs + "\n" in r.err, "summary", r)
    t.equal(verdicts(r)["purse_add"], "atomic in 1 harness, 30 schedules, but " + hangs, "searched", r)
    t.check(verdicts(r)["purse_empty"].startswith("not tried: { empty(); empty() } blocks for ever: main waits for mutex p->lock"), "not searched", r)
    refused(t, "nothing was searched: calls one after the other do not end normally in any of 1 harness: " + hangs,
            "--object", "purse", "--schema", "{ empty(); add(1) } || { add(1) }", path)
