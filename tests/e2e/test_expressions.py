"""hit:eval against what the compiler makes of the same expression."""

import re

from harness import compile_text, params

C = r"""
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
enum color { RED, GREEN = 5, BLUE = -2 };
struct point { int x, y; };
struct bits { unsigned a : 3; int b : 5; };
struct node { int value; struct node *next; struct point at[2]; char name[8]; };
typedef unsigned char byte;
typedef struct point point_t;
union number { int i; unsigned char bytes[4]; float f; };
static int file_static = 17;
unsigned global = 4000000000u;
static __thread int tls = 9;
static int twice(int x) { return 2 * x; }
#define I(x) printf("%s = %lld\n", #x, (long long)(x))
#define F(x) printf("%s = %.17g\n", #x, (double)(x))
__attribute__((noinline)) static void all(int n, struct node *list, char **names)
{
	signed char s8 = -1; byte u8 = 200; short s16 = -300; unsigned u32 = 5; long s64 = 1l << 40;
	unsigned long u64 = ~0ul; float f = 1.5f; double d = -2.25; bool yes = true; char c = 'q';
	enum color color = GREEN; struct bits bits = { 6, -7 }; union number number = { .f = 1.0f };
	int a[4] = { 10, 20, 30, 40 }, grid[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
	int *p = a + 1, *null = NULL; void *untyped = &n; int (*function)(int) = twice;
	point_t point = { 3, -4 }, *pp = &point; const char *text = "some text";

	printf("here\n"); /* gate: here */
PRINTS
}
int main(void)
{
	struct node second = { 22, NULL, { { 5, 6 }, { 7, 8 } }, "second" };
	struct node first = { 11, &second, { { 1, 2 }, { 3, 4 } }, "first" };
	char *names[] = { "zero", "one", NULL };

	all(7, &first, names);
	return twice(0);
}
"""
INTEGERS = r"""
42 | 0x2a | 052 | 0b101 | 'a' | '\n' | '\x41' | '\0' | 10u - 11 | 1 ? 2 : 3
n | n + 1 | n - 10 | n * n | n / 2 | n % 4 | -n | +n | ~n | !n | !!n | - -n
-n / 2 | -n % 4 | n << 3 | n >> 1 | -n >> 1 | n & 3 | n | 8 | n ^ 5
n == 7 | n != 7 | n < 8 | n <= 7 | n > 7 | n >= 8 | n > 0 && n < 10 | n < 0 || n == 7 | n && null
null && null[0] | !null || null[0] | n ? a[0] : null[0]
1 + 2 * 3 | (1 + 2) * 3 | 10 - 4 - 3 | 100 / 10 / 5 | 1 << 2 + 1 | 1 | 2 & 3 ^ 1 | 7 & 3 == 3
s8 + u8 | s8 < u32 | (unsigned)s8 < u32 | u8 * 2 | (byte)(u8 * 2) | (signed char)u8 | u32 - 10
u32 - 10 > 0 | s16 / u32 | s16 / 2 | s64 + 1 | u64 / 2 | u64 > 5 | u64 + 1 | (int)s64 | global + global
(long)global + global | c - 'a' | c == 'q' | (char)(c + 1)
yes | yes + yes | !yes | (bool)12 | (_Bool)0.5
color == GREEN | color == 5 | GREEN + 1 | BLUE | (enum color)0 == RED | color > BLUE
bits.a | bits.b | bits.a + bits.b | number.i | number.bytes[3]
a[0] | a[n - 5] | *a | *(a + 2) | 2[a] | *p | p[-1] | p[1] | *p + 1 | *(p + 1) | p - a | &a[3] - p | &a[1] == p
grid[1][2] | *grid[1] | **grid | *(*(grid + 1) + 1) | (&grid[0][0])[4] | sizeof grid[0] / sizeof grid[0][0]
point.x | pp->x | (*pp).y | (&point)->y | pp->x * pp->y | *&n | *(int *)untyped | ((point_t *)(void *)pp)->y
list->value | list->next->value | list->next->next == 0 | !list->next->next | list->next->at[1].y
list->at[0].x + list->next->at[0].x | (list + 0)->value | list->name[0] | list->next->name[5] | &list->at[1] == list->at + 1
names[1][2] | *names[0] | **names | names[2] == 0 | *(names[1] + 1)
text[0] | text[5] | *(text + 1)
sizeof(int) | sizeof n | sizeof(struct node) | sizeof(list->at) | sizeof *list | sizeof(point_t *) | sizeof(byte) | sizeof a
sizeof(unsigned long long) | sizeof(long double) | sizeof a / sizeof *a | sizeof "abc" | sizeof(char[10])
file_static | file_static * tls | tls | (long)&n == (long)untyped | function == twice
(int)d | (int)(f * 3) | d < 0 | f > 1.25 | (int)1e3 | f == 1.5 | !d | d ? 1 : 2 | n / 2.0 == 3.5
(long)null | (int)(char)300 | (short)70000 | (unsigned char)-1 | (unsigned)-1 | -1 > 0u | 5 - 6u > 0
  n   +   1   | ((((n)))) | (n) + (1) | (int)n | -(int)d
"""
FLOATS = r"""
f | d | f + d | f * 2 | d / 4 | -d | n / 2.0 | n * 0.5 | 1.5e-3 | 1.f / 3 | (float)0.1 | (double)n / 2 | d - n | 3.
yes ? f : d | (long double)d | 0x1p-2
"""
PASS_BY = [  # what C cannot print, and what hit:eval shall give
    ('hit:eval "text":string()', "some text"), ('hit:eval "list->next->name":string()', "second"),
    ('hit:eval "null"', "nil"), ('hit:eval "list->next->next"', "nil"), ('hit:eval "color".name', "GREEN"),
    ('hit:eval "GREEN".name', "GREEN"), ('hit:eval "(enum color)-2".name', "BLUE"), ('hit:eval "yes"', "true"),
    ('hit:eval "point".y', "-4"), ('hit:eval "*list".next.value', "22"), ('hit:eval "&n"[0]', "7"),
    ('hit:eval "a"[3]', "40"), ('#hit:eval "a"', "4"), ('hit:eval "n == 7"', ("true", "1")),
    ('hit:eval "point" == hit.var.point', "true"), ('hit:eval "d"', "-2.25"),
]
WRONG = ["n +", "(n", "n)", "1 / 0", "n % 0", "nowhere", "n.x", "point.z", "pp->z", "a[", "*n", "null[0]", "*null",
         "&1", "n n", "", " ", "'ab", '"text', "a[100000]", "twice(", "sizeof(struct nowhere)", "(nowhere)n", "n = 8",
         "n++", "point + 1", "1 <<", "@", "n ? 1", "*untyped", "3 = 4", "(((((" * 200, "-" * 5000 + "n"]


def expressions(text):
    """One a piece between bars with blanks around them; || and | as operators are told by their lines."""
    found = []
    for line in text.strip("\n").split("\n"):
        for e in line.replace("n | 8 |", "n \x01 8 |").replace("1 | 2 &", "1 \x01 2 &").split(" | "):
            found.append(e.replace("\x01", "|").strip())
    return found


def source():
    prints = ["\tI(%s);" % e for e in expressions(INTEGERS)] + ["\tF(%s);" % e for e in expressions(FLOATS)]
    return C.replace("PRINTS", "\n".join(prints))


def bare_values(t, program):
    """What the program says, by the expression as it was written (blanks do not count)."""
    found = {}
    for line in t.run_bare(program).stdout.splitlines()[1:]:
        label, _, value = line.rpartition(" = ")
        found[label.replace(" ", "")] = value
    return found


@params(("gcc", "-gdwarf-4"), ("gcc", "-gdwarf-5"), ("clang", "-gdwarf-4"), ("clang", "-gdwarf-5"))
def test_table(t, build):
    program = compile_text("eval.c", source(), "-g -O0 " + build[1], compiler=build[0])
    truth = bare_values(t, program)
    script = 'at "//here":run(function(hit)\n\tlocal function show(text, form)\n' \
        '\t\tlocal ok, v = pcall(hit.eval, hit, text)\n\t\tif type(v) == "boolean" then v = v and 1 or 0 end\n' \
        '\t\tif v == nil then v = 0 end\n\t\tok, v = pcall(string.format, form, v)\n' \
        '\t\tprint(text .. " = " .. tostring(v))\n\tend\n'
    lines = [("[==[%s]==]" % e, "%d") for e in expressions(INTEGERS)]
    lines += [("[==[%s]==]" % e, "%.17g") for e in expressions(FLOATS)]
    script += "".join('\tshow(%s, "%s")\n' % l for l in lines) + "end)\n"
    r = t.run_gated(program, script=script)
    t.equal(r.status, 0, "status", r)
    wrong = []
    got = [l.rpartition(" = ") for l in r.err.splitlines()]
    t.equal(len(got), len(lines), "answers", r)
    for text, _, value in got:
        if truth[text.replace(" ", "")] != value:
            wrong.append("%s: %s, the compiler says %s" % (text, value, truth[text.replace(" ", "")]))
    t.check(not wrong, "%d of %d are wrong:\n%s" % (len(wrong), len(got), "\n".join(wrong)))


def test_values(t):
    program = compile_text("eval.c", source(), "-g -O0")
    script = 'at "//here":run(function(hit)\n%send)\n' % "".join("\tprint(%s)\n" % re.sub(
        r'hit:eval ("[^"]*")', r"(hit:eval(\1))", e) for e, _ in PASS_BY)
    r = t.run_gated(program, script=script)
    t.equal(r.status, 0, "status", r)
    for (e, wanted), got in zip(PASS_BY, r.err.splitlines()):
        t.check(got == wanted or isinstance(wanted, tuple) and got in wanted, "%s: %s, not %s" % (e, got, wanted))


def test_errors(t):
    """Each is an error of the script, which says what it is about; none is an end of gatectl's own."""
    program = compile_text("eval.c", source(), "-g -O0")
    script = 'at "//here":run(function(hit)\n'
    for e in WRONG:
        script += ("\tdo local ok, said = pcall(hit.eval, hit, [==[%s]==])\n\tprint(tostring(ok) .. ' ' .. "
                   "tostring(said):sub(1, 300)) end\n" % e)
    r = t.run_gated(program, script=script + "end)\n")
    t.equal(r.status, 0, "status", r)
    lines = r.err.splitlines()
    t.equal(len(lines), len(WRONG), "one line each", r)
    for e, line in zip(WRONG, lines):
        t.check(line.startswith("false "), "%.40s: %s" % (e, line))
    for e, word in (("nowhere", "nowhere"), ("point.z", "z"), ("n % 0", "0"), ("null[0]", "0x0"),
                    ("*untyped", "void")):
        line = lines[WRONG.index(e)]
        t.check(word in line, "%s: %s" % (e, line))
    r = t.run_gated(program, script='\nat "//here":run(function(hit) return hit:eval "n +" end)\n')
    t.error(r, where=r"gates\d+\.lua:2: ")
