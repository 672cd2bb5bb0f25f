"""gatectl audit: the corpus, what is told of it and how, the options, and input that cannot be read."""

import ctypes
import glob
import json
import os
import re
import shlex
import sys
from html.parser import HTMLParser

import browser
from harness import ROOT, compile_text, line_of, params
from patience import wall

sys.path.insert(0, os.path.join(ROOT, "tests", "audit"))
import corpus  # noqa: E402

FINDING = re.compile(r"^(.+?):(\d+):(\d+): warning: (.*) \[(\S+)\]$", re.M)
NOTE = re.compile(r"^(.+?):(\d+):(\d+): note: (?!evidence: )(.+)$", re.M)
EVIDENCE = re.compile(r"note: evidence: (\d+) of 100, (low|medium|high): (.+)$", re.M)
SUMMARY = re.compile(r"^\d+ files?, \d+ lines?, \d+ functions?, \d+ structs? and \d+ variables? that threads may share, in [\d.]+ s(?:; .*)?$", re.M)
HEAD = "#include <pthread.h>\n"
BOX = HEAD + """struct box { pthread_mutex_t lock; int n; };
int box_get(struct box *b)
{
	pthread_mutex_lock(&b->lock);
	int n = b->n;
	pthread_mutex_unlock(&b->lock);
	return n;
}
void box_add(struct box *b, int n)
{
	pthread_mutex_lock(&b->lock);
	b->n += n;
	pthread_mutex_unlock(&b->lock);
}
"""
MORE = BOX[BOX.index("void box_add"):].replace("box_add", "box_take").replace("+=", "-=")
SET = "void box_set(struct box *b, int n)\n{\n\tb->n = n;\n}\n"


def audit(t, *args, **kw):
    """Its findings in r.found: (name of the file, line, tag)."""
    r = t.gate("audit", *args, **kw)
    r.found = [(os.path.basename(m[0]), int(m[1]), m[4]) for m in FINDING.findall(r.stdout)]
    if r.status == 116:
        first = FINDING.search(r.stdout)
        t.equal(r.first, "gatectl: found: %d finding%s; the first: %s:%s: %s [%s]" % (
            len(r.found), "" if len(r.found) == 1 else "s", *first.group(1, 2, 4, 5)), "the verdict", r)
    else:
        t.equal(r.found, [], "findings without the status", r)
    return r


def sound(t, *args, **kw):
    r = audit(t, *args, **kw)
    t.equal((r.status, r.err), (0, ""), "nothing is found", r)
    t.check(SUMMARY.fullmatch(r.stdout.strip()), "the summary alone", r)
    return r


def found(t, expected, *args, **kw):
    r = audit(t, *args, **kw)
    t.equal((r.status, r.found), (116, expected), "what is found", r)
    t.equal(r.err, r.first + "\n", "the verdict alone", r)
    return r


def told(t, line, name, *args, tag="P3", **kw):
    return found(t, [(name, line, tag)], *args, **kw)


# ---- the corpus --------------------------------------------------------------------------------


def check_module(t, module):
    r = audit(t, *[path for path in module.files if path.endswith((".c", ".cc"))])
    if module.kind.startswith("sound"):
        t.equal((r.status, r.err), (0, ""), module.name, r)
        return
    t.equal(r.status, 116, module.name, r)
    is_marked = {(os.path.basename(file), line, tag) for file, line, tag, _ in module.findings}
    is_other = {(os.path.basename(file), line, tag) for file, line, tag, _ in module.either}
    t.equal(set(r.found) - is_other, is_marked, module.name + ": the lines", r)
    t.check(not is_other or is_other & set(r.found), module.name + ": one of the lines", r)
    t.equal(len(r.found), len(set(r.found)), module.name + ": each once", r)
    for file, line, tag, text in module.findings:
        shown = re.search(r"%s:%d:\d+: warning: (.*)" % (os.path.basename(file), line), r.stdout).group(1)
        t.check(tag != "P3" or "'%s' " % text in shown, "%s: the field, %r, is named" % (module.name, text), r)


@params("fault-1", "fault-2", "sound-1", "sound-2", "fault_cxx-1", "fault_cxx-2", "sound_cxx-1", "sound_cxx-2")
def test_corpus(t, part):
    kind, number = part.split("-")
    modules = [m for m in corpus.modules() if m.kind == kind]
    t.check(len(modules) >= (20 if kind.endswith("_cxx") else 50), "the corpus is there")
    for module in modules[int(number) - 1::2]:
        check_module(t, module)


# ---- what is told --------------------------------------------------------------------------------


CHAIN = BOX + """static void set(struct box *b, int n)
{
	b->n = n; /* here */
}
void box_clear(struct box *b)
{
	set(b, 0); /* from */
}
"""


def test_output(t):
    """Where it is, what is used how, and the way there from a public function; in order of lines."""
    path = t.file("chain.c", CHAIN)
    here, call = line_of(CHAIN, "/* here */"), line_of(CHAIN, "/* from */")
    r = told(t, here, "chain.c", path)
    t.check("'n' of struct box is written without 'lock', which is held at 2 of 3 places; in set [P3]\n" in r.stdout, "the text", r)
    t.check((path, str(call), "2", "from here, in box_clear") in NOTE.findall(r.stdout), "the way", r)
    t.check("1 file, 23 lines, 4 functions, 1 struct and 0 variables that threads may share, in " in r.stdout, "the summary", r)
    r = told(t, here, "chain.c", "chain.c", cwd=t.tmp)
    t.check(r.stdout.startswith("chain.c:"), "relative to where one is", r)
    r = told(t, here, "chain.c", "-q", path)
    t.check(not SUMMARY.search(r.stdout), "-q: no summary", r)
    t.equal(t.gate("audit", "-q", t.file("box.c", BOX)).out, b"", "-q: nothing")


WAYS = BOX + """static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static void take_two(void) { pthread_mutex_lock(&two); pthread_mutex_unlock(&two); } /* order */
static void take_one(void) { pthread_mutex_lock(&one); pthread_mutex_unlock(&one); } /* back */
static void both(void) { pthread_mutex_lock(&one); take_two(); pthread_mutex_unlock(&one); }
static void crossed(void) { pthread_mutex_lock(&two); take_one(); pthread_mutex_unlock(&two); }
void go_both(void) { both(); }
void go_crossed(void) { crossed(); }
"""
ALONE = {
    "double-lock": "static void inner(struct box *b) { pthread_mutex_lock(&b->lock); pthread_mutex_lock(&b->lock); pthread_mutex_unlock(&b->lock); }",
    "return-with-lock": "static int inner(struct box *b) { pthread_mutex_lock(&b->lock); if (b->n) return 1; pthread_mutex_unlock(&b->lock); return 0; }",
    "compound": "static _Atomic int hits; struct hits { _Atomic int n; }; static struct hits all;\n"
                "static void inner(struct box *b) { (void)b; int n = all.n; all.n = n + 1; }",
    "P1": "static int *inner(struct box *b) { return &b->n; }",
}


def test_both_ways(t):
    """Of an order of locks both ways are told, each from a public function, with the place where the first lock was taken."""
    path = t.file("ways.c", WAYS)
    r = told(t, line_of(WAYS, "/* back */"), "ways.c", path, tag="lock-order")
    t.equal([n[3] for n in NOTE.findall(r.stdout)],
            ["from here, in go_crossed", "'two' is taken here", "from here, in crossed", "the other order: here, in take_two",
             "from here, in go_both", "'one' is taken here", "from here, in both"], "both ways", r)


@params(*ALONE)
def test_way_of(t, tag):
    """What one thread does alone has one way; from a public function, too, by a helper's helper."""
    text = BOX + ALONE[tag] + "\nstatic void middle(struct box *b) { inner(b); }\nvoid outer(struct box *b) { middle(b); }\n"
    path, report = t.file("way.c", text), t.path("way.sarif")
    r = told(t, line_of(text, "inner(struct box"), "way.c", "--report", report, path, tag=tag)
    t.equal([n[3] for n in NOTE.findall(r.stdout)][:2], ["from here, in outer", "from here, in middle"], "the way", r)
    with open(report) as f:
        (result,) = json.load(f)["runs"][0]["results"]
    ((way,),) = [flow["threadFlows"] for flow in result["codeFlows"]]
    t.equal(len(way["locations"]), len(result["relatedLocations"]) + 1, "the same in the report", r)


KEPT = """int box_next(struct box *b)
{
	pthread_mutex_lock(&b->lock); /* taken */
	if (b->n)
		return 1; /* kept */
	pthread_mutex_unlock(&b->lock);
	return 0;
}
"""
PAIR = HEAD + """struct pair { pthread_mutex_t a, b; int n; };
void pair_add(struct pair *p) { pthread_mutex_lock(&p->a); p->n++; pthread_mutex_unlock(&p->a); }
void pair_there(struct pair *p)
{
	pthread_mutex_lock(&p->a); /* first a */
	pthread_mutex_lock(&p->b); /* then b */
	p->n = 1;
	pthread_mutex_unlock(&p->b);
	pthread_mutex_unlock(&p->a);
}
void pair_back(struct pair *p)
{
	pthread_mutex_lock(&p->b); /* first b */
	pthread_mutex_lock(&p->a); /* then a */
	p->n = 2;
	pthread_mutex_unlock(&p->a);
	pthread_mutex_unlock(&p->b);
}
"""


@params("lock", "try")
def test_finding_names_the_line_of_the_lock(t, how):
    """Where this function took the lock, not where an earlier one took what is called the same."""
    text = (BOX if how == "lock" else BOX.replace("\tpthread_mutex_lock(&b->lock);\n", "\tif (pthread_mutex_trylock(&b->lock))\n\t\treturn;\n", 2).replace(
        "return;", "return 0;", 1)) + KEPT
    path, report = t.file("kept.c", text), t.path("kept.sarif")
    r = told(t, line_of(text, "/* kept */"), "kept.c", "--report", report, path, tag="return-with-lock")
    t.equal(NOTE.findall(r.stdout), [(path, str(line_of(text, "/* taken */")), "2", "it is locked here")], "the note", r)
    with open(report) as f:
        (result,) = json.load(f)["runs"][0]["results"]
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    t.equal([step["location"]["physicalLocation"]["region"]["startLine"] for step in steps],
            [line_of(text, mark) for mark in ("/* taken */", "/* kept */")], "the path")


def test_where_the_first_is_locked(t):
    """Of an order of locks, too."""
    path = t.file("pair.c", PAIR)
    r = told(t, line_of(PAIR, "/* then a */"), "pair.c", path, tag="lock-order")
    t.equal([int(n[1]) for n in NOTE.findall(r.stdout)], [line_of(PAIR, "/* %s */" % mark) for mark in ("first b", "then b", "first a")], "the notes", r)


@params("b", "other")
def test_twice_and_kept(t, name):
    """What one function takes twice, and releases twice, is not handed over: another one that keeps it is told, too."""
    twice = ("void box_twice(struct box *b)\n{\n\tpthread_mutex_lock(&b->lock);\n\tpthread_mutex_lock(&b->lock); /* again */\n\tb->n--;\n"
             "\tpthread_mutex_unlock(&b->lock);\n\tpthread_mutex_unlock(&b->lock);\n}\n").replace("b->", name + "->").replace("*b)", "*%s)" % name)
    text = BOX + KEPT + twice
    found(t, [("kept.c", line_of(text, "/* kept */"), "return-with-lock"), ("kept.c", line_of(text, "/* again */"), "double-lock")], t.file("kept.c", text))


def test_ways_of_publication(t):
    """To the object that is filled too late, and to who uses it meanwhile."""
    text = "#include <stdlib.h>\n" + BOX + """struct box *shared;
static void make(void)
{
	struct box *b = calloc(1, sizeof(*b));

	pthread_mutex_init(&b->lock, NULL);
	shared = b; /* shown */
	b->n = 1; /* late */
}
void start(void) { make(); }
"""
    r = told(t, line_of(text, "/* late */"), "late.c", t.file("late.c", text), tag="P2")
    t.equal([n[3] for n in NOTE.findall(r.stdout)], ["from here, in start", "the object is shared here", "it is used here, in box_get"], "ways", r)


@params("json", "sarif", "html")
def test_report(t, kind):
    """Two findings, one with a way there, in a folder whose name has a blank."""
    os.mkdir(t.path("a folder"))
    t.file("a folder/chain.c", CHAIN + SET + MORE)
    report = t.path("report." + kind)
    r = audit(t, "--report", report, "a folder/chain.c", "gone.c", cwd=t.tmp)
    lines = [line_of(CHAIN, "/* here */"), line_of(CHAIN + SET, "void box_set") + 2]
    t.equal((r.status, r.found), (116, [("chain.c", line, "P3") for line in lines]), "what is found", r)
    t.equal(r.err.splitlines()[1:], ["gone.c: skipped: the file does not exist"], "what is skipped is behind the verdict", r)
    with open(report, encoding="utf-8") as f:
        text = f.read()
    if kind == "html":
        check_html(t, text, lines)
        text = browser.rendered(t, report)
    {"json": check_json, "sarif": check_sarif, "html": check_shown}[kind](t, text, lines)


def check_json(t, text, lines):
    j = json.loads(text)
    t.equal({k: j[k] for k in ("verdict", "status", "files", "functions", "in_baseline", "of_low_confidence")},
            {"verdict": "found", "status": 116, "files": 1, "functions": 6, "in_baseline": 0, "of_low_confidence": 0}, "the run")
    t.equal([(f["file"], f["line"], f["tag"], f["confidence"], f["struct"], f["field"], f["function"]) for f in j["findings"]],
            [("a folder/chain.c", lines[0], "P3", "high", "box", "n", "set"),
             ("a folder/chain.c", lines[1], "P3", "high", "box", "n", "box_set")], "the findings")
    for f in j["findings"]:
        t.check(f["column"] > 0 and f["text"] and all(n["file"] and n["line"] > 0 and n["text"] for n in f["notes"]), "places: %r" % f)
    t.check("from here, in box_clear" in [n["text"] for n in j["findings"][0]["notes"]], "the way: %r" % j["findings"][0])
    t.equal(j["skipped"], [{"file": "gone.c", "why": "the file does not exist"}], "skipped")
    t.equal(j["safe"], [], "safe fields")


def check_location(t, where):
    physical = where["physicalLocation"]
    artifact, region = physical["artifactLocation"], physical["region"]
    t.equal((artifact["uri"], artifact["uriBaseId"]), ("a%20folder/chain.c", "%SRCROOT%"), "the file")
    t.check(region["startLine"] >= 1 and region["startColumn"] >= 1, "the region: %r" % region)
    return region["startLine"]


def check_sarif(t, text, lines):
    """What SARIF 2.1.0 asks for (sections 3.13, 3.14, 3.18, 3.27, 3.28)."""
    j = json.loads(text)
    t.equal((j["version"], j["$schema"]), ("2.1.0", "https://json.schemastore.org/sarif-2.1.0.json"), "what it is")
    (run,) = j["runs"]
    driver = run["tool"]["driver"]
    t.check(driver["name"] and driver["version"], "the tool")
    rules = [rule["id"] for rule in driver["rules"]]
    t.equal(rules, list(corpus.TAGS), "the rules")
    t.check(all(rule["name"].isalnum() and rule["shortDescription"]["text"] for rule in driver["rules"]), "each says what it is")
    t.check(run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints"), "what a column is")
    for result, line in zip(run["results"], lines, strict=True):
        t.equal((result["ruleId"], rules[result["ruleIndex"]], result["level"]), ("P3", "P3", "warning"), "the rule")
        t.check("'n' of struct box" in result["message"]["text"], "the message")
        t.equal([check_location(t, where) for where in result["locations"]], [line], "where")
        t.equal([where["id"] for where in result["relatedLocations"]], list(range(len(result["relatedLocations"]))), "no step is said twice")
        for where in result["relatedLocations"]:
            t.check(check_location(t, where) and where["message"]["text"], "the way")
        check_flows(t, result, line)
        t.equal((result["properties"]["confidence"], result["properties"]["score"]), ("high", 93), "how sure")
        t.check("'lock' is held at 3 of 5 places (+88)" in result["properties"]["evidence"], "why")


def check_flows(t, result, line):
    """3.36 to 3.38: one flow, of it a thread's for each way from a public function, whose last step is the access."""
    (flow,) = result["codeFlows"]
    here, other = ([step["location"] for step in thread["locations"]] for thread in flow["threadFlows"])
    t.equal([check_location(t, where) for where in here][-1], line, "the finding's own place is last")
    t.check("here, in box_" in other[-1]["message"]["text"], "so is the other's: %r" % other[-1])
    t.check(all(where["message"]["text"] for where in here + other), "each says what it is")
    t.equal(len(here) + len(other), len(result["relatedLocations"]) + 1, "all steps are there")


class Tags(HTMLParser):
    """What is open, and the text."""
    EMPTY = ("meta", "link", "br", "hr", "img", "input", "col", "wbr")

    def __init__(self):
        super().__init__()
        self.open, self.text, self.wrong = [], [], []

    def handle_starttag(self, tag, attrs):
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append((tag, self.getpos()))

    def handle_data(self, data):
        self.text.append(data)


def check_html(t, text, lines):
    page = Tags()
    page.feed(text)
    page.close()
    t.equal((page.open, page.wrong), ([], []), "what is opened is closed")
    return "".join(page.text)


def check_shown(t, text, lines):
    shown = check_html(t, text, lines)
    for word in ("b->n = n; /* here */", "set(b, 0); /* from */", "pthread_mutex_unlock(&b->lock);", "a folder/chain.c:%d" % lines[0],
                 "'n' of struct box is written without 'lock'", "confidence: high"):
        t.check(word in shown, "%r is in the page" % word)


def test_baseline(t):
    """What is in it is not told again, also where it has moved; what is new is."""
    known, j = t.path("known.baseline"), t.path("audit.json")
    path = t.file("box.c", BOX + MORE + SET)
    line = line_of(BOX + MORE + SET, "b->n = n;")
    told(t, line, "box.c", "--report", known, path)
    with open(known) as f:
        t.equal([l for l in f.read().splitlines() if not l.startswith("#")], ["P3 box.c box_set n"], "what it says")
    r = sound(t, "--baseline", known, "--report", j, path)
    t.check(r.stdout.endswith("; 1 in the baseline\n"), "the summary", r)
    with open(j) as f:
        report = json.load(f)
    t.equal((report["in_baseline"], report["findings"]), (1, []), "the report", r)
    t.file("box.c", BOX + MORE + "\n\n\n" + SET)
    sound(t, "--baseline", known, path)
    new = BOX + MORE + "\n\n\n" + SET + SET.replace("box_set", "box_put").replace("n;", "n + 1;")
    t.file("box.c", new)
    told(t, line_of(new, "n + 1;"), "box.c", "--baseline", known, "--report", known, path)
    sound(t, "--baseline", known, path)
    r = audit(t, "--baseline", t.path("none.baseline"), path)
    t.error(r, where="--baseline: .*none.baseline: No such file")


# ---- options --------------------------------------------------------------------------------------


def test_type(t):
    """A struct without a lock is looked at when it is named: by its tag, or by a typedef."""
    text = HEAD + """static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
%s
int bag_get(bag *b) { pthread_mutex_lock(&lock); int n = b->n; pthread_mutex_unlock(&lock); return n; }
void bag_set(bag *b, int n) { b->n = n; }
"""
    for number, (declared, names) in enumerate((("typedef struct bag_s { int n; } bag;", ("bag", "bag_s", "struct bag_s")),
                                                ("typedef struct { int n; } bag;", ("bag",)))):
        path = t.file("bag%d.c" % number, text % declared)
        sound(t, path)
        for name in names:
            r = told(t, 5, "bag%d.c" % number, "--type", name, path)
            t.check("written without 'lock'" in r.stdout, "the lock is a global", r)
    two = t.file("two.c", BOX + SET + "struct other { int n; };\nint other_get(struct other *o) { return o->n; }\n")
    sound(t, "--type", "other", two)
    told(t, line_of(BOX + SET, "b->n = n;"), "two.c", "--type", "other", "--type", "struct box", two)
    t.error(audit(t, "--type", "oter", two), where="--type: no struct of these sources is called 'oter'")


def test_own_locks(t):
    """A project's own locks, whose functions cannot be seen."""
    text = """struct my_lock;
void my_take(struct my_lock *lock);
void my_leave(struct my_lock *lock);
/* @thread_safe */
struct box { struct my_lock *lock; int n; };
int box_get(struct box *b) { my_take(b->lock); int n = b->n; my_leave(b->lock); return n; }
void box_set(struct box *b, int n) { my_take(b->lock); b->n = n; my_leave(b->lock); }
int box_keep(struct box *b) { my_take(b->lock); if (b->n) return 1; my_leave(b->lock); return 0; }
void box_bad(struct box *b, int n) { b->n = n; }
"""
    path = t.file("own.c", text)
    r = found(t, [("own.c", n, "P3") for n in (6, 7, 8, 9)], path)
    t.check("without a lock that other accesses also hold" in r.stdout, "nothing is known of a lock", r)
    found(t, [("own.c", 8, "return-with-lock"), ("own.c", 9, "P3")], "--lock", "my_take", "--unlock", "my_leave", path)


def test_own_init(t):
    """A function that makes a project's own lock has the lock's object alone; only --init tells so."""
    text = """struct my_lock { int word; };
void my_make(struct my_lock *lock);
void my_take(struct my_lock *lock);
void my_leave(struct my_lock *lock);
/* @thread_safe */
struct box { struct my_lock lock; int n; };
int box_get(struct box *b) { my_take(&b->lock); int n = b->n; my_leave(&b->lock); return n; }
void box_set(struct box *b, int n) { my_take(&b->lock); b->n = n; my_leave(&b->lock); }
void box_begin(struct box *b) { my_make(&b->lock); b->n = 1; }
void box_clear(struct box *b) { my_take(&b->lock); b->n = 0; my_leave(&b->lock); }
"""
    path = t.file("made.c", text)
    own = ("--lock", "my_take", "--unlock", "my_leave", path)
    line = line_of(text, "void box_begin")
    r = found(t, [("made.c", line, "P1"), ("made.c", line, "P3")], *own)
    t.check("'n' of struct box is written without 'lock'" in r.stdout, "the field", r)
    sound(t, "--init", "my_make", *own)


def test_all(t):
    """Fields that are safe, and why; what is not likely, too."""
    text = HEAD + """struct box { pthread_mutex_t lock; int n, fixed; _Atomic int hits; };
int box_get(struct box *b) { pthread_mutex_lock(&b->lock); int n = b->n; pthread_mutex_unlock(&b->lock); return n; }
void box_set(struct box *b) { pthread_mutex_lock(&b->lock); b->n = b->fixed; pthread_mutex_unlock(&b->lock); }
void box_hit(struct box *b) { b->hits++; }
"""
    r = t.gate("audit", "--all", t.file("safe.c", text))
    t.equal((r.status, r.err), (0, ""), "status", r)
    why = {"n": "guarded by lock", "fixed": "never written after it is shared", "hits": "atomic"}
    t.equal([n[3] for n in NOTE.findall(r.stdout)], ["'%s' of struct box is safe: %s" % pair for pair in why.items()], "why", r)
    low = t.file("low.c", HEAD + "struct box { pthread_mutex_t lock; int n; };\nvoid box_set(struct box *b, int n) { b->n = n; }\n")
    sound(t, low)
    told(t, 3, "low.c", "--all", "--report", t.path("low.sarif"), low)
    with open(t.path("low.sarif")) as f:
        t.equal([result["level"] for result in json.load(f)["runs"][0]["results"]], ["note"], "the level of what is not likely")


PLAIN = """struct plain { int v; };
void plain_set(struct plain *p, int v) { p->v = v; }
int plain_get(struct plain *p) { return p->v; }
"""


def test_asked(t):
    """Of a struct that somebody has named, or marked, all is told, how sure ever it is; it says so itself."""
    path, report = t.file("plain.c", HEAD + PLAIN), t.path("plain.json")
    sound(t, path)
    both = [("plain.c", 3, "P3"), ("plain.c", 4, "P3")]
    r = found(t, both, "--type", "struct plain", "--report", report, path)
    with open(report) as f:
        j = json.load(f)
    t.equal(([f["confidence"] for f in j["findings"]], j["of_low_confidence"]), (["low", "low"], 0), "how sure", r)
    found(t, [(name, line + 1, tag) for name, line, tag in both], t.file("plain.c", HEAD + "/* @thread_safe */\n" + PLAIN))
    locks = HEAD + "%sstruct box { pthread_mutex_t lock; int n; };\nstruct other { pthread_mutex_t lock; int n; };\n" + """struct box *find(int);
struct other *other(int);
void one(void)
{
	struct box *b = find(1);
	struct other *o = other(1);

	pthread_mutex_lock(&b->lock); pthread_mutex_lock(&o->lock);
	pthread_mutex_unlock(&o->lock); pthread_mutex_unlock(&b->lock);
	pthread_mutex_lock(&o->lock);
	pthread_mutex_lock(&b->lock); /* last */
	pthread_mutex_unlock(&b->lock); pthread_mutex_unlock(&o->lock);
}
"""
    path = t.file("locks.c", locks % "")
    sound(t, path)
    told(t, line_of(locks, "/* last */"), "locks.c", "--type", "box", "--type", "other", path, tag="lock-order")
    told(t, line_of(locks, "/* last */"), "locks.c", t.file("locks.c", locks % "/* @thread_safe */ "), tag="lock-order")


SUB = """void box_sub(struct box *b, int n)
{
	int old = b->n;
	b->n = old - n; /* here */
}
"""


def test_evidence(t):
    """Each finding of each confidence has one line with its evidence, whose points add up to the confidence."""
    path = t.file("all.c", CHAIN + SET + PLAIN + SUB + "".join(text + "\n" for text in ALONE.values() if " inner" in text and "hits" in text))
    r = audit(t, "--all", "--type", "box", "--type", "plain", path)
    lines = EVIDENCE.findall(r.stdout)
    t.equal(len(lines), len(r.found), "a line for each", r)
    t.check({level for _, level, _ in lines} >= {"low", "high"}, "low ones, too", r)
    for score, level, words in lines:
        points = [int(n) for n in re.findall(r"\(([-+]\d+)\)", words)]
        t.equal(int(score), max(0, min(100, sum(points))), "the sum: " + words)
        t.equal(level, "high" if int(score) >= 70 else "medium" if int(score) >= 50 else "low", "the level: " + words)


def test_most_functions(t):
    """Two functions that hold the lock say more than the two places of one that does not, if it writes and holds no lock at all."""
    path = t.file("sub.c", BOX + SUB)
    r = told(t, line_of(BOX + SUB, "/* here */"), "sub.c", "--report", t.path("sub.json"), path)
    t.check("written without 'lock', which is held at 2 of 4 places; in box_sub" in r.stdout, "what is told", r)
    with open(t.path("sub.json")) as f:
        t.equal([f["confidence"] for f in json.load(f)["findings"]], ["medium"], "how sure")
    reads = SUB.replace("b->n = old - n", "n = b->n + old")
    sound(t, t.file("reads.c", BOX + reads))
    other = SUB.replace("{\n", "{\n\tpthread_mutex_lock(&other);\n", 1).replace("here */\n", "here */\n\tpthread_mutex_unlock(&other);\n")
    sound(t, t.file("other.c", HEAD + "static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;\n" + BOX[len(HEAD):] + other))
    sound(t, t.file("half.c", BOX + SUB + SUB.replace("box_sub", "box_raise")))


def test_old_c(t):
    """What gcc 12 compiles with a warning is read: clang 16 and later have errors for it."""
    text = HEAD + """struct box { pthread_mutex_t lock; int n; void (*on)(int); };
static counted = 0;
static void tell(char *s) { counted++; say(s); }
int box_get(struct box *b) { int p = (char *)0; pthread_mutex_lock(&b->lock); int n = b->n + p; pthread_mutex_unlock(&b->lock); return n; }
void box_add(struct box *b) { b->on = tell; pthread_mutex_lock(&b->lock); b->n++; pthread_mutex_unlock(&b->lock); }
void box_set(struct box *b, int n) { b->n = n; /* here */ }
"""
    r = told(t, line_of(text, "/* here */"), "old.c", t.file("old.c", text))
    t.check("skipped" not in r.stdout + r.err, "it is read", r)
    cc = HEAD + """#include <mutex>
struct box { std::mutex lock; int n; };
int box_get(box &b) { register int n; std::lock_guard<std::mutex> l(b.lock); n = b.n; return n; }
int box_add(box &b) { std::lock_guard<std::mutex> l(b.lock); return ++b.n; }
void box_set(box &b, int n) { b.n = n; /* here */ }
"""
    told(t, line_of(cc, "/* here */"), "old.cc", t.file("old.cc", cc), "--cflags", "-std=c++17")


def test_high(t):
    """--high: findings of high confidence alone; of many files P3 is that where two threads are known, and four of five places hold the
    lock; an order of locks is not."""
    text = HEAD + """struct box { pthread_mutex_t lock, other; int n, m; };
void box_one(struct box *b) { pthread_mutex_lock(&b->lock); b->n++; pthread_mutex_lock(&b->other); b->n++; pthread_mutex_unlock(&b->other); pthread_mutex_unlock(&b->lock); }
void box_two(struct box *b) { pthread_mutex_lock(&b->other); pthread_mutex_lock(&b->lock); /* order */
	b->n++; pthread_mutex_unlock(&b->lock); pthread_mutex_unlock(&b->other); }
void box_set(struct box *b, int n) { b->n = n; /* set */ }
static struct { pthread_mutex_t lock; int steps; } known = {PTHREAD_MUTEX_INITIALIZER, 0};
static void *step(void *x)
{
	pthread_mutex_lock(&known.lock);
	known.steps++;
	known.steps++;
	known.steps++;
	known.steps++;
	pthread_mutex_unlock(&known.lock);
	return x;
}
int begin(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, step, NULL);
	known.steps = 0; /* begin */
	return 0;
}
"""
    def lines(*marks):
        return sorted(("box.c", line_of(text, "/* %s */" % mark), "lock-order" if mark == "order" else "P3") for mark in marks)
    path, others = t.file("box.c", text), [t.file("f%d.c" % i, "int f%d;\n" % i) for i in range(20)]
    found(t, lines("order", "set", "begin"), "--high", path)
    found(t, lines("order", "set", "begin"), path, *others[:19])
    found(t, lines("order", "set", "begin"), "--high", path, *others[:19])
    r = found(t, lines("order", "set", "begin"), path, *others)
    t.equal([level for _, level, _ in EVIDENCE.findall(r.stdout)], ["medium", "medium", "high"], "how sure", r)
    r = found(t, lines("begin"), "--high", "--report", t.path("high.json"), path, *others)
    t.check("; 2 of medium confidence not shown (without --high)" in r.stdout, "the summary", r)
    with open(t.path("high.json")) as f:
        j = json.load(f)
    t.equal((len(j["findings"]), j["of_medium_confidence"], j["of_low_confidence"]), (1, 2, 0), "the counts")
    r = t.gate("audit", "--high", "--all", path)
    t.equal((r.status, r.err), (125, "gatectl: error: --all and --high exclude each other\n"
                              "try: one of them: --high prints the fewest findings, --all all\n"), "both", r)


def test_share_of_few_and_of_many(t):
    """Where half of the places hold the lock, four of them say something, of two known threads, and six do not: the lock may be held
    for something else."""
    def program(places):
        bare = "\tb.n--;\n" * (places - 1)
        held = "\tpthread_mutex_lock(&b.lock);\n" + "\tb.n++;\n" * places + "\tpthread_mutex_unlock(&b.lock);\n"
        return HEAD + f"""static struct {{ pthread_mutex_t lock; int n; }} b = {{PTHREAD_MUTEX_INITIALIZER, 0}};
static void *one(void *x)
{{
{held}	return x;
}}
static void *two(void *x)
{{
	b.n -= 2; /* here */
{bare}	return x;
}}
int main(void)
{{
	pthread_t x, y;

	pthread_create(&x, NULL, one, NULL);
	pthread_create(&y, NULL, two, NULL);
	pthread_join(x, NULL);
	return pthread_join(y, NULL);
}}
"""
    few = program(2)
    r = told(t, line_of(few, "/* here */"), "few.c", t.file("few.c", few))
    t.check("which is held at 2 of 4 places" in r.stdout and "medium: 'lock' is held at 2 of 4 places (+40); two threads" in r.stdout, "few", r)
    many = t.file("many.c", program(3))
    sound(t, many)
    r = told(t, line_of(program(3), "/* here */"), "many.c", "--all", many)
    t.check("low: 'lock' is held at 3 of 6 places (+25); two threads are known to reach both places (+15); it is written here (+5)\n" in r.stdout, "many", r)


def test_lock_behind_its_pointer(t):
    """A lock that a pointer leads to does not guard the pointer, which is read before."""
    text = HEAD + """struct box { pthread_mutex_t lock; int n; };
static struct box *box;
void box_set(struct box *b) { box = b; /* here */ }
int box_get(void)
{
	pthread_mutex_lock(&box->lock);
	int n = box->n;
	n += box->n;
	n += box->n;
	pthread_mutex_unlock(&box->lock);
	return n;
}
"""
    path = t.file("behind.c", text)
    sound(t, path)
    r = audit(t, "--all", path)
    t.check(("behind.c", line_of(text, "/* here */"), "P3") in r.found, "the pointer", r)
    t.check("'box' is written without a lock that other accesses also hold; in box_set" in r.stdout and "no lock is held at any of 6 places" in r.stdout,
            "no lock guards it", r)


def test_marks(t):
    """Comments before or behind a declaration say what the analysis cannot know."""
    marked = BOX.replace("struct box { pthread_mutex_t lock; int n; };", """%s
struct box {
	pthread_mutex_t lock, other;
	int n; %s
};""") + SET
    line = line_of(marked, "b->n = n;")
    sound(t, t.file("alone.c", marked % ("/* @not_shared: each thread has its own */", "")))
    told(t, line, "box.c", t.file("box.c", marked % ("/* a box */", "/* how many */")))
    r = found(t, [("by.c", n, "P3") for n, l in enumerate(marked.splitlines(), 1) if "b->n" in l],
              t.file("by.c", marked % ("", "/* @guarded_by(other) */")))
    t.check("without 'other', which its @guarded_by names" in r.stdout, "the lock that is named", r)
    path = t.file("by.c", marked % ("", "/* @guarded_by(lock) */"))
    told(t, line, "by.c", path)
    r = t.gate("audit", t.file("by.c", marked % ("", "/* @guarded_by(lok) */")))
    t.check(r.status == 125 and "by.c:5: @guarded_by(lok): struct box has no field 'lok'" in r.err, "a misspelt lock is told", r)
    plain = HEAD + """static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
%s
struct bag { int n; };
int bag_get(struct bag *b) { pthread_mutex_lock(&lock); int n = b->n; pthread_mutex_unlock(&lock); return n; }
void bag_set(struct bag *b, int n) { b->n = n; }
"""
    sound(t, t.file("bag.c", plain % "/* nobody's */"))
    told(t, 6, "bag.c", t.file("bag.c", plain % "/* @thread_safe */"))


# ---- compile_commands.json ------------------------------------------------------------------------


def commands(t, *entries, folder="build"):
    os.makedirs(t.path(folder), exist_ok=True)
    t.file(folder + "/compile_commands.json", json.dumps(entries))
    return t.path(folder)


def project(t):
    """A helper of another file that is called under the lock, and once without; a header by -I, a field by -D."""
    for folder in ("src", "include"):
        os.makedirs(t.path(folder), exist_ok=True)
    t.file("include/types.h", HEAD + "struct box { pthread_mutex_t lock; int FIELD; };\nvoid box_note(struct box *b, int n);\n")
    t.file("src/help.c", '#include "types.h"\nvoid box_note(struct box *b, int n) { b->n = n; }\n')
    box = BOX.replace(HEAD + "struct box { pthread_mutex_t lock; int n; };", '#include "types.h"').replace("b->n += n;", "box_note(b, n);")
    t.file("src/box.c", box + "int main(void) { pthread_t p; pthread_create(&p, 0, 0, 0); return 0; }\n")
    t.file("src/use.c", '#include "types.h"\nvoid use(struct box *b) { box_note(b, 1); }\n'
           "static void *uses(void *b) { use(b); return 0; }\nint start(struct box *b) { pthread_t p; return pthread_create(&p, 0, uses, b); }\n")
    build = t.path("build")
    command = "cc -I../include -DFIELD=n -O2 -Wno-such-warning -fno-such-thing -o %s.o -c ../src/%s.c"
    return [{"directory": build, "file": "../src/%s.c" % name, "command": command % (name, name)} for name in ("help", "box")] + [
        {"directory": build, "file": "../src/use.c", "arguments": shlex.split(command % ("use", "use"))}]


def test_commands(t):
    units = project(t)
    r = sound(t, "-p", commands(t, *units[:2]))
    t.check(r.stdout.startswith("2 files, "), "two units", r)
    build = commands(t, *units)
    r = told(t, 2, "help.c", "-p", "build", "--report", "here.json", "--report", "build/there.html", cwd=t.tmp)
    t.check(r.stdout.startswith("src/help.c:2:39: warning: 'n' of struct box is written without 'lock'"), "the helper", r)
    t.check("src/use.c:2:27: note: from here, in use\n" in r.stdout, "who calls it without", r)
    t.check(os.path.exists(t.path("here.json")) and os.path.exists(t.path("build/there.html")), "reports are where they are wanted", r)
    r = sound(t, "-p", build, t.path("src/box.c"))
    t.check(r.stdout.startswith("1 file, "), "of its units only those that are named", r)
    t.error(audit(t, t.path("src/box.c")), where=r"src/box\.c: line 1: 'types\.h' file not found")
    sound(t, "--cflags", "-I %s -DFIELD=n" % t.path("include"), t.path("src/box.c"))
    r = audit(t, "-p", commands(t, *units[:2], dict(units[0], file="../src/gone.c")))
    t.equal((r.status, r.err), (0, t.path("src/gone.c").replace("/src/", "/build/../src/") + ": skipped: the file does not exist\n"), "gone", r)


def objects(t, **of):
    """Commands for files whose objects go to folders of their targets, as CMake names them."""
    return [{"directory": t.path("."), "file": name + ".c", "command": "cc -o CMakeFiles/%s.dir/%s.c.o -c %s.c" % (target, name, name)}
            for name, targets in of.items() for target in targets]


def test_programs(t):
    """Two programs in one file of commands: what one does is never beside the other, nor is anything in one without threads."""
    t.file("types.h", HEAD + "struct box { pthread_mutex_t lock; int n; };\nvoid say(int n);\nint box_get(struct box *b);\nvoid box_add(struct box *b, int n);\n")
    t.file("box.c", '#include "types.h"\n' + BOX[BOX.index("int box_get"):])
    t.file("log.c", '#include "types.h"\nvoid say(int n) { (void)n; }\n')
    t.file("user.c", '#include "types.h"\nvoid say(int n) { (void)n; }\nvoid box_set(struct box *b, int n) { say(n); b->n = n; }\n')
    t.file("starts.c", '#include "types.h"\nint main(void) { struct box *b = 0; pthread_t p; pthread_create(&p, 0, 0, 0); box_add(b, 1); return box_get(b); }\n')
    main = '#include "types.h"\nvoid box_set(struct box *b, int n);\nvoid *run(void *b) { box_add(b, 1); return 0; }\nint main(void) { struct box *b = 0; %sbox_set(b, 1); return box_get(b); }\n'
    thread = "pthread_t p; pthread_create(&p, 0, run, b); "
    t.file("main.c", main % thread)
    told(t, 3, "user.c", "-p", commands(t, *objects(t, box=["tool"], user=["tool"], main=["tool"])))
    t.file("main.c", main % "")
    sound(t, "-p", commands(t, *objects(t, box=["tool"], user=["tool"], main=["tool"])))
    t.file("main.c", main % thread)
    sound(t, "-p", commands(t, *objects(t, box=["one"], log=["one"], starts=["one"], user=["two"])))


def test_stand_in(t):
    """A library to preload defines read(): a call of another target means the system's, which takes no lock. One of the same target
    means its own."""
    t.file("stand_in.c", HEAD + "#include <unistd.h>\nvoid box_poll(void);\nssize_t read(int fd, void *b, size_t n) { box_poll(); return fd; }\n")
    t.file("poll.c", HEAD + """#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int polled;
void box_poll(void)
{
	pthread_mutex_lock(&lock);
	polled++;
	pthread_mutex_unlock(&lock);
}
long box_read(int fd, char *to)
{
	long n;

	pthread_mutex_lock(&lock);
	n = polled ? read(fd, to, 1) : 0;
	pthread_mutex_unlock(&lock);
	return n;
}
""")
    sound(t, "-p", commands(t, *objects(t, poll=["box"], stand_in=["preload"])))
    found(t, [("poll.c", 16, "double-lock")], "-p", commands(t, *objects(t, poll=["box"], stand_in=["box"])))


def test_statics_of_one_name(t):
    """Two files of one name, in two folders, each with a static lock and a static counter: they are two programs."""
    text = HEAD + "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\nstatic int n;\nvoid %s_add(int by)\n{\n%s\tn += by;\n%s}\n" \
        "int %s_get(void)\n{\n%s\tint is = n;\n%s\treturn is;\n}\n"
    both = ("\tpthread_mutex_lock(&lock);\n", "\tpthread_mutex_unlock(&lock);\n")
    os.makedirs(t.path("a"))
    os.makedirs(t.path("b"))
    t.file("a/box.c", text % ("a", *both, "a", *both))
    t.file("b/box.c", text.replace("static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n", "") % ("b", "", "", "b", "", ""))
    r = sound(t, "-p", commands(t, *[{"directory": t.path(folder), "file": "box.c", "command": "cc -c box.c"} for folder in ("a", "b")]))
    t.check(", 0 structs and 2 variables that threads may share" in r.stdout, "each has its own", r)


def test_not_called(t):
    """A function that nothing calls, of a library whose other functions a program calls, may be dead code, unless it is a shared one."""
    box = BOX + SET
    t.file("box.c", box)
    t.file("main.c", HEAD + """struct box;
int box_get(struct box *b);
void box_add(struct box *b, int n);
static void *run(void *b) { box_add(b, 1); return 0; }
int main(int argc, char **argv)
{
	pthread_t p;

	pthread_create(&p, 0, run, argv[0]);
	return box_get((struct box *)argv[0]);
}
""")
    line = [("box.c", line_of(box, "b->n = n;"), "P3")]
    found(t, line, t.path("box.c"))
    of_box, of_main = objects(t, box=["box"], main=["tool"])
    sound(t, "-p", commands(t, of_box, of_main))
    found(t, line, "-p", commands(t, dict(of_box, command=of_box["command"] + " -fPIC"), of_main))


def test_utf16_columns(t):
    """SARIF counts UTF-16 units: 2 bytes of UTF-8 are one, 4 bytes are two."""
    report = t.path("r.sarif")
    wide = SET.replace("\tb->n", "\t/* \u00e4\U0001f600 */ b->n")
    r = audit(t, "--report", report, t.file("box.c", BOX + wide))
    column = int(FINDING.search(r.stdout).group(3))
    with open(report, encoding="utf-8") as f:
        where = json.load(f)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]
    line = (BOX + wide).splitlines()[where["startLine"] - 1]
    t.equal((column, where["startColumn"]), (line.encode().index(b"b->n") + 1, len(line[:line.index("b->n")].encode("utf-16-le")) // 2 + 1), "columns", r)


def test_broken_commands(t):
    """One error that says what is wrong, and nothing of libclang's own."""
    os.mkdir(t.path("build"))
    for text, why in (("", "Expected array"), ("{", "Expected array"), ("no JSON", "Expected array"), ("[1]", "Expected object"),
                      ("[{}]", 'Missing key: "file"'), ('[{"directory": "/", "file": "x.c"}]', 'Missing key: "command"')):
        t.file("build/compile_commands.json", text)
        r = t.error(audit(t, "-p", t.path("build")), where="build/compile_commands.json: " + why)
        t.equal(r.err.count("\n"), 2, "the error, and what to try", r)
    t.error(audit(t, "-p", t.path("none")), where="none: no compile_commands.json that can be read")
    t.error(audit(t, "-p", commands(t)), where="there is no file to read")


# ---- input that is wrong, or strange ------------------------------------------------------------


def test_skipped(t):
    """What cannot be read is told, with the reason; the rest is looked at."""
    good = t.file("good.c", BOX)
    bad = {"missing.c": ('#include "none.h"\n', "line 1: 'none.h' file not found"),
           "syntax.c": (BOX + "int f( {\n", "line 16: "),
           "self.c": ('#include "self.c"\n', "line 1: #include nested too deeply"),
           "nested.c": ("int f(int a)\n{\n\tint g(int b) { return a + b; }\n\treturn g(1);\n}\n", "line 3: function definition is not allowed here"),
           "zero.c": ("int n;\n# include  \"/dev/zero\"\n", "line 2: '/dev/zero' is not a file"),
           "by_header.c": ('#include "deep.h"\n', "%s:2: 'pipe.c' is not a file" % t.path("deep.h")),
           "again.c": ('#include "deep.h"\n', "%s:2: 'pipe.c' is not a file" % t.path("deep.h")),
           "box.cc": ("class box { std::mutex m; };\n", "line 1: "), "box.rs": ("struct Box;\n", "it is not C or C++"), "box.h": (BOX, "it is not C or C++")}
    os.mkdir(t.path("folder.c"))
    os.mkfifo(t.path("pipe.c"))
    t.file("deep.h", '#include "deep.h"\n#include "pipe.c"\n')
    paths = [t.file(name, text) for name, (text, _) in bad.items()] + [t.path(name) for name in ("gone.c", "folder.c", "pipe.c")] + [t.tmp]
    why = [w for _, w in bad.values()] + ["the file does not exist", "it is not a regular file", "it is not a regular file", "it is not C or C++"]
    r = audit(t, good, *paths)
    t.equal(r.status, 0, "status", r)
    lines = r.err.splitlines()
    t.equal(len(lines), len(paths), "a line for each", r)
    for line, path, text in zip(lines, paths, why):
        t.check(line.startswith("%s: skipped: %s" % (path, text)), "%s: %r in %r" % (path, text, line), r)
    t.check(r.stdout.startswith("1 file, 15 lines, ") and r.stdout.endswith("; 14 files skipped\n"), "the summary", r)
    t.error(audit(t, *paths), where="none of 14 files can be read; the first: %s: line 1: " % re.escape(paths[0]))


def test_included_by_options(t):
    """Headers that are searched for in folders, and by options; /dev/null is none that lasts."""
    os.mkdir(t.path("inc"))
    os.mkfifo(t.path("inc/pipe.h"))
    path = t.file("box.c", BOX)
    t.error(audit(t, "--cflags", "-I %s" % t.path("inc"), t.file("x.c", "#include <pipe.h>\n")), where="x.c: line 1: 'pipe.h' is not a file")
    t.error(audit(t, "--cflags", "-I%s -include pipe.h" % t.path("inc"), path), where="box.c: -include pipe.h: this is not a file")
    sound(t, "--cflags", "-include /dev/null", path)


def no_clang(t):
    """A folder where no libclang can be loaded from."""
    os.mkdir(t.path("lib"))
    for name in ["libclang.so"] + [form % v for v in range(14, 25) for form in ("libclang-%d.so.1", "libclang-%d.so.13", "libclang.so.%d")]:
        t.file("lib/" + name, "")
    return t.path("lib")


def test_no_libclang(t):
    r = t.error(audit(t, t.file("box.c", BOX), env={"LD_LIBRARY_PATH": no_clang(t)}), where="libclang, which cannot be loaded: .*file too short")
    t.equal(r.err.splitlines()[1:], ["try: install it again: apt-get install libclang-dev"], "what to do", r)


def test_libclang_without_headers(t):
    """A newer libclang whose own headers are not there: an older one is taken, or, if there is none, it is said."""
    with open(os.path.join(ROOT, "tracer", "audit", "frontend", "reader.h"), encoding="utf-8") as f:
        names = re.findall(r"\bX\((\w+)\)", f.read())
    text = "".join("long clang_%s(void)\n{\n\treturn 1;\n}\n" % name for name in names)
    box = t.file("box.c", BOX)
    os.mkdir(t.path("new"))
    os.symlink(compile_text("without_headers.c", text, "-shared -fPIC"), t.path("new/libclang-24.so.1"))
    sound(t, box, env={"LD_LIBRARY_PATH": t.path("new")})
    r = t.error(audit(t, box, env={"LD_LIBRARY_PATH": t.path("new") + ":" + no_clang(t)}), where="box.c: libclang cannot read it")
    t.equal(r.err.splitlines()[1:], ["try: libclang 24 lacks its own headers: apt-get install libclang-common-24-dev"], "what to do", r)


TRACED = """#define TRACE_LOCK() do { if (!quiet) pthread_mutex_lock(&trace_lock); } while (0)
#define TRACE_UNLOCK() do { if (!quiet) pthread_mutex_unlock(&trace_lock); } while (0)
#define BOTH(x) __extension__ ({ pthread_mutex_lock(&b->lock); int old = (x)++; pthread_mutex_unlock(&b->lock); old; })
extern int quiet;
extern void note(int n);
static pthread_mutex_t trace_lock = PTHREAD_MUTEX_INITIALIZER;
static int lines, most;
void trace(void)
{
	int n;

	TRACE_LOCK();
	if (lines >= most) {
		TRACE_UNLOCK();
		return;
	}
	n = ++lines;
	TRACE_UNLOCK();
	note(n);
	TRACE_LOCK();
	lines--;
	TRACE_UNLOCK();
}
int box_next(struct box *b)
{
	return BOTH(b->n);
}
"""


def names_operators():
    """Whether a libclang is here, with its headers, that names operators."""
    for v in range(17, 25):
        try:
            ctypes.CDLL("libclang-%d.so.1" % v)
        except OSError:
            continue
        if glob.glob("/usr/lib/llvm-%d/lib/clang/*/include/stddef.h" % v):
            return True
    return False


@params("newest", "before-17")
def test_operators_in_macros(t, version):
    """libclang 17 and later names operators in macros; that an older one makes audit guess is said."""
    env = {}
    if version == "before-17":
        os.mkdir(t.path("lib"))
        for form in ("libclang-%d.so.1", "libclang-%d.so.13", "libclang.so.%d"):
            for v in range(17, 25):
                t.file("lib/" + form % v, "")
        env = {"LD_LIBRARY_PATH": t.path("lib")}
    r = audit(t, t.file("traced.c", BOX + TRACED), env=env)
    if version == "before-17" and "cannot be loaded" in r.err:
        t.error(r, where="libclang, which cannot be loaded: .*file too short")  # no older one is here
    elif (version == "newest" and names_operators()) or "operators in macros guessed (libclang 17 and later name them)" not in r.stdout:
        t.equal((r.status, r.found, r.err), (0, [], ""), "nothing is found", r)
        t.check("guessed" not in r.stdout, "all operators are known", r)


def test_wrong_options(t):
    good = t.file("good.c", BOX)
    t.error(audit(t), where="no file, and no -p BUILD_DIR, was given")
    t.error(audit(t, "--report", t.path("audit.txt"), good), where=r"audit\.txt: the name has to end in \.sarif")
    for name in ("none/audit.json", "none/audit.sarif"):
        t.error(audit(t, "--report", t.path(name), good), where=name + ": cannot be written")
    t.error(audit(t, "--type", good), where="no file, and no -p BUILD_DIR, was given")
    t.check(not os.path.exists(t.path("audit.txt")), "nothing is written")


def test_options_end(t):
    """`--` ends options, wherever it stands: a file may begin with a dash."""
    t.file("-dash.c", BOX)
    t.file("good.c", BOX)
    for words in (["--", "-dash.c"], ["--type", "box", "--", "-dash.c"], ["good.c", "--", "-dash.c"], ["--", "good.c", "-dash.c"]):
        r = t.gate("audit", *words, cwd=t.tmp)
        t.equal((r.status, r.err), (0, ""), words, r)
        t.check(r.stdout.startswith("%d file" % (("good.c" in words) + 1)), "which were read", r)
    t.error(t.gate("audit", "--", "--type", cwd=t.tmp), where="--type: ")
    t.error(audit(t, "--"), where="no file, and no -p BUILD_DIR, was given")


STRANGE = {
    "computed goto": """void box_goto(struct box *b, int i)
{
	static void *const to[] = { &&one, &&two };
	goto *to[i];
one:
	b->n = 1; /* bad */
	return;
two:
	pthread_mutex_lock(&b->lock);
	b->n = 2;
	pthread_mutex_unlock(&b->lock);
}
""",
    "statement expressions": """#define GET(b) ({ pthread_mutex_lock(&(b)->lock); int n_ = (b)->n; pthread_mutex_unlock(&(b)->lock); n_; })
int box_value(struct box *b) { return GET(b); }
int box_next(struct box *b) { return ({ int n = b->n++; n; }); } /* bad */
""",
    "K&R": "void box_set(b, n)\n\tstruct box *b;\n\tint n;\n{\n\tb->n = n; /* bad */\n}\n",
    "_Generic": """void by_int(struct box *b, int n) { pthread_mutex_lock(&b->lock); b->n = n; pthread_mutex_unlock(&b->lock); }
void by_long(struct box *b, long n) { (void)b; (void)n; }
void box_set(struct box *b, int n) { _Generic(n, int: by_int, long: by_long)(b, n); }
void box_put(struct box *b, int n) { _Generic(b, struct box *: b->n, default: 0) = n; } /* bad */
""",
    "200 ifs": "void box_deep(struct box *b, int a)\n{\n" + "".join("if (a > %d) {\n" % i for i in range(200)) + "b->n = a; /* bad */\n" + "}\n" * 200 + "}\n",
    "5000 statements": "int box_long(struct box *b, int a)\n{\n" + "".join("int v%d = a + %d;\n" % (i, i) for i in range(5000)) + (
        "b->n = v4999; /* bad */\nreturn v1;\n}\n"),
    "2000 locks in turn": "struct two { pthread_mutex_t a, b; int x; };\nvoid two_set(struct two *t)\n{\n" + "".join(
        "pthread_mutex_lock(&t->%s); t->x = %d; pthread_mutex_unlock(&t->%s);\n" % (c, i, c) for i, c in enumerate("ab" * 1000)) + (
        "}\nvoid two_one(struct box *b) { b->n = 1; } /* bad */\n"),
}


@params("small", "large")
def test_strange(t, size):
    for name, text in STRANGE.items():
        if (size == "large") != name[0].isdigit():
            continue
        all_of = BOX + text
        path = t.file("strange.c", all_of)
        r = audit(t, path)
        t.check(("strange.c", line_of(all_of, "/* bad */"), "P3") in r.found, name, r)
        t.check(len(r.found) == 1 or name == "2000 locks in turn", name + ": nothing else", r)
        t.check(r.spent < 5, "%s: %.1f s" % (name, r.spent))


def test_control_characters(t):
    """In the name of a file they break no line: of a finding, its notes, the verdict, what is skipped, a baseline."""
    name, shown, known = "new\nline\x1b[31m.c", r"new\nline\x1b[31m.c", t.path("known.baseline")
    path = t.file(name, CHAIN)
    r = told(t, line_of(CHAIN, "/* here */"), shown, "--report", known, name, cwd=t.tmp)
    t.check(r.stdout.startswith(shown + ":") and "\x1b" not in r.stdout, "the findings", r)
    t.equal(len(r.stdout.splitlines()), 2 + len(NOTE.findall(r.stdout)) + 1, "a line for each", r)
    with open(known) as f:
        t.equal(f.read().splitlines()[1:], ["P3 %s set n" % shown], "the baseline")
    sound(t, "--baseline", known, path)
    r = audit(t, t.file("good.c", BOX), "no\nne.c", cwd=t.tmp)
    t.equal(r.err, "no\\nne.c: skipped: the file does not exist\n", "what is skipped", r)
    r = t.error(audit(t, "no\nne.c", cwd=t.tmp), where=r"the first: no\\nne\.c: the file does not exist$")
    t.equal(r.err.count("\n"), 2, "the error, and what to try", r)


def test_empty(t):
    for text in ("", "\n", "/* nothing */"):
        r = sound(t, t.file("empty.c", text))
        t.check(r.stdout.startswith("1 file, "), "the summary", r)


IDIOMS = """#include <stdlib.h>
static int box_peek(struct box *b) { return b->n; }
static void box_raise(struct box *b) { b->n = 7; }
int box_braces(void) { struct box b = { PTHREAD_MUTEX_INITIALIZER, 1 }; b.n = 2; return box_get(&b); }
struct box *box_new(void)
{
	struct box *b = malloc(sizeof(*b));

	if (b)
		*b = (struct box){ PTHREAD_MUTEX_INITIALIZER, 1 };
	return b;
}
#define EACH(i, n) for (int i = 0; i < (n); i++)
static int box_may(int x) { if (x < 3) return 0; return 5; }
int box_loop(struct box *b, int n)
{
	pthread_mutex_lock(&b->lock);
	EACH(i, n) { b->n += i; b->n++; }
	n = box_peek(b);
	pthread_mutex_unlock(&b->lock);
	return n;
}
int box_maybe(struct box *b, int n)
{
	if (box_may(n) != 0)
		return 1;
	pthread_mutex_lock(&b->lock);
	box_raise(b);
	pthread_mutex_unlock(&b->lock);
	return 0;
}
int box_switch(struct box *b, int what)
{
	pthread_mutex_lock(&b->lock);
	switch (what) {
	case 0:
		b->n = 1;
		/* fall through */
	case 1:
		pthread_mutex_unlock(&b->lock);
		return 1;
	default:
		pthread_mutex_unlock(&b->lock);
	}
	return 0;
}
"""


def test_idioms(t):
    """An initialiser in braces copies no object; one of the ways of a switch with a default is gone; what is behind a loop of a
    macro, and behind a function that gives 0 or not, is reached: a helper that is called there alone is no public function."""
    sound(t, t.file("idioms.c", BOX + IDIOMS))
    kept = IDIOMS.replace("\tdefault:\n\t\tpthread_mutex_unlock(&b->lock);\n", "")
    found(t, [("idioms.c", len((BOX + kept).splitlines()) - 1, "return-with-lock")], t.file("idioms.c", BOX + kept))


# ---- made to happen -----------------------------------------------------------------------------

DRIVEN = {"forgotten_lock": "status", "flag_set_unlocked": "deadlock", "publish_then_fill": "status", "transfer_both_ways": "deadlock", "last_permit_twice": "status"}


def driver(path, defines="-DDRIVER"):
    with open(path, encoding="utf-8") as f:
        return compile_text(os.path.basename(path), f.read(), f"-std=gnu11 -g -O0 -pthread {defines}")


@params(*DRIVEN)
def test_confirmed(t, name):
    """A finding is made to happen in a program, and comes back as a script that does so."""
    path = os.path.join(ROOT, "tests", "audit", "faults", name + ".c")
    program, folder, report = driver(path), t.path("found"), t.path("audit.json")
    r = t.gate("audit", "--confirm", program, "--verify", "10", "-o", folder, "--report", report, path)
    t.equal(r.status, 116, "found", r)
    t.check("; 1 of 1 confirmed" in r.stdout and ": note: confirmed: " in r.stdout, "confirmed", r)
    with open(report) as f:
        (finding,) = json.load(f)["findings"]
    t.equal((finding["confirmed"], finding["script"]), (True, folder + "/1/gates.lua"), "in the report", r)
    r = t.gate("run", "-g", finding["script"], program)
    t.equal((r.status, r.err), (0, ""), "the script forces it", r)


FAST = BOX + """void box_fast(struct box *b)
{
	b->n++;
}
static struct box the = { PTHREAD_MUTEX_INITIALIZER, 0 };
static void *worker(void *p)
{
	box_add(&the, 1);
	box_fast(&the);
	return p;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, worker, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return box_get(&the) != 4;
}
"""


@params(*[(cc, level) for cc in ("gcc", "clang") for level in ("-O0", "-O1", "-O2")])
def test_confirmed_update(t, build):
    """An update that is lost within one instruction confirms the finding, too; there is a script where it is two instructions."""
    cc, level = build
    program = compile_text("fast.c", FAST, f"-g {level} -pthread", cc)
    r = t.gate("audit", "--confirm", program, "--for", wall(20), "--verify", "10", "-o", t.path("found"), t.file("fast.c", FAST))
    t.check("; 1 of 1 confirmed" in r.stdout and ": note: confirmed: exit status 1" in r.stdout, "confirmed", r)
    how = "gates.lua forces it (10 of 10 runs)" if level == "-O0" else "and writes it in one instruction, within which only a replay can hold it"
    t.check(how in r.stdout, "how", r)


def test_confirmed_table(t):
    """tests/audit/confirm.py, of three modules."""
    r = t.run([sys.executable, os.path.join(ROOT, "tests", "audit", "confirm.py"), "--gatectl", t.gatectl, "--for", str(wall(20)), "--runs", "20",
               "last_permit_twice", "order_by_helper", "volatile_counter"], seconds=300)
    t.equal(r.status, 0, "all are confirmed", r)
    t.check("\n3 findings: 3 confirmed, 3 by a script that forces it in 20 of 20 runs\n" in r.stdout, "the sum", r)


@params("verifying", "making")
def test_confirmed_in_time(t, what):
    """--for bounds how long a script is verified, too; and there is a limit to the making of one."""
    path = os.path.join(ROOT, "tests", "audit", "faults", "transfer_both_ways.c")
    option, text = {"verifying": (("--for", wall(2), "--verify", "1000000"), "gates.lua forces it (all of the "),
                    "making": (("--gates-for", "0.01", "--verify", "1"), "gates.lua forces it (1 of 1 runs)")}[what]
    r = t.gate("audit", "--confirm", driver(path), "-o", t.path("found"), *option, path)
    t.check("note: confirmed: a deadlock" in r.stdout and text in r.stdout, "it is confirmed", r)
    if what == "verifying":
        t.check(re.search(r" runs that \d+ s gave of the 1000000 asked for\)", r.stdout), "as long as it says", r)
    else:
        with open(t.path("found/1/gates.lua")) as f:
            t.check("no time to try the script without each of its gates" in f.read().replace("\n-- ", " "), "the first gates, all of them", r)
    t.check("; 1 of 1 confirmed" in r.stdout, "the summary", r)


def test_not_confirmed(t):
    """A program that never comes there; one that has none of these lines; none at all."""
    path = os.path.join(ROOT, "tests", "audit", "faults", "forgotten_lock.c")
    with open(path, encoding="utf-8") as f:
        module = f.read()
    idle = compile_text("forgotten_lock.c", module + "int main(void) { return 0; }\n", "-std=gnu11 -g -O0 -pthread")
    for program, why in ((idle, "nothing failed in "), (compile_text("other.c", "int main(void) { return 0; }\n", "-g"), "no source file forgotten_lock.c")):
        r = t.gate("audit", "--confirm", program, "-n", "50", "-o", t.path("found"), path)
        t.equal(r.status, 116, "found", r)
        t.check("; 0 of 1 confirmed" in r.stdout and why in r.stdout.split("note: not confirmed: ")[1], why, r)
    t.check(not os.path.exists(t.path("found")), "nothing was written", r)
    r = t.gate("audit", "--confirm", t.path("none"), "-o", t.path("found"), path)
    t.equal(r.status, 127, "no such program", r)


CROSSED = HEAD + """struct pair { pthread_mutex_t a, b; int n; };
static struct pair shared = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, 0 };
void pair_add(struct pair *p) { pthread_mutex_lock(&p->a); p->n++; pthread_mutex_unlock(&p->a); }
void pair_take(struct pair *p) { pthread_mutex_lock(&p->a); p->n--; pthread_mutex_unlock(&p->a); }
int pair_peek(struct pair *p)
{
	return p->n; /* P3 */
}
void pair_there(struct pair *p)
{
	pthread_mutex_lock(&p->a);
	pthread_mutex_lock(&p->b);
	pthread_mutex_unlock(&p->b);
	pthread_mutex_unlock(&p->a);
}
void pair_back(struct pair *p)
{
	pthread_mutex_lock(&p->b);
	pthread_mutex_lock(&p->a); /* lock-order */
	pthread_mutex_unlock(&p->a);
	pthread_mutex_unlock(&p->b);
}
void pair_twice(struct pair *p)
{
	pthread_mutex_lock(&p->a);
	pthread_mutex_lock(&p->a); /* double-lock */
	pthread_mutex_unlock(&p->a);
}
int pair_keep(struct pair *p, int n)
{
	pthread_mutex_lock(&p->a);
	if (n)
		return 1; /* return-with-lock */
	pthread_mutex_unlock(&p->a);
	return 0;
}
static void *one(void *arg)
{
	pair_add(&shared);
	pair_take(&shared);
	%s;
	return arg;
}
static void *other(void *arg)
{
	%s;
	return arg;
}
int main(void)
{
	pthread_t a, b;
	void *answer;

	pthread_create(&a, 0, one, 0);
	pthread_create(&b, 0, other, 0);
	pthread_join(a, 0);
	pthread_join(b, &answer);
	return answer != 0;
}
"""
# What the two threads do, and which findings that confirms.
CROSS = {
    "another_order": ("pair_there(&shared)", "pair_peek(&shared); pair_back(&shared)", ["lock-order"]),
    "both": ("pair_there(&shared)", "arg = pair_peek(&shared) ? &shared : 0; pair_back(&shared)", ["P3", "lock-order"]),
    "twice": ("pair_peek(&shared)", "pair_twice(&shared)", ["double-lock"]),
    "kept": ("pair_peek(&shared)", "pair_keep(&shared, arg == 0)", ["return-with-lock"]),
    "kept_by_another": ("pair_there(&shared)", "pair_keep(&shared, 1)", ["return-with-lock"]),
    "not_kept": ("pair_there(&shared)", "pair_keep(&shared, 0); pair_back(&shared)", ["lock-order"]),
}


@params(*CROSS)
def test_confirmed_by_its_kind(t, name):
    """A deadlock confirms what is found of the locks that it is about, and nothing else; one of other locks hides no other failure."""
    one, other, expected = CROSS[name]
    text = CROSSED % (one, other)
    r = audit(t, "--confirm", compile_text("crossed.c", text, "-g -O0 -pthread"), "-n", "50", "-o", t.path("found"), "--verify", "3", "--gates-for", wall(2),
              t.file("crossed.c", text))
    tags = {line_of(text, "/* %s */" % tag): tag for tag in ("P3", "lock-order", "double-lock", "return-with-lock")}
    t.equal([tags[int(n[1])] for n in NOTE.findall(r.stdout) if n[3].startswith("confirmed: ")], expected, "what is confirmed", r)


IN_ORDER = """static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static struct box shared = { PTHREAD_MUTEX_INITIALIZER, 0 };
static int flag, seen;
static void *setter(void *arg)
{
	box_set(&shared, 2);
	pthread_mutex_lock(&other);
	seen = flag;
	pthread_mutex_unlock(&other);
	return arg;
}
static void *raiser(void *arg)
{
	pthread_mutex_lock(&other);
	flag = 1;
	pthread_mutex_unlock(&other);
	return arg;
}
int main(void)
{
	pthread_t a, b;

	box_set(&shared, 1);
	pthread_create(&a, 0, setter, 0);
	pthread_create(&b, 0, raiser, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return seen;
}
"""


def test_another_cause(t):
    """Two threads come to the place, but one after it made the other: the failure is not this finding's."""
    text = BOX + SET + IN_ORDER
    r = t.gate("audit", "--type", "box", "--confirm", compile_text("in_order.c", text, "-g -O0 -pthread"), "-n", "50", "-o", t.path("found"), t.file("in_order.c", text))
    t.equal(r.status, 116, "found", r)
    t.check("; 0 of 1 confirmed" in r.stdout and "have other causes" in r.stdout, "not confirmed", r)
