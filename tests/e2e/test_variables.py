"""hit.var, hit.arg, hit.ret and frames: against what the program prints of itself."""

import re
import subprocess

import variables
from harness import compile_text, line_of, params, symbol_address

COMPILERS = [(c, o) for c in ("gcc", "clang") for o in ("-O0", "-O2")]


# ---- the table -------------------------------------------------------------------------------------

def compare(t, case, table, r):
    """The lines of the script are those of the program, but for what the compiler dropped."""
    t.equal(r.status, 0, "status", r)
    asked = {(e.gate, e.label) for e in table}
    theirs = [a for a in variables.answers(r.stdout) if a[:2] in asked]
    ours, wrong, dropped = variables.answers(r.err), [], 0
    t.equal([a[:2] for a in ours], [a[:2] for a in theirs], "gates and variables", r)
    for (gate, label, _, value), (_, _, sign, answer) in zip(theirs, ours):
        gone = sign == "!" and variables.GONE in answer and case[3] != "-O0"
        dropped += gone
        if not gone and (sign, answer) != ("=", value) and not variables.is_lie(case, gate, label):
            wrong.append("%s: %s %s %s, the program says %s" % (gate, label, sign, answer, value))
    t.check(not wrong, "%d of %d are wrong:\n%s" % (len(wrong), len(ours), "\n".join(wrong)))
    t.check(dropped * 5 < len(ours) * 2, "%d of %d are said to be dropped" % (dropped, len(ours)), r)


@params(*variables.BUILDS)
def test_table(t, case):
    """Each variable of programs/vars.c and vars.cc equals what the program prints; each that the
    compiler dropped raises, and none is dropped where nothing was optimised."""
    program, text = variables.build(case)
    table = variables.entries(text)
    t.check(len(table) > 90, "a table of %d" % len(table))
    r = t.run_gated(program, script=variables.script(table), args=variables.ARGUMENTS)
    compare(t, case, table, r)


@params(*[c for c in variables.BUILDS if c[2] == "-gdwarf-5" and c[3] != "-Og"])
def test_table_by_eval(t, case):
    """The same by hit:eval, of all that is said without calling a function."""
    program, text = variables.build(case)
    table = [e for e in variables.entries(text) if variables.can_eval(e)]
    t.check(len(table) > 90, "a table of %d" % len(table))
    r = t.run_gated(program, script=variables.script(table, by_eval=True), args=variables.ARGUMENTS)
    compare(t, case, table, r)


# ---- writing ---------------------------------------------------------------------------------------

WRITTEN = r"""
#include <stdbool.h>
#include <stdio.h>
enum color { RED, GREEN = 5, BLUE };
struct point { int x, y; };
struct node { int value; struct node *next; };
struct bits { unsigned a : 3; int b : 5; unsigned c : 11; _Bool d : 1; unsigned e : 12; };
#define KEEP __attribute__((noinline))
static int file_static = 1;
int global = 2;
static __thread int tls = 3;
_Atomic int atomic = 4;
volatile int one = 1;
#ifndef V
#define V
#endif
static KEEP void gate(void *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
}
static KEEP int in_register(int n)
{
	int x = n + one;

	__asm__ volatile("" : "+r"(x));
	gate(NULL); /* gate: register */
	return x * 2;
}
static KEEP double in_vector(double d, int n)
{
	double sum = d * one;

	__asm__ volatile("" : "+x"(sum));
	one = n; /* gate: vector */
	return sum * 2;
}
static KEEP void writes(int count, struct node *first, int *target)
{
	static int kept = 10;
	V signed char s8 = 0; V unsigned char u8 = 0; V short s16 = 0; V unsigned u32 = 0;
	V long s64 = 0; V unsigned long u64 = 0; V char letter = 'a'; V bool flag = false, off = true;
	V float f = 0; V double d = 0; V long double ld = 0;
	V enum color by_name = RED, by_number = RED;
	V struct point p = { 0, 0 };
	V int a[4] = { 0 }, grid[2][2] = { { 0 } };
	V struct bits bits = { 7, -1, 1, false, 4095 };
	V int n = count;
	int *V ptr = target, *V null = target, *V other = NULL, *V address = NULL;
	struct node *V list = first;
	V char buffer[8] = "text";
	void *all[] = { &s8, &u8, &s16, &u32, &s64, &u64, &letter, &flag, &off, &f, &d, &ld, &by_name,
			&by_number, &p, a, grid, &bits, &null, &other, &address, buffer, &n, &list,
			&ptr, &kept, &file_static, &tls };

	gate(all); /* gate: write */
	printf("s8=%d u8=%d s16=%d u32=%u s64=%ld u64=%lx letter=%c flag=%d off=%d\n", s8, u8, s16,
	       u32, s64, u64, letter, flag, off);
	printf("f=%g d=%g ld=%Lg by_name=%d by_number=%d\n", f, d, ld, by_name, by_number);
	printf("p=%d,%d a=%d,%d,%d,%d grid=%d,%d,%d,%d\n", p.x, p.y, a[0], a[1], a[2], a[3], grid[0][0],
	       grid[0][1], grid[1][0], grid[1][1]);
	printf("bits=%d,%d,%d,%d,%d\n", bits.a, bits.b, bits.c, bits.d, bits.e);
	printf("null=%d other=%d address=%d buffer=%s list=%d\n", null == NULL, other == ptr,
	       address == &n, buffer, list->next->value);
	printf("n=%d kept=%d file_static=%d global=%d tls=%d atomic=%d one=%d\n", n, kept, file_static,
	       global, tls, atomic, one);
}
int main(void)
{
	struct node last = { 2, NULL }, first = { 1, &last };
	int target = 0;

	printf("%d\n", in_register(4));
	printf("%g\n", in_vector(1.5, 1));
	writes(4, &first, &target);
	return 0;
}
"""
WRITES = r"""
at "//write":run(function(hit)
	local v = hit.var
	v.s8 = -128; v.u8 = 255; v.s16 = -32768; v.u32 = 4294967295; v.s64 = math.mininteger
	v.u64 = 0x7fffffffffffffff; v.letter = 66; v.flag = true; v.off = false
	v.f = 3; v.d = -2.5; v.ld = 0.125
	v.by_name = "BLUE"; v.by_number = 5
	v.p.x = 7; v.p.y = -7; v.a[2] = 9; v.a[3] = v.a[2] + 1; v.grid[1][0] = 44
	v.bits.a = 5; v.bits.b = -16; v.bits.c = 2047; v.bits.d = true; v.bits.e = 0
	v.null = nil; v.other = v.ptr; v.address = hit:eval "&n"
	v.buffer[0] = 84; v.list.next.value = 99
	v.n = 1000; v.kept = 11; v.file_static = 12; v.global = 13; v.tls = 14; v.atomic = 15; v.one = 16
	assert(v.s8 == -128 and v.bits.b == -16 and v.by_name == 6 and v.by_name.name == "BLUE")
	assert(v.null == nil and v.n == 1000 and program.var.global == 13)
end)
"""
WROTE = """10
3
s8=-128 u8=255 s16=-32768 u32=4294967295 s64=-9223372036854775808 u64=7fffffffffffffff letter=B flag=1 off=0
f=3 d=-2.5 ld=0.125 by_name=6 by_number=5
p=7,-7 a=0,0,9,10 grid=0,0,44,0
bits=5,-16,2047,1,0
null=1 other=1 address=1 buffer=Text list=99
n=1000 kept=11 file_static=12 global=13 tls=14 atomic=15 one=16
"""


@params(*COMPILERS)
def test_writing(t, build):
    """In memory. clang -O2 says of what is in memory that it is constant as long as it can: volatile."""
    compiler, optimise = build
    flags = "-g %s%s" % (optimise, " -DV=volatile" if optimise == "-O2" else "")
    program = compile_text("written.c", WRITTEN, flags, compiler=compiler)
    r = t.clean(t.run_gated(program, script=WRITES))
    t.equal(r.stdout, WROTE, "stdout", r)


@params(*COMPILERS)
def test_writing_a_register(t, build):
    """What lives in a register is written there: a general one, and a vector register."""
    compiler, optimise = build
    program = compile_text("written.c", WRITTEN, "-g " + optimise, compiler=compiler)
    script = '''
at "//register":run(function(hit)
	assert(hit.var.x == 5, hit.var.x)
	hit.var.x = -21
	assert(hit.var.x == -21)
end)
'''
    r = t.clean(t.run_gated(program, script=script))
    t.equal(r.stdout.split("\n")[0], "-42", "what the program made of it", r)
    script = '''
at "//vector":run(function(hit)
	assert(hit.var.sum == 1.5, hit.var.sum)
	hit.var.sum = 8
	assert(hit.var.sum == 8)
end)
'''
    r = t.clean(t.run_gated(program, script=script))
    t.equal(r.stdout.split("\n")[1], "16", "what the program made of it", r)


REFUSED = ["u8 = 256", "u8 = -1", "s8 = -129", "s16 = 40000", "u32 = -1", "n = 2147483648", "n = 2.5",
           'n = "four"', 'by_name = "PURPLE"', "bits.a = 8", "bits.b = 16", "a[4] = 1", "a[-1] = 1",
           "p = 1", "a = 1", "null = 2.5", "s16 = {}", "n = nil", "nowhere = 1", "p.z = 1",
           'buffer = "a text that is too long"']


def test_writing_is_checked(t):
    """What does not fit is an error, and nothing is written."""
    program = compile_text("written.c", WRITTEN)
    bare = t.run_bare(program)
    script = 'at "//write":run(function(hit)\n'
    for text in REFUSED:
        script += "\tassert(not pcall(function() hit.var.%s end), [[%s]])\n" % (text, text)
    r = t.clean(t.run_gated(program, script=script + "end)\n"))
    t.equal(r.stdout, bare.stdout, "stdout", r)
    r = t.run_gated(program, script='at "//write":when(function(hit) hit.var.n = 1 return true end)\n')
    t.error(r, where=r"gates\d+\.lua:1: ")


# ---- errors ----------------------------------------------------------------------------------------

ERRORS = r"""
#include <stdio.h>
#include <stdlib.h>
#define KEEP __attribute__((noinline))
struct node { int value; struct node *next; };
int counter = 3;
static volatile int sink;
static KEEP void use(int v)
{
	sink = v;
}
static KEEP int bad(void)
{
	int *number = (int *)0xdead000;
	struct node *node = (struct node *)0xdead100, local = { 1, node };
	char *text = (char *)0xdead200;
	int array[3] = { 1, 2, 3 };

	printf("%p %p %p %d\n", (void *)number, (void *)local.next, (void *)text, array[sink % 3]); /* gate: bad */
	return sink;
}
static KEEP int dropped(int n)
{
	int square = n * n; /* born */

	use(square); /* used */
	use(1);
	use(2); /* gate: dropped */
	return sink;
}
int main(int argc, char **argv)
{
	bad();
	dropped(argc + atoi("4"));
	return 0;
}
"""


def message_of(t, program, gate, expression):
    """The message that a script gets for an expression which must fail."""
    script = '''
at "//%s":run(function(hit)
	local ok, message = pcall(function() return %s end)
	print("said " .. tostring(not ok and message or "nothing, but gave " .. tostring(message)))
end)
''' % (gate, expression)
    r = t.run_gated(program, script=script)
    t.equal(r.status, 0, "status", r)
    return re.search(r"^said (.*)$", r.err, re.M).group(1)


@params(("number[0]", "0xdead000"), ("number[3]", "0xdead00c"), ("node.value", "0xdead100"),
        ("node.next", "0xdead108"), ("node.next.value", "0xdead108"), ("text:string()", "0xdead200"),
        ("local.next.next.value", "0xdead108"), ("array[3]", "3"), ("array[-1]", "-1"))
def test_bad_memory(t, case):
    program = compile_text("wrong.c", ERRORS)
    said = message_of(t, program, "bad", 'hit.var["%s"]%s' % re.match(r"(\w+)(.*)", case[0]).groups())
    t.check(case[1] in said, "%s: %r" % case + ": " + said)
    t.check(".lua:3:" in said, "the place in the script: " + said)


@params(("hit.var.countr", "counter"), ("hit.var.Counter", "counter"), ("hit.var.nubmer", "number"),
        ("hit.var.node.valeu", "value"), ('hit:eval "countr + 1"', "counter"),
        ("program.var.conter", "counter"))
def test_misspelt(t, case):
    """The name that was meant is in the message."""
    program = compile_text("wrong.c", ERRORS)
    gate = "dropped" if "node" not in case[0] and "nub" not in case[0] else "bad"
    if "value" in case[1]:
        program = compile_text("wrong.c", ERRORS.replace("(struct node *)0xdead100", "calloc(1, 16)"))
    said = message_of(t, program, gate, case[0])
    t.check(re.search(r"\b%s\b" % case[1], said), "%s: %s" % (case[0], said))


def test_log_says_how_a_variable_is_written(t):
    """In :log a bare name is Lua's: where the program has a variable of the name, the message writes it."""
    program = compile_text("log.c", "int total;\nint main(int n, char **v)\n{\n\tint i = 3 + n;\n\treturn i - 4;\n}\n")
    for text, said in (("{i}", "undefined name 'i': the variable of the program is {var.i}"),
                       ("{total + 1}", "undefined name 'total': the variable of the program is {var.total}"),
                       ("{nosuch}", "undefined name 'nosuch'\n")):
        r = t.error(t.run_gated(program, script='at "log.c:5":log "%s"' % text))
        t.check(said in r.err, text, r)
    r = t.clean(t.run_gated(program, script='local i = 7 word = "w"\nat "log.c:5":log "{var.i} {word}"'))
    t.check("4 w" in r.err, "what is meant", r)


@params("gcc", "clang")
def test_dropped_names_the_nearest_line(t, compiler):
    program = compile_text("wrong.c", ERRORS, "-g -O2", compiler=compiler)
    said = message_of(t, program, "dropped", "hit.var.square")
    t.check("optimised out at this line" in said, said)
    m = re.search(r"wrong\.c:(\d+)", said)
    t.check(m, "no line in: " + said)
    born, used = line_of(ERRORS, "born */"), line_of(ERRORS, "used */")
    t.check(born - 1 <= int(m.group(1)) <= used + 1, "lines %d to %d: %s" % (born, used, said))
    # that line is where it can be read
    script = 'at "wrong.c:%s":run(function(hit) print(hit.var.square) end)\n' % m.group(1)
    r = t.run_gated(program, script=script)
    t.equal((r.status, r.err), (0, "25\n"), "where it lives", r)
    # uncaught it ends the run, with the place
    r = t.run_gated(program, script='at "//dropped":run(function(hit) print(hit.var.square) end)\n')
    t.error(r, where=r"gates\d+\.lua:1: .*optimised out at this line")


SAME_NUMBER = r"""
enum color { RED, GREEN = 5 };
enum state { IDLE, BUSY = 5, DEAD };
struct both { enum color c; enum state s; };
__attribute__((noinline)) enum color next(enum color c, enum state s)
{
	return c == RED && s ? GREEN : RED;
}
int main(void)
{
	volatile struct both o = { GREEN, BUSY };

	o.c = next(o.c, o.s);
	return next(o.c, DEAD) != GREEN;
}
"""


@params(*COMPILERS)
def test_enums_with_the_same_number(t, build):
    """The name is that of the enumeration that was read, when it is written in one with the read."""
    program = compile_text("same.c", SAME_NUMBER, "-g " + build[1], compiler=build[0])
    r = t.run_gated(program, script='''
at("next", { hit = 1 }):run(function(hit)
	local s, c, o = hit.var.s, hit.var.c, hit:frame(1).var.o
	assert(s == 5 and c == 5 and o.c == 5)
	print(hit.var.s.name, hit.var.c.name)
	print(hit:frame(1).var.o.s.name .. hit:frame(1).var.o.c.name)
	assert(not pcall(function() return s.name end))
end)
at("next"):log("{var.s.name} {var.c.name}")
at("next%return"):log("{ret.name}")
''')
    t.equal((r.status, r.err), (0, "BUSY\tGREEN\nBUSYGREEN\nBUSY GREEN\nRED\nDEAD RED\nGREEN\n"), "names", r)


# ---- hit.arg, hit.ret ------------------------------------------------------------------------------

CALLS = r"""
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#define KEEP __attribute__((noinline))
enum level { LOW = -3, HIGH = 7 };
struct point { int x, y; };
struct doubles { double a, b; };
struct mixed { double d; long i; };
struct big { long v[5]; };
struct node { int value; struct node *next; };
volatile int one = 1;
static struct node node = { 41, NULL };
KEEP int give_int(int a) { return a - 50 * one; }
KEEP unsigned char give_u8(int a) { return a + 250 * one; }
KEEP long long give_long(int a) { return a * 10000000000ll * one; }
KEEP double give_double(double a) { return a / 2 * one; }
KEEP float give_float(float a) { return a * 3 * one; }
KEEP long double give_long_double(long double a) { return a + 0.5L * one; }
KEEP bool give_bool(int a) { return a > one; }
KEEP bool give_false(int a) { return a < one; }
KEEP enum level give_enum(int a) { return a ? HIGH : LOW * one; }
KEEP const char *give_text(int a) { return a * one ? "some text" : NULL; }
KEEP struct node *give_pointer(struct node *n) { return one ? n : NULL; }
KEEP struct node *give_null(struct node *n) { return one ? NULL : n; }
KEEP struct point give_point(int a) { return (struct point){ a * one, -a }; }
KEEP struct doubles give_doubles(double a) { return (struct doubles){ a * one, -a }; }
KEEP struct mixed give_mixed(double a, long b) { return (struct mixed){ a * one, b }; }
KEEP struct big give_big(long a) { return (struct big){ { a, a * 2, a * 3, a * 4, a * 5 * one } }; }
KEEP void give_nothing(int a) { one = a; one = 1; }
KEEP int give_tail(int a) { return give_int(a + 1); }
KEEP double many(char a, short b, int c, long d, float e, double f, struct point g, struct node *h,
		 unsigned i, bool j, struct big k, enum level l, long double m, const char *n)
{
	one = 1;
	return a + b + c + d + e + f + g.x + h->value + i + j + k.v[4] + l + (double)m + n[0];
}
int main(void)
{
	double sum = 0;

	sum += give_int(7) + give_u8(1) + give_long(3) + give_double(5) + give_float(0.5f);
	sum += give_long_double(2.25L) + give_bool(9) + give_false(9) + give_enum(1) + *give_text(1);
	sum += give_pointer(&node)->value + (give_null(&node) == NULL) + give_point(12).y;
	sum += give_doubles(1.25).b + give_mixed(2.5, -6).i + give_big(100).v[4];
	give_nothing(3);
	sum += give_tail(60);
	sum += many('m', -2, 3, 1l << 40, 0.5f, -0.25, (struct point){ 8, 9 }, &node, 4000000000u, true,
		    (struct big){ { 1, 2, 3, 4, 5 } }, LOW, 7.5L, "nth");
	printf("%.17g\n", sum);
	return 0;
}
"""
RETURNS = [("give_int", "-43"), ("give_u8", "251"), ("give_long", "30000000000"), ("give_double", "2.5"),
           ("give_float", "1.5"), ("give_long_double", "2.75"), ("give_bool", "true"),
           ("give_false", "false"), ("give_enum", "7"), ("give_null", "nil")]
RETURNED = [("give_enum", "hit.ret.name == 'HIGH'"), ("give_text", "hit.ret:string() == 'some text'"),
            ("give_pointer", "hit.ret.value == 41 and hit.ret.next == nil"),
            ("give_point", "hit.ret.x == 12 and hit.ret.y == -12"),
            ("give_doubles", "hit.ret.a == 1.25 and hit.ret.b == -1.25"),
            ("give_mixed", "hit.ret.d == 2.5 and hit.ret.i == -6"),
            ("give_big", "hit.ret.v[0] == 100 and hit.ret.v[4] == 500"),
            ("give_double", "hit.ret == 2.5"), ("give_int", "hit.count == 2 or hit.ret == -43")]


@params(*COMPILERS)
def test_result(t, build):
    program = compile_text("calls.c", CALLS, "-g " + build[1], compiler=build[0])
    script = "".join('at "%s%%return":run(function(hit) print("%s", hit.ret) end)\n' % (f, f)
                     for f, _ in RETURNS)
    script += "".join('at "%s%%return":run(function(hit) assert(%s) end)\n' % r for r in RETURNED)
    script += '''at "give_nothing%return":run(function(hit)
	local ok, said = pcall(function() return hit.ret end)
	assert(not ok and said:match("nothing"), said)
end)
'''
    r = t.run_gated(program, script=script)
    t.equal((r.status, r.stdout), (0, t.run_bare(program).stdout), "status and stdout", r)
    got = [tuple(l.split("\t")) for l in r.err.splitlines()]
    t.equal(got[0], RETURNS[0], "the first", r)
    # give_int is called by give_tail as well
    t.equal([g for g in got if g != ("give_int", "11")], RETURNS, "what they return", r)


@params(*COMPILERS)
def test_result_of_a_tail_call(t, build):
    """What a function returns that ends in a jump to another is not known there: said, not guessed."""
    program = compile_text("calls.c", CALLS, "-g " + build[1], compiler=build[0])
    script = '''at "give_tail%return":run(function(hit)
	local ok, said = pcall(function() return hit.ret end)
	print(tostring(ok) .. " " .. tostring(said))
end)
'''
    r = t.run_gated(program, script=script)
    t.equal(r.status, 0, "status", r)
    if build[1] == "-O0":
        t.equal(r.err, "true 11\n", "the result", r)
    else:
        t.check(r.err.startswith("false ") and "not known" in r.err and "give_tail" in r.err, "error", r)
    r = t.run_gated(program, script='at "give_int":run(function(hit) return hit.ret end)\n')
    t.error(r, where="give_int")


BESIDE = r"""
#include <stdio.h>
int g;
__attribute__((noinline)) int f(int x)
{
	g = x;         /* gate: set */
	return x + 1;  /* gate: ret */
}
__attribute__((noinline)) void nothing(void)
{
	__asm__ volatile("");
}
int main(void)
{
	int s = 0;
	for (int i = 0; i < 3; i++) {
		nothing();
		s += f(i);
	}
	return s != 6;
}
"""


@params(*("%s %s" % (c, o) for c in ("gcc", "clang") for o in ("-O0", "-O1", "-O2")))
def test_result_beside_other_places(t, build):
    """Whether it is a return is a fact of each place, not of the first one at the address."""
    compiler, flags = build.split()
    program = compile_text("beside.c", BESIDE, "-g " + flags, compiler=compiler)
    script = '''at("//set", {after = true}):run(function() end)
at("//ret", {after = true}):run(function(hit) if hit.count == 1 then print(pcall(function() return hit.ret end)) end end)
at "f%return":run(function(hit) print("f", hit.ret) end)
at("//ret", {after = true}):run(function() end)
at "nothing":run(function() end)
at "nothing%return":run(function(hit) print(pcall(function() return hit.ret end)) end)
'''
    r = t.clean(t.run_gated(program, script=script + 'expect { exit = 0 }\n'))
    t.equal([l for l in r.err.splitlines() if l.startswith("f\t")], ["f\t1", "f\t2", "f\t3"], "results", r)
    refused = [l for l in r.err.splitlines() if l.startswith("false")]
    t.equal(len([l for l in refused if "//ret is not FUNC%return" in l]), 1, "the statement is no return", r)
    t.equal(len([l for l in refused if "returns nothing" in l]), 3, "the empty function's return", r)


ARGUMENTS = ["hit.arg[0] == 109", "hit.arg[1] == -2", "hit.arg[2] == 3", "hit.arg[3] == 1 << 40",
             "hit.arg[4] == 0.5", "hit.arg[5] == -0.25", "hit.arg[6].x == 8 and hit.arg[6].y == 9",
             "hit.arg[7].value == 41", "hit.arg[8] == 4000000000", "hit.arg[9] == true",
             "hit.arg[10].v[0] == 1 and hit.arg[10].v[4] == 5", "hit.arg[11] == -3",
             "hit.arg[11].name == 'LOW'", "hit.arg[12] == 7.5", "hit.arg[13]:string() == 'nth'",
             "hit.var.a == hit.arg[0]", "hit.var.n:string() == 'nth'",
             "not pcall(function() return hit.arg[14] end)",
             "not pcall(function() return hit.arg[-1] end)", "not pcall(function() return hit.arg.x end)"]


@params(*[(c, o, d) for c, o in COMPILERS for d in ("-gdwarf-4", "-gdwarf-5")])
def test_arguments(t, build):
    """At the entry of a function all of its arguments are there, whatever they are passed in."""
    compiler, optimise, dwarf = build
    program = compile_text("calls.c", CALLS, "-g %s %s" % (dwarf, optimise), compiler=compiler)
    script = 'at "many":run(function(hit)\n%send)\n' % "".join(
        '\tassert(%s, "%s")\n' % (a, a) for a in ARGUMENTS)
    t.clean(t.run_gated(program, script=script))


@params("-O0", "-O2")
def test_symbols_only(t, optimise):
    """Without DWARF: the six integer registers at the entry, rax at a return, nothing is guessed."""
    program = t.path("calls")
    subprocess.run(["gcc", "-g0", optimise, "-o", program, t.file("calls.c", CALLS)], check=True)
    address = symbol_address(program, "many")
    script = '''
at "*0x%x":run(function(hit)
	assert(hit.arg[0] & 0xff == 109 and hit.arg[3] == 1 << 40, hit.arg[0])
	assert(hit.arg[2] == 3)
	assert(not pcall(function() return hit.arg[6] end))
	assert(not pcall(function() return hit.var.a end))
	assert(not pcall(function() return hit.var.nowhere end))
end)
at "give_long%%return":run(function(hit) assert(hit.ret == 30000000000, hit.ret) end)
''' % address
    r = t.run_gated(program, script=script)
    t.clean(r)


# ---- frames ----------------------------------------------------------------------------------------

@params(*COMPILERS)
def test_frames(t, build):
    """The locals of callers: of each call of a recursion, of a copy's caller, of main."""
    case = ("c", build[0], "-gdwarf-5", build[1])
    program, _ = variables.build(case)
    script = '''
local function read(f) local ok, v = pcall(f) return ok and tostring(v) or v:match("optimised out") end
at("//recursion", {hit = 3}):run(function(hit)
	assert(hit.var.depth == 0 and hit:frame(0).var.depth == 0)
	assert(hit:frame(1).func == "recursion" and hit:frame(2).func == "recursion")
	print("here", hit:frame(1).var.here, hit:frame(2).var.here)
	print("depth", read(function() return hit:frame(1).var.depth end))
	print("main", hit:frame(3).func, hit:frame(3).var.five)
	print("eval", hit:frame(1):eval "here + 1")
	assert(not pcall(function() return hit:frame(1).var.nowhere end))
	assert(not pcall(function() return hit:frame(1000).var.here end))
end)
at("//copied", {hit = 2}):run(function(hit)
	assert(hit:frame(0).func == "copied" and hit:frame(1).func == "copies", hit:frame(1).func)
	print("copy", hit:frame(0).var.local_ == nil, hit.var.k)
end)
'''.replace('hit:frame(0).var.local_ == nil', 'hit:frame(0).var["local"]')
    r = t.run_gated(program, script=script, args=variables.ARGUMENTS)
    t.equal(r.status, 0, "status", r)
    lines = [l.split("\t") for l in r.err.splitlines()]
    t.equal([l for l in lines if l[0] != "depth"],
            [["copy", "43", "14"], ["here", "26", "19"], ["main", "main", "5"], ["eval", "27"]],
            "values", r)
    depth = [l[1] for l in lines if l[0] == "depth"]
    t.check(depth[0] == "1" or depth[0] == "optimised out" and build[1] != "-O0", "depth", r)


# ---- the rest --------------------------------------------------------------------------------------

@params(*COMPILERS)
def test_listing(t, build):
    """`lines` says of each variable where it lives: what is optimised out there raises, the rest does not."""
    case = ("c", build[0], "-gdwarf-5", build[1])
    program, text = variables.build(case)
    names = [e.label for e in variables.entries(text) if e.gate == "integers"]
    listing = t.gate("lines", program, "//integers").stdout
    script = 'at "//integers":run(function(hit)\n%send)\n' % "".join(
        '\tprint("%s", pcall(function() return hit.var["%s"] end))\n' % (n, n) for n in names)
    r = t.run_gated(program, script=script, args=variables.ARGUMENTS)
    t.equal(r.status, 0, "status", r)
    for name, line in zip(names, r.err.splitlines()):
        if variables.is_lie(case, "integers", name):
            continue
        m = re.search(r"^\s+.*\b%s\b.*$" % name, listing, re.M)
        t.check(m, "%s is not in the listing:\n%s" % (name, listing))
        said = m.group()
        t.equal("optimised out" in said, line.split("\t")[1] == "false", "%s\n%s" % (said, line))
        where = r"on the stack at r[bs]p[-+]\d+|in_register: in rbx"
        t.check(build[1] != "-O0" or re.search(where, said), said)


def test_log(t):
    program, _ = variables.build(("c", "gcc", "-gdwarf-5", "-O0"))
    script = ('at "//structs":log "n is {hit.var.n}, {hit.var.points[2].y + 1}; {hit.var.point}"\n'
              'at "//pointers":log "{hit.var.text:string()} and {hit.var.null}"\n')
    r = t.run_gated(program, script=script, args=variables.ARGUMENTS)
    t.equal(r.status, 0, "status", r)
    t.check("n is 3, 4; {x = 3, y = -3}" in r.err, "the values", r)
    t.check("one and nil" in r.err, "a text and NULL", r)


def test_whole_values(t):
    """Structs and arrays as a whole: text, length, pairs, equality."""
    program, _ = variables.build(("c", "gcc", "-gdwarf-5", "-O0"))
    script = '''
at "//structs":run(function(hit)
	local v, names, sum = hit.var, {}, 0
	for name in pairs(v.point) do names[#names + 1] = name end
	assert(table.concat(names, " ") == "x y", table.concat(names, " "))
	for i, p in pairs(v.points) do sum = sum + i * 100 + p.x end
	assert(sum == 309 and #v.points == 3 and #v.vla == 4 and #v.matrix == 3, sum)
	assert(tostring(v.point) == "{x = 3, y = -3}", tostring(v.point))
	assert(v.ptr == hit:eval "&points[1]" and v.ptr ~= hit:eval "&points[2]")
	assert(v.points[1]:address() == v.ptr:address())
	assert(not pcall(function() return v.points[3] end) and v.ptr[-1].x == 1)
	assert(program.var.global == 123456789 and program.var["vars_second.c"] == nil)
end)
'''.replace(' and program.var["vars_second.c"] == nil', "")
    t.equal(t.run_gated(program, script=script, args=variables.ARGUMENTS).status, 0, "status")


def test_same_name_of_two_units(t):
    """A file-scope variable is the one of the unit that asks; for program.var both are an error that
    lists them."""
    program, _ = variables.build(("c", "gcc", "-gdwarf-5", "-O0"))
    script = '''
at "//structs":run(function(hit)
	local ok, said = pcall(function() return program.var.same_name end)
	assert(not ok and said:match("vars%.c") and said:match("vars_second%.c"), said)
	assert(program.var["'vars.c'::same_name"] == 111)
	assert(program.var["'vars_second.c'::same_name"] == 222)
	assert(hit.var.same_name == 111 and hit.var.extern_global == -424242)
	assert(hit.var.hidden_object.count == 6, "a struct that is whole in the other unit only")
end)
'''
    t.clean(t.run_gated(program, script=script, args=variables.ARGUMENTS))


def test_condition(t):
    """A gate that opens when a variable of the program says so."""
    program = compile_text("written.c", WRITTEN)
    script = 'at "//write":when(function(hit) return hit.var.p.x == 0 and hit.var.n == 4 end)\n'
    t.clean(t.run_gated(program, script=script))
