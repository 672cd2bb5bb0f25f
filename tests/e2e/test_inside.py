"""Conditions of places, as C expressions, are decided inside the program where they can be: no run shows the difference."""

import random
import re

from harness import compile_text, params

HEAD = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define KEEP(x) __asm__ volatile("" : "+r"(x))
#define SEE __asm__ volatile("" ::: "memory")
"""

KINDS = HEAD + r"""
enum colour { RED, GREEN, BLUE };
struct pair { int a; unsigned b : 5; };
struct list { struct list *next; int id; bool done; char text[6]; short row[4]; struct { long deep; }; struct pair pair; };
struct list lists[3] = {{&lists[1], 1}, {&lists[2], 2}, {0, 3}}, *g_head = &lists[0];
signed char g_schar; unsigned char g_uchar; short g_short; unsigned short g_ushort; unsigned g_uint; int64_t g_long; uint64_t g_ulong;
static _Atomic int g_atomic; static _Thread_local int g_local; static enum colour g_colour; static bool g_bool; static struct pair g_pair;
static volatile int sum;
static __attribute__((noinline)) void step(int i, int64_t wide, unsigned char narrow, int *p, struct list *l, struct list *n)
{
	static short inner;

	inner = (short)(i * 3);
	sum += i + (int)wide + narrow + *p + inner; /* gate: step */
	SEE;
	sum += l->id;
	sum += n ? n->id : 0;
	SEE;
	sum ^= 1; /* gate: later */
	if (i & 1)
		sum++; /* gate: joined */
	sum--;
}
static inline __attribute__((always_inline)) void twice(int j)
{
	SEE;
	sum += j; /* gate: inlined */
	SEE;
}
int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1000;
	for (int i = -n / 2; i < n / 2; i++) {
		int k = i * 2, room[i & 7 ? 3 : 5]; /* a frame that grows */
		room[0] = k;
		g_schar = (signed char)i, g_uchar = (unsigned char)i, g_short = (short)(i * 7), g_ushort = (unsigned short)(i * 7);
		g_uint = (unsigned)i, g_long = (int64_t)i << 33, g_ulong = (uint64_t)i << 40;
		g_atomic = i, g_local = i, g_colour = (enum colour)(i & 1), g_bool = i & 1, g_pair.a = i, g_pair.b = (unsigned)i & 31;
		SEE;
		for (int at = 0; at < 3; at++) {
			struct list *l = &lists[at];

			l->id = i + at, l->done = ((i + at) & 7) == 0, l->row[at] = (short)(i * 3), l->deep = (long)i << 31, l->pair.a = -i;
		}
		step(i, (int64_t)i * 1000003, (unsigned char)(i + 5), &room[0], &lists[i & 1], i % 4 ? &lists[1] : NULL);
		sum += k; /* gate: main */
		KEEP(k);
		twice(i);
		twice(k);
	}
	printf("%d\n", sum);
	return 0;
}
"""

INTEGERS = {"step": ["i", "wide", "narrow", "inner", "g_schar", "g_uchar", "g_short", "g_ushort", "g_uint", "g_long", "g_ulong", "g_atomic"],
            "later": ["g_schar", "g_uchar", "g_short", "g_ushort", "g_uint", "g_long", "g_ulong", "g_atomic"],
            "main": ["i", "k", "g_uint", "g_head->id"], "inlined": ["j", "g_short"]}
PARTS = ["g_pair.a", "l->id", "l->row[1]", "l->deep", "l->next->id", "l->next->pair.a", "g_head->next->next->row[2]", "lists[2].id", "l->text[0]", "*p", "l[0].next[0].id",
         "g_colour"]
INTEGERS["step"] += PARTS
INTEGERS["later"] += PARTS[:1] + PARTS[6:8]
OTHERS = ["g_local", "g_pair.b", "l->pair.b", "l->text", "i + 1", "g_long * 2"]
TRUTHS = ["g_bool", "l->done", "l->next->done", "n", "g_head"]
BUILDS = ["gcc -O0 -no-pie", "gcc -O1", "gcc -O2", "gcc -O0 -fomit-frame-pointer", "clang -O0", "clang -O1 -static", "clang -O2", "clang -O2 -no-pie"]


def kinds(build):
    compiler, flags = build.split(" ", 1)
    return compile_text("kinds.c", KINDS, "-g -pthread " + flags, compiler=compiler)


def place(where, condition, body="print(hit.count)", options=""):
    return 'at("%s", {when = [=[%s]=]%s}):run(function(hit) %s end)\n' % (where, condition, options and ", " + options, body)


def alike(t, program, script, *args, **kw):
    """The same with and without; and how many arrivals were decided inside: with a report only behind the first thousands."""
    runs = []
    for options in ((), ("--no-resident",)):
        r = t.run_gated(program, script, args, options=options, **kw)
        err = re.sub(r"gates\d*\.lua|last events:[^$]*\ntry:", "", r.err)  # each run has a file of its own, and its own times
        runs.append((r, (r.stdout, err, r.status, [(p["location"], p["arrivals"]) for p in r.report["places"]] if r.report else 0)))
    t.equal(runs[0][1], runs[1][1], "with and without the resident part: " + script, runs[0][0])
    return sum(e.get("times", 0) for e in runs[0][0].report["events"]) if runs[0][0].report else 0


def inside_of(t, r):
    t.check(r.status in (0, 125), "status %d" % r.status, r)
    return sum(e.get("times", 0) for e in r.report["events"])


def numbers(names):
    return [name for name in names if name not in ("l", "n")]


def condition(rnd, names):
    """As testers write them."""
    if rnd.random() < 0.4:
        joint = rnd.choice((" && ", " || "))
        return joint.join(("(%s)" if rnd.random() < 0.8 else "!(%s)") % condition(rnd, names) for _ in range(2))
    name = rnd.choice(numbers(names))
    if rnd.random() < 0.2:
        truth = rnd.choice([name for name in TRUTHS if re.split(r"\W", name)[0] in ("g_head", *names)])
        guarded = "n && n->%s" % rnd.choice(("id == 70", "next->id < -900", "next->next == 0", "next->done", "row[1] & 7"))
        return rnd.choice((truth, truth, "!" + truth, truth + " == 0", truth + " != 0", truth + " == 1", guarded if "n" in names else truth))
    if rnd.random() < 0.1:
        return "(%s & %s) == %d" % (name, rnd.choice(("7", "63u", "0x7ff0l", "-8", "~0ul")), rnd.choice((0, 3, 16, 1000)))
    return "%s %s %d%s" % (name, rnd.choice(("==",) * 12 + ("!=", "<", "<=", ">", ">=")),
                           rnd.choice((0, 1, 3, -7, 100, 127, -128, 255, 2000, 65535, 70000, -70000, rnd.randrange(-2500, 2500))), rnd.choice(("", "", "u", "l", "ul")))


def act(names, where):
    """What is done where the condition is true: a line each time; but of many only the first ones."""
    return "seen = seen + 1 if seen < 200 then print(%r, hit.count, %s) end" % (where, ", ".join("tostring(hit:eval %r)" % n for n in names))


def made_up(rnd, program_names):
    text = "local seen = 0\n"
    for where, names in program_names.items():
        if numbers(names) and rnd.random() < 0.8:
            options = rnd.choice(("", "", "", ", hit = {3, 40}", ", thread = 'main'", ", thread = 'main#1'", ", after = true" if where == "main" else ""))
            text += place("//" + where, condition(rnd, names), act(numbers(names)[:3], where), "optional = true" + options)
    return text


@params(*BUILDS)
def test_made_up(t, build):
    """Conditions of all kinds, of variables of all kinds, in registers, on the stack and at addresses."""
    program, rnd, decided = kinds(build), random.Random(build), 0
    readable = readable_in(t, program)
    some = {where: names if t.full else rnd.sample(names, min(len(names), 6)) for where, names in readable.items()}
    simple = {where: [n for n in names if n in "ln" or inside(t, program, where, n)] or names for where, names in some.items()}
    for _ in range(60 if t.full else 3):
        script = made_up(rnd, readable if rnd.random() < 0.3 else simple)
        alike(t, program, script, "2000", report=False, seconds=100)
        decided += inside_of(t, t.run_gated(program, script, ("3000",)))
    t.check(decided > 100, "%d arrivals were decided inside" % decided)


test_made_up.timeout = 120


def readable_in(t, program):
    """The compiler may have dropped some, at some lines: nobody hides what it says of them but this."""
    found = {}
    for where, names in INTEGERS.items():
        looks = "".join('if pcall(function() return hit:eval "%s" end) then print("%s") end ' % (name, name) for name in names + ["l", "n", "g_bool"])
        r = t.clean(t.run_gated(program, 'at("//%s", {hit = 1, optional = true}):run(function(hit) %s end)\n' % (where, looks), ["4"], report=False))
        if r.err:
            found[where] = r.err.splitlines()
    return found


def inside(t, program, where, name):
    """How many arrivals were decided inside, of those behind the first ones."""
    return inside_of(t, t.run_gated(program, place("//" + where, name + " == 1234567", options="optional = true"), ("1500",)))


@params("gcc -O0", "clang -O0 -fomit-frame-pointer", "gcc -O2")
def test_is_inside(t, build):
    """Each kind of integer, also behind pointers; what is none ends in gatectl."""
    program = kinds(build)
    if build == "gcc -O2":  # in registers; what is where is the compiler's business
        names = readable_in(t, program)["step"]
        t.check(sum(inside(t, program, "step", name) > 300 for name in names) > len(names) // 2, "most are decided inside")
        return
    for where, names in INTEGERS.items():
        for name in names:
            t.check(inside(t, program, where, name) > 300, "%s at //%s: inside" % (name, where))
    for truth in TRUTHS:
        n = alike(t, program, place("//step", "i > 1480 && " + truth), "3000")
        t.check(n > 1000, truth)
    for name in OTHERS:
        t.equal(inside(t, program, "step", name), 0, name + ": inside")


def test_functions(t):
    """A Lua function is called at each arrival; where a condition admits the arrival it does what it likes."""
    program = kinds("gcc -O0")
    for body in ("if hit.var.i == 5 then print(hit.count) end", "if hit.count == 2000 then print(hit.var.i) end"):
        n = alike(t, program, 'at("//step"):run(function(hit) %s end)\n' % body, "3000")
        t.equal(n, 0, body)
    for body in ("hit.var.i = 9 print(hit.var.i, hit.count)", "error 'here'", "print(hit.var.nosuch)", "fail 'so'",
                 "print(hit:eval 'i * 2', hit.func, hit.line, #hit:backtrace())"):
        t.check(alike(t, program, place("//step", "i == 5", body), "3000") > 300, body)


def test_why_not(t):
    """The report says of a busy place why each arrival there is a trap."""
    program = kinds("gcc -O0 -no-pie")
    places = {  # and what the reason has
        place("//step", "i == -3"): None,
        place("//step", "g_bool == -3"): None,
        place("//step", "wide % 7 == -3", options="optional = true"): "more than comparisons of integers",
        place("//step", "g_pair.b == 100", options="optional = true"): "more than comparisons of integers",
        'at("//step"):when "i != 70000"': None,
        'at("//step"):when "i * 2 != 70001"': "more than comparisons of integers",
        'at("//step"):run(function(hit) if hit.var.i == -3 then print(1) end end)': "a Lua function is called",
        'at("//step", {thread = "m*"}):log "" ': "does not name one thread by its id",
        'at("//step", {hit = {1, 10^6}, optional = true}):run(function() end)': "its hit option selects",
        'at("//step", {after = true, hit = 10^6, optional = true}):run(function() end)': None,
        'at("//joined", {after = true, hit = 10^6, optional = true}):run(function() end)': "has been executed",
        'at("//step", {after = true, hit = {1, 10^6}, optional = true}):run(function() end)': "its hit option selects",
        'local n = 0 ' + place("//step", "i == -3") + 'at("//step"):run(function() n = n + 1 end)': "other places are at the same address",
        'BarrierGate("b", 2, {serial = true}) at("//step"):run(function() end)': "one at a time",
    }
    for script, why in places.items():
        r = t.run_gated(program, script + "\n", ("200000" if why is None else "3000",))
        told = r.report["places"][0]["trap"]
        t.check(told is None if why is None else why in (told or ""), "%s: %s" % (script, told), r)


def test_options(t):
    """Places that ask for more than the condition, and several at one line."""
    program = kinds("gcc -O0")
    condition = "i == 70 || i > 1222"
    for options in ("hit = {15, 80}", "hit = 57", "thread = 'main'", "thread = 'none', optional = true", "after = true", "optional = true", "thread = 'main', hit = 3"):
        n = alike(t, program, place("//step", condition, options=options), "3000")
        t.check(n > 500, "%s: %d decided inside" % (options, n))
    for verbs in (":log 'x {var.i}'", ":when(function(hit) return hit.var.i ~= 70000 end):log 'y'", ":event 'e':log 'z'", ":when 'i != 70000'"):
        alike(t, program, 'at("//step", {when = "%s"})%s\n' % (condition, verbs), "3000")
    alike(t, program, place("//step", condition) + place("//step", "i == 80"), "3000")
    alike(t, program, place("//step", condition) + 'at("//step", {hit = 2990}):run(function(hit) print "late" end)\n', "3000")
    t.check(alike(t, program, 'at("//step"):when "i != 70000"\n', "3000") > 500, ":when decided inside")


def test_after(t):
    """Asked when the statement has been executed, and of what the variables are then."""
    for build in ("gcc -O0", "clang -O2"):
        program = kinds(build)
        for test in ("g_short == 700", "i == 1222", "g_uint > 1490"):
            n = alike(t, program, place("//main", test, "print(hit.count, hit.line)", "after = true"), "3000")
            t.check(n > 500 or (build == "clang -O2" and "i ==" in test), "%s, %s: %d decided inside" % (build, test, n))


THREADS = HEAD + r"""
static volatile long total[4];
static volatile int signals, done;
static void on_alarm(int signal)
{
	signals += signal == SIGALRM;
}
static __attribute__((noinline)) void work(int id, int n)
{
	for (int i = 0; i < n; i++) {
		KEEP(i);
		total[id] += 0x12345; /* gate: hot */
		KEEP(i);
	}
}
static void *worker(void *arg)
{
	int *what = arg;
	work(what[0], what[1]);
	return NULL;
}
static void *forker(void *arg)
{
	while (total[0] < 3000 * 0x12345l || total[1] < 3000 * 0x12345l || total[2] < 3000 * 0x12345l)
		sched_yield(); /* a signal's handler may return into the line: from then on nothing is decided inside that is not yet */
	while (!done) {
		pid_t pid = fork();
		if (!pid) {
			work(3, 40);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		kill(getpid(), SIGALRM);
	}
	return arg;
}
int main(int argc, char **argv)
{
	int what[3][2], n = atoi(argv[1]);
	pthread_t t[3], f;

	signal(SIGALRM, on_alarm);
	if (argc > 2)
		pthread_create(&f, NULL, forker, NULL);
	for (int i = 0; i < 3; i++) {
		what[i][0] = i, what[i][1] = n;
		pthread_create(&t[i], NULL, worker, what[i]);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	done = 1;
	if (argc > 2)
		pthread_join(f, NULL);
	printf("%ld\n", total[0] + total[1] + total[2]);
	return 0;
}
"""


@params(*(compiler + " " + opt for compiler in ("gcc", "clang") for opt in ("-O0", "-O2")))
def test_threads(t, build):
    """Three threads, signals, children of fork: each arrival is counted once, and each that does something does it once."""
    compiler, flags = build.split(" ", 1)
    program = compile_text("threads.c", THREADS, "-g -pthread " + flags, compiler=compiler)
    script = '''
local seen, last = {}, 0
at("//hot", { when = "id < 3 && (i == 31000 || i >= 49990)" }):run(function(hit)
	seen[hit.var.id .. " " .. hit.var.i] = (seen[hit.var.id .. " " .. hit.var.i] or 0) + 1
	last = last + 1
end)
expect(function()
	for _, n in pairs(seen) do if n ~= 1 then return false end end
	return last == 33
end, "each of them once")
'''
    for args in ((), ("fork",)) * (25 if t.full else 1):
        r = t.run_gated(program, script, ("50000", *args))
        t.equal((r.status, r.stdout), (0, "%d\n" % (150000 * 0x12345)), "status and output", r)
        place, events = r.report["places"][0], r.report["events"]
        t.equal(sum(e["what"] == "arrival" for e in events), 33, "arrivals in events", r)
        t.equal(place["arrivals"], 33, "arrivals", r)
        t.check(sum(e.get("times", 0) for e in events) > 100000, "most are decided inside", r)


def test_holds(t):
    """A thread is held in the round that was meant, while another one goes through the line."""
    program = compile_text("threads.c", THREADS, "-g -pthread -O0")
    r = t.run_gated(program, '''
local g = SimpleGate "g"
local order = {}
at("//hot", { when = "id == 0 && i == 20000 || id == 1 && i == 49999" }):run(function(hit)
	if hit.var.id == 0 then order[#order + 1] = "held" g:wait() order[#order + 1] = "goes on" else order[#order + 1] = "opens" g:open() end
end)
expect(function() return table.concat(order, " ") == "held opens goes on" or table.concat(order, " ") == "opens held goes on" end, "the order")
''', ("50000",))
    t.equal((r.status, r.report["gates"][0]["open"], r.report["places"][0]["arrivals"]), (0, True, 2), "status, gate, arrivals", r)


COMPUTED = HEAD + r"""
static const %s table[] = {100, 65536, -3, 2};
long sink;
__attribute__((noinline)) static void fill(int *to, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = i * 3;
	SEE;
}
__attribute__((noinline)) static void work(int n)
{
	int own[4], k = -1, o = -1;

	fill(own, 4);
	for (long it = 0; it < n; it++) {
		short i = (short)(it * 0x7c15);
		k = (int)table[it %% 3];
		o = own[it & 3];
		sink += i; /* gate: here */
	}
	sink ^= k + o;
}
int main(void)
{
	work(600);
	printf("%%ld\n", sink);
	return 0;
}
"""


@params(*(level + " " + kind for level in ("-O1", "-O2", "-Og") for kind in ("int", "__int128")))
def test_computed(t, case):
    """The compiler says of a variable that it is an element, and of which one: that is another place in each round."""
    level, kind = case.split(" ")
    program = compile_text("computed.c", COMPUTED % kind, "-g " + level, "gcc")
    for name, value in (("k", 65536), ("o", 6)):
        alike(t, program, place("//here", "%s == %d" % (name, value), options="optional = true"), report=False)


WILD = HEAD + r"""
struct node { long id; struct node *next; char far[5000]; int behind; };
static struct node nodes[2] = {{1, &nodes[1]}, {2, &nodes[0]}};
struct node *g_node = &nodes[0];
static volatile long sum;
__attribute__((noinline)) static void step(struct node *p, int i)
{
	SEE;
	sum += i; /* gate: here */
	KEEP(p);
}
int main(int argc, char **argv)
{
	uint64_t wild = strtoull(argv[1], NULL, 0);
	for (int i = 0; i < 3000; i++) {
		int now = i == 2000 || i == 2001;
		struct node *p = now ? (struct node *)wild : &nodes[i & 1];
		nodes[1].next = i == 2500 ? (struct node *)wild : &nodes[0];
		nodes[0].id = i;
		step(p, i);
	}
	return argc != 2;
}
"""


@params("0", "4096", "0x7ffffffff000", "0x8000000000000000", "0xfffffffffffffff8")
def test_wild_pointers(t, wild):
    """Where a pointer leads nowhere gatectl is asked, and says so; a condition that looks first is decided."""
    program = compile_text("wild.c", WILD, "-g -O0")
    for condition in ("p->id == 1999", "p->next->id == 2600", "p && p->id == 2900", "p->next && p->next->id == 2901",
                      "i == 2700 && p->next->next->id > 5", "i > 2990 && p->behind == 0", "g_node->next->id == 3", "!p"):
        alike(t, program, place("//here", condition, options="optional = true"), wild, report=False)
    n = alike(t, program, place("//here", "p && p->id == 2900"), "0")
    t.check(n > 1500, "%d decided inside, also where the pointer is NULL" % n)


CXX = r"""
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#define SEE __asm__ volatile("" ::: "memory")
struct Base { int low = 1; virtual ~Base() {} };
struct Middle : virtual Base { int middle = 2; };
struct Plain { long plain; bool flag; union { int one; char bytes[4]; }; struct { short inner; }; };
struct Node : Plain, Middle {
	int id; Node *next; std::unique_ptr<Node> owned; std::atomic<int> count; std::string text = "text"; std::vector<int> all = {1, 2}; std::optional<int> maybe = 3;
	Node &self; static int total; int rows[2][3]; enum Kind { A, B } kind; double real; int *numbers; int bit : 4;
	Node(int i) : Plain{i, false, {i}, {3}}, id(i), next(this), count(i), self(*this), rows{}, kind(A), real(i), numbers(rows[0]), bit(i) {}
	void step(int i, Node &ref, const Node &constant, std::unique_ptr<Node> &unique, std::shared_ptr<Node> shared, std::vector<Node *> &list, const int &wild);
};
int Node::total;
volatile long sum;
__attribute__((noinline)) void Node::step(int i, Node &ref, const Node &constant, std::unique_ptr<Node> &unique, std::shared_ptr<Node> shared, std::vector<Node *> &list, const int &wild)
{
	__asm__ volatile("nop; nop; nop" :: "r"(&wild));
	SEE;
	sum = sum + i + id + ref.id; /* gate: here */
	SEE;
	sum += constant.id + (unique ? unique->id : 0) + shared->id + (long)list.size();
}
int main()
{
	Node a(1), b(2);
	auto unique = std::make_unique<Node>(3);
	auto shared = std::make_shared<Node>(4);
	std::vector<Node *> list = {&a, &b};
	for (int i = 0; i < 2500; i++) {
		a.id = b.plain = unique->id = shared->id = i, b.low = a.middle = i + 1, a.count = i + 2, Node::total = i, a.rows[1][2] = i * 3;
		b.one = i, b.inner = (short)i, a.flag = i % 3 == 0, b.kind = i & 1 ? Node::A : Node::B, a.real = i, *b.numbers = i - 5, b.bit = i & 7;
		a.owned = i % 7 ? nullptr : std::make_unique<Node>(i);
		a.step(i, b, a, i % 5 ? unique : a.owned, shared, list, i == 2000 ? *(int *)16 : i);
	}
	return 0;
}
"""
FIELDS = {  # decided inside, or not
    True: ["this->id", "ref.plain", "this->middle", "ref.one", "ref.inner", "ref.next->next->plain", "ref.self.plain", "constant.id", "this->rows[1][2]", "ref.bytes[0]",
           "ref.numbers[0]", "this->self.self.next->id", "total", "ref.kind"],
    False: ["id", "ref.low", "this->count", "ref.total", "unique->id", "shared->id", "list[0]->id", "this->real", "ref.bit", "ref.maybe", "this->all[0]", "this->text"],
}


@params("g++ -O0", "g++ -O2", "clang++ -O0", "clang++ -O1")
def test_classes(t, build):
    """Members of classes and their bases, by references and pointers; what stands for something else, or depends on the object, ends in gatectl."""
    compiler, level = build.split(" ")
    program = compile_text("classes.cpp", CXX, "-g -std=c++17 " + level, compiler=compiler)
    for is_inside, names in FIELDS.items():
        for name in names:
            n = alike(t, program, place("//here", name + " == 1500", options="optional = true"))
            if level == "-O0":
                t.check((n > 500) == is_inside, "%s: %d inside" % (name, n))
    for condition in ("i == 2400 && wild == 2400", "wild == 1500", "i > 2490 && this->flag", "i > 2490 && ref.next", "i > 2490 && this->owned", "i > 2490 && unique",
                      "this->owned && this->owned->id == 700", "i > 2490 && ref.maybe"):
        alike(t, program, place("//here", condition, options="optional = true"))


REACH = HEAD + r"""
#include <sys/mman.h>
#include <fcntl.h>
int guarded __attribute__((aligned(4096))), *reach = &guarded;
int signals __attribute__((aligned(4096)));
static volatile int sums[4], at, n;
static void on_fault(int signal)
{
	signals += signal == SIGSEGV;
}
static void *work(void *arg)
{
	long id = (long)arg;
	for (int i = 0; i < n; i++) {
		if (i == n / 3 && !id && at == 1)
			mprotect(&guarded, 4096, PROT_NONE);
		if (i == n / 3 && !id && at == 2) {
			int fd = memfd_create("short", 0);
			mmap(&guarded, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0); /* there is nothing in it */
			close(fd);
		}
		sums[id] += i; /* gate: here */
		if (i == n / 3 * 2 && !id) {
			if (at == 2)
				mmap(&guarded, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0);
			mprotect(&guarded, 4096, PROT_READ | PROT_WRITE);
		}
		if (i == n - 100 && !id)
			guarded = 7;
	}
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t[3];
	at = argv[1][0] - '0', n = atoi(argv[2]);
	struct sigaction was;
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGSEGV);
	if (argv[3][0] == 'h')
		signal(SIGSEGV, on_fault);
	if (argv[3][0] == 'i')
		signal(SIGSEGV, SIG_IGN);
	if (argv[3][0] == 'b')
		pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (long i = 1; i < 4 && argv[4][0] == 't'; i++)
		pthread_create(&t[i - 1], NULL, work, (void *)i);
	work(NULL);
	for (long i = 1; i < 4 && argv[4][0] == 't'; i++)
		pthread_join(t[i - 1], NULL);
	if (argv[3][0] == 'h')
		raise(SIGSEGV);
	sigaction(SIGSEGV, NULL, &was);
	pthread_sigmask(SIG_BLOCK, NULL, &set);
	printf("%d %d %d %d %d %d %d %d\n", sums[0], sums[1], sums[2], sums[3], signals, was.sa_handler == SIG_DFL, was.sa_handler == SIG_IGN,
	       sigismember(&set, SIGSEGV));
	return 0;
}
"""


@params(*(at + " " + how for at in "12" for how in ("plain", "handler", "ignored", "blocked")))
def test_out_of_reach(t, case):
    """What the program may not read for a while can be read by gatectl all the same, or it says that it cannot; the program notices nothing."""
    program = compile_text("reach.c", REACH, "-g -O0 -pthread -no-pie")
    script = place("//here", "guarded == 7 && id == 0", "print(hit.var.i)")
    at, how = case.split(" ")
    alike(t, program, script, at, "3000", how, "alone", report=False)
    alike(t, program, script.replace("guarded", "reach[0]"), at, "3000", how, "alone", report=False)
    for _ in range(20 if t.full else 1):
        r = t.run_gated(program, script, (at, "3000", how, "threads"), report=False)
        if at == "1":
            t.equal((r.status, r.err), (0, "".join("%d\n" % i for i in range(2901, 3000))), "status and what is printed", r)


def test_out_of_reach_in_a_call(t):
    """The function that the script has called comes by the line, where the variable is out of reach."""
    program = compile_text("called.c", HEAD + r"""
#include <sys/mman.h>
int guarded __attribute__((aligned(4096))), *reach = &guarded;
int sum __attribute__((aligned(4096)));
__attribute__((noinline)) int hot(int i)
{
	sum += i; /* gate: here */
	return i + 1;
}
int main(void)
{
	for (int i = 0; i < 500; i++)
		hot(i);
	mprotect(&guarded, 4096, PROT_NONE);
	for (int i = 0; i < 20; i++) {
		sum ^= 1; /* gate: call */
		hot(-3);
	}
	printf("%d\n", sum);
	return 0;
}
""", "-g -O0")
    alike(t, program, '''
at("//here", { when = "guarded == 7", optional = true }):run(function(hit) print(hit.count) end)
at("//call"):run(function(hit) print(hit.var.i, hit:call("hot", hit.var.i + 100)) end)
''', report=False)


@params("16", "64", "136", "144", "400")
def test_no_room(t, room):
    """What is left of the stack is less than what is put there inside."""
    program = compile_text("room.c", HEAD + r"""
#include <sys/mman.h>
volatile int x;
/* With `stack` as the stack pointer. */
__attribute__((naked, noinline)) void on_stack(void *stack, void (*f)(int), int n)
{
	__asm__ volatile("push %rbx\n mov %rsp, %rbx\n mov %rdi, %rsp\n mov %rsi, %rax\n mov %edx, %edi\n call *%rax\n mov %rbx, %rsp\n pop %rbx\n ret");
}
__attribute__((noinline)) static void leaf(int n)
{
	for (int i = 0; i < n; i++) {
		x = 0x1234567; /* gate: here */
		SEE;
	}
}
int main(int argc, char **argv)
{
	char *memory = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(memory, 4096, PROT_NONE);
	on_stack(memory + 4096 + atoi(argv[1]), leaf, 3000);
	puts("done");
	return 0;
}
""", "-g -O2")
    for script in ('at("//here", {hit = 2999}):run(function(hit) print(hit.count) end)\n',
                   place("//here", "i == 2999")):
        alike(t, program, script, room, report=False)


def test_held_by_functions(t):
    """Where a condition holds a thread, and what it reads cannot be watched, it is asked at each arrival."""
    program = compile_text("asked.c", HEAD + r"""
static volatile long a[6][8];
static volatile long k;
static long get(void) { return k; }
static void *worker(void *arg)
{
	for (long i = 0; i < 20000; i++) {
		for (int n = 0; n < 6; n++)
			a[n][0] = i;
		k = i; /* gate: here */
	}
	return arg;
}
int main(void)
{
	pthread_t t;
	k = get();
	pthread_create(&t, NULL, worker, NULL);
	puts("waits"); /* gate: wait */
	pthread_join(t, NULL);
	return 0;
}
""", "-g -O0")
    for held in ("'a[0][0] + a[1][0] + a[2][0] + a[3][0] + a[4][0] + a[5][0] == 60000'", "(function(hit) return hit:call('get') == 9000 end)"):
        alike(t, program, """
local held = SimpleGate "held"
at("worker"):wait(held)
at("//wait"):open(held):when %s
at("//here", {optional = true, when = "i == 19999"}):run(function(hit) print(hit.count) end)
limits { gate = 60 }
""" % held, report=False)


HOT = HEAD + r"""
volatile long a, b, c;
__attribute__((noinline)) void two_hot(long i)
{
	a = a * 3 + i; /* gate: FIRST */
	b = b * 5 + i; /* gate: SECOND */
	c = c * 7 + i; /* gate: THIRD */
}
int main(void)
{
	for (long i = 0; i < 200000; i++)
		two_hot(i);
	return 0;
}
"""


@params(*[(places, hits) for places in ("FIRST THIRD", "FIRST SECOND", "two_hot SECOND THIRD")
          for hits in ((199999, 199999, 199999), (150000, 199999, 180000))])
def test_places_in_one_function(t, case):
    """The first instruction of a function with places is of interest to each of them; each has its own arrivals."""
    places, hits = case
    names = [name if name == "two_hot" else "//" + name for name in places.split()]
    program = compile_text("two_hot.c", HOT, "-g -O2 -w")
    r = t.run_gated(program, script="".join('at("%s", { hit = %d }):log("%s")\n' % (name, hit, name)
                                            for name, hit in zip(names, hits)))
    t.equal(r.status, 0, "status", r)
    for place, hit in zip(r.report["places"], hits):
        t.check(place["arrivals"] >= hit, "arrivals of %s" % place["location"], r)
        t.equal(place["trap"], None, "why not", r)
    own = sum("times" not in e for e in r.report["events"])
    t.check(own < 1000, "%d events of 200000 each are told one by one" % own, r)


def test_few_for_a_report(t):
    program = compile_text("two_hot.c", HOT, "-g -O2 -w")
    r = t.run_gated(program, script='at("//FIRST", { hit = 5000 }):log("x")\n')
    t.check("in the report" in (r.report["places"][0]["trap"] or ""), "why not", r)
