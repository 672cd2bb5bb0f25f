"""What a location means: `gatectl lines` and `check`, against addr2line and nm, and by running it."""

import os
import re
import shutil
import subprocess

from harness import Skip, Target, compile_text, line_of, params, symbol_address

SHAPES = r"""
#include <stdio.h>
#include <stdlib.h>

volatile int total, other;

__attribute__((noinline)) int area(int w, int h)
{
	int a = w * h;
	total += a; /* gate: add */
	return a;
}

static inline void bump(int by)
{
	other += by; /* gate:bump */
}

__attribute__((noinline)) int perimeter(int w, int h)
{
	bump(w);
	bump(h);
	if (w < 0)
		return -1;
	return 2 * (w + h);
}

int main(void)
{
	for (int i = 0; i < 4; i++) {
		area(i, 2);
		perimeter(i, 3);
	}
	printf("%d %d\n", total, other);
	return 0;
}
"""
BUILDS = [("gcc", "-g -O0"), ("gcc", "-g -O2"), ("clang", "-g -O0"), ("clang", "-g -O2")]
FORMATS = ["-gdwarf-2", "-gdwarf-3", "-gdwarf-4", "-gdwarf-5", "-gz=zlib -g", "-g1", "-g3", "-ggdb",
           "-g -gno-column-info", "-g -ffunction-sections -Wl,--gc-sections", "-g -static",
           "-g -no-pie -fno-pie", "-g -static-pie -fPIE", "-g -fcf-protection=full",
           "-g -fno-omit-frame-pointer -fstack-protector-all"]


def lines(t, program, *locations, status=0):
    r = t.gate("lines", program, *locations)
    t.equal(r.status, status, "status", r)
    if status == 0:
        t.equal(r.err, "", "stderr of a query that is answered", r)
    return r


def addresses(text):
    return sorted(int(a, 16) for a in re.findall(r"\b0x([0-9a-f]+)\b", text))


def addr2line(program, address, function=False):
    out = subprocess.run(["addr2line", "-e", program, "-f", "-C", hex(address)],
                         capture_output=True, text=True).stdout.split("\n")
    file, _, line = out[1].partition(":")
    return out[0] if function else (os.path.basename(file), int(re.match(r"\d+|$", line).group() or 0))


def sites(t, program, location, file=None, line=None, at_least=1, function=None):
    """Asks what a location means and checks each address with addr2line: its line, or (where addr2line
    itself errs, with DWARF 5 and LTO) only its function."""
    r = lines(t, program, location)
    found = addresses(r.stdout)
    t.check(len(found) >= at_least, "at least %d sites of %s" % (at_least, location), r)
    for a in found:
        if function:
            t.check(addr2line(program, a, True) in function, "function of 0x%x for %s" % (a, location), r)
        elif line:
            t.equal(addr2line(program, a), (file, line), "addr2line of 0x%x for %s" % (a, location), r)
    if line:
        t.check("%s:%d" % (file, line) in r.stdout, "names %s:%d" % (file, line), r)
    return found, r


@params(*BUILDS)
def test_each_kind(t, build):
    compiler, flags = build
    program = compile_text("shapes.c", SHAPES, flags, compiler=compiler)
    add = line_of(SHAPES, "gate: add")
    for location in ("shapes.c:%d" % add, "//add", "area;total += a;", "shapes.c;total+=a",
                     "area; total  +=a", "area;total*a", "area:+3"):
        sites(t, program, location, "shapes.c", add)
    found, r = sites(t, program, "area")
    t.check("area" in r.stdout, "names the function", r)
    begin = symbol_address(program, "area")
    t.check(all(begin <= a < begin + 40 for a in found), "entry of area", r)
    found, r = sites(t, program, "area%return")
    t.check(all(a > begin for a in found), "behind the beginning", r)
    found, r = sites(t, program, "*0x%x" % begin)
    t.equal(found[-1], begin, "plain address", r)
    found, r = sites(t, program, "perimeter%return")
    sites(t, program, "shapes!//add", "shapes.c", add)


@params(*BUILDS)
def test_each_kind_arrives(t, build):
    compiler, flags = build
    program = compile_text("shapes.c", SHAPES, flags, compiler=compiler)
    wanted = {"shapes.c:%d" % line_of(SHAPES, "gate: add"): 4, "//add": 4, "area;total += a": 4,
              "area:+3": 4, "area": 4, "area%return": 4, "perimeter": 4, "perimeter%return": 4,
              "*0x%x" % symbol_address(program, "area"): 4, "shapes!area": 4, "//bump": 8,
              "shapes.c:%d" % line_of(SHAPES, "other += by"): 8}
    script = "".join('at "%s":run(function() end)\n' % l for l in wanted)
    r = t.clean(t.run_gated(program, script=script))
    got = {p["location"]: p["arrivals"] for p in r.report["places"]}
    t.equal(got, wanted, "arrivals", r)


@params(*[(c, f, o) for c in ("gcc", "clang") for f in FORMATS for o in ("-O0", "-O2")])
def test_debug_formats(t, case):
    compiler, form, opt = case
    if compiler == "clang" and ("-gz" in form or "-gno-column" in form):
        form = form.replace("-gz=zlib -g", "-g -gz").replace("-gno-column-info", "-gno-column-info")
    program = compile_text("shapes.c", SHAPES, form + " " + opt, compiler=compiler)
    wanted = {"//add": 4, "//bump": 8, "area": 4, "area%return": 4, "perimeter%return": 4}
    if form == "-g1":
        del wanted["//bump"]  # -g1 leaves out where inlined copies begin and end
    script = "".join('at "%s":run(function() end)\n' % l for l in wanted)
    r = t.clean(t.run_gated(program, script=script))
    t.equal({p["location"]: p["arrivals"] for p in r.report["places"]}, wanted, "arrivals", r)
    sites(t, program, "//add", "shapes.c", line_of(SHAPES, "gate: add"))


@params("gcc", "clang")
def test_inlined_copies(t, compiler):
    """A line that is inlined stands at several addresses, each in the function it is a copy in."""
    program = compile_text("shapes.c", SHAPES, "-g -O2", compiler=compiler)
    bump = line_of(SHAPES, "gate:bump")
    found, r = sites(t, program, "//bump", "shapes.c", bump)
    t.equal(len(set(found)), 2, "copies", r)
    t.equal(r.stdout.count("inlined into perimeter"), 2, "each names its caller", r)


COPY_WITH_A_CALL = r"""
#include <pthread.h>
#include <cstdio>
template <class T> struct Counter {
	T v{};
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	inline T get()
	{
		pthread_mutex_lock(&m);
		T r = v;
		pthread_mutex_unlock(&m);
		return r;
	}
	inline void set(T x)
	{
		pthread_mutex_lock(&m); /* gate: lock */
		v = x;
		pthread_mutex_unlock(&m);
	}
	inline void add(T d)
	{
		T r = get();
		set(r + d);
	}
};
static Counter<int> c;
static int clamp(int x) { return x < 0 ? 0 : x > 100 ? 100 : x; }
static volatile int rounds = 3; // clang gives the copies of an unrolled loop one entry
static void *bump(void *)
{
	for (int i = 0; i < rounds; i++)
		c.add(clamp(i + 1));
	return nullptr;
}
int main()
{
	pthread_t t;
	pthread_create(&t, nullptr, bump, nullptr);
	pthread_join(t, nullptr);
	printf("%d\n", c.get());
}
"""


@params(*BUILDS)
def test_copy_is_entered_before_its_first_call(t, build):
    """gcc may put the entry of an inlined copy behind the call that it begins with."""
    compiler, flags = build
    program = compile_text("copy_call.cc", COPY_WITH_A_CALL, flags, compiler=compiler)
    script = '''
local entered = 0
at("Counter<int>::set"):run(function() entered = entered + 1 end)
at("//lock", {after = true}):run(function(hit) assert(entered == hit.count, entered) end)
'''
    r = t.clean(t.run_gated(program, script=script))
    t.arrivals(r, "Counter<int>::set", 3)


@params("-gdwarf-4", "-gdwarf-5")
def test_header_first(t, form):
    """Code of a header that comes first in the unit belongs to the header (gcc and clang, -O0 and -O2)."""
    header = ("/* a header with code */\n#ifndef H\n#define H\nextern volatile int n;\n"
              "static inline int from_header(int x)\n{\n\tn += x; /* gate: hdr */\n\treturn n;\n}\n#endif\n")
    source = ('#include "hdr.h"\nvolatile int n;\n\n\n\n\nint main(void)\n{\n'
              "\tint r = from_header(3);\n\tr += from_header(4); /* gate: call */\n\treturn r;\n}\n")
    for compiler in ("gcc", "clang"):
        for opt in ("-O0", "-O2"):
            d = t.path(compiler + opt)
            os.mkdir(d)
            for name, text in (("hdr.h", header), ("use.c", source)):
                with open(os.path.join(d, name), "w") as f:
                    f.write(text)
            program = os.path.join(d, "use")
            subprocess.run([compiler, form, opt, "-o", program, os.path.join(d, "use.c")], check=True)
            sites(t, program, "hdr.h:7", "hdr.h", 7, function=("from_header", "main"))
            sites(t, program, "//hdr", "hdr.h", 7, function=("from_header", "main"))
            r = t.clean(t.run_gated(program, script='at "hdr.h:7":run(function(hit) '
                                    'assert(hit.file:match("hdr.h$") and hit.line == 7) end)\n'), 10)
            t.arrivals(r, "hdr.h:7", 2)
            # line 7 of the .c file begins main: never the header's code
            found = addresses(t.gate("lines", program, "use.c:7").stdout)
            for a in found:
                t.equal(addr2line(program, a, True), "main", "function of 0x%x" % a)


def test_file_matches_by_trailing_components(t):
    """a/x.c and b/x.c: x.c:LINE is ambiguous, a/x.c:LINE is not, and /x.c of a longer name is not it."""
    for d, value in (("a", 1), ("b", 2)):
        os.makedirs(t.path("src/" + d))
        t.file("src/%s/x.c" % d, "volatile int n;\nint f_%s(void);\nint f_%s(void)\n{\n\treturn n + %d;\n}\n"
               .replace("volatile int n", "static volatile int n") % (d, d, value))
    t.file("src/max.c", "int f_a(void);\nint f_b(void);\nstatic volatile int n;\nint main(void)\n{\n"
           "\tn = f_a() + f_b();\n\treturn n;\n}\n")
    program = t.path("prog")
    subprocess.run(["gcc", "-g", "-O0", "-o", program, "src/max.c", "src/a/x.c", "src/b/x.c"],
                   check=True, cwd=t.tmp)
    r = lines(t, program, "x.c:5", status=125)
    t.check("a/x.c" in r.err and "b/x.c" in r.err, "lists both", r)
    for location, file in (("a/x.c:5", "f_a"), ("b/x.c:5", "f_b"), ("src/a/x.c:5", "f_a"),
                           (t.path("src/b/x.c") + ":5", "f_b"), ("x.c:5#1", None), ("x.c:5#2", None)):
        r = lines(t, program, location)
        if file:
            t.check(file in r.stdout, "%s is in %s" % (location, file), r)
    lines(t, program, "x.c:5#3", status=125)
    lines(t, program, "max.c:6")
    lines(t, program, "c/x.c:5", status=125)
    r = t.clean(t.run_gated(program, script='at "a/x.c:5":run(function(hit) assert(hit.func == "f_a") end)\n'), 3)
    t.arrivals(r, "a/x.c:5", 1)


CXX = r"""
#include <cstdio>
namespace store {
template <typename T> class Queue {
      public:
	void push(T v)
	{
		items[count++ % 8] = v; /* gate: push */
	}
	T items[8];
	int count = 0;
};
struct Plain {
	int n = 0;
	void push(int v)
	{
		n += v; /* gate: plain */
	}
	~Plain()
	{
		n = 0;
	}
};
}
int over(int x) { return x + 1; /* gate: over int */ }
int over(double x) { return (int)x + 2; }
int main()
{
	store::Queue<int> a;
	store::Queue<double> b;
	store::Plain p;
	for (int i = 0; i < 3; i++) {
		a.push(i);
		b.push(i);
		p.push(i);
	}
	auto twice = [](int x) {
		return 2 * x; /* gate: lambda */
	};
	printf("%d %d %d %d\n", a.count, b.count, p.n, twice(over(1) + over(1.5)));
}
"""


@params("g++", "clang++")
def test_cxx_names(t, compiler):
    program = compile_text("names.cc", CXX, "-g -O0", compiler=compiler)
    r = lines(t, program, "Plain::push")
    t.check("Plain::push" in r.stdout, "qualified name", r)
    sites(t, program, "store::Plain::push")
    sites(t, program, "//push", "names.cc", line_of(CXX, "gate: push"), at_least=2)
    sites(t, program, "//lambda", "names.cc", line_of(CXX, "gate: lambda"))
    found, r = sites(t, program, "Queue::push")
    t.check(len(found) >= 2, "both instances of the template", r)
    script = "".join('at "%s":run(function() end)\n' % l for l in
                     ("//push", "Plain::push", "store::Plain::push", "Queue::push", "//lambda", "Plain::push%return"))
    r = t.clean(t.run_gated(program, script=script))
    t.equal({p["location"]: p["arrivals"] for p in r.report["places"]},
            {"//push": 6, "Plain::push": 3, "store::Plain::push": 3, "Queue::push": 6, "//lambda": 1,
             "Plain::push%return": 3}, "arrivals", r)


def test_overloads_are_ambiguous(t):
    """Two functions of one name: an error that lists them."""
    program = compile_text("names.cc", CXX, "-g -O0")
    r = lines(t, program, "over", status=125)
    n = line_of(CXX, "gate: over int")
    t.check(str(n) in r.err and str(n + 1) in r.err, "lists both", r)
    lines(t, program, "over#2")
    r = t.run_gated(program, script='at("Plain::push#2"):run(function() end)\n')
    t.error(r, where=r"Plain::push#2: there is only one match:$")
    t.check("try: remove #2, which counts places in the source; for the arrival with this number give at() the option "
            "{ hit = 2 }" in r.err, "an arrival may be meant", r)


def test_nearest_lines(t):
    program = compile_text("shapes.c", SHAPES, "-g -O0")
    empty = line_of(SHAPES, "volatile int total, other;")
    r = lines(t, program, "shapes.c:%d" % (empty + 1), status=125)
    t.check(re.search(r"\b%d\b" % (empty + 3), r.err) or re.search(r"\b%d\b" % (empty + 2), r.err),
            "the nearest line that has code", r)
    r = lines(t, program, "shapes.c:9999", status=125)
    r = lines(t, program, "shape.c:10", status=125)
    r = lines(t, program, "aera", status=125)
    t.check("area" in r.err, "nearest name", r)


def test_text_ambiguous(t):
    program = compile_text("shapes.c", SHAPES, "-g -O0")
    r = lines(t, program, "perimeter;return", status=125)
    a, b = line_of(SHAPES, "return -1;"), line_of(SHAPES, "return 2 * (w + h);")
    t.check(str(a) in r.err and str(b) in r.err, "lists both lines", r)
    sites(t, program, "perimeter;return#2", "shapes.c", b)
    sites(t, program, "perimeter;return#1", "shapes.c", a)


UNCOUNTED = """static int n;
int work(int x)
{
	/* n += x: a comment */
	// n += x, and more
	n += x; // the one
#if 0
	n += x; /* left out */
#ifdef DEEPER
	n += x;
#endif
#endif
	int unused = x + n; // dropped
#ifdef NOBODY
	unused = x + n; // nobody
	n += 2;
#else
	n -= 2;
#endif
	return n; // all of it
}
int main(int count, char **words)
{
	(void)words;
	// all of it
	return work(count);
}
"""


@params("-O0", "-O2")
def test_lines_without_code_are_no_matches(t, flags):
    """Comments and what the preprocessor leaves out do not make a text ambiguous; #K counts every line with the text."""
    program = compile_text("uncounted.c", UNCOUNTED, "-g -fno-inline " + flags)
    the_one = line_of(UNCOUNTED, "// the one")
    for location in ("work;n += x", "work;n += x#3", "uncounted.c;n += x"):
        sites(t, program, location, "uncounted.c", the_one)
    r = lines(t, program, "uncounted.c;all of it")
    t.check("uncounted.c:%d 0x" % line_of(UNCOUNTED, "return n;") in r.stdout, "of a comment and code", r)
    t.check("uncounted.c:%d 0x" % line_of(UNCOUNTED, "n -= 2;") in lines(t, program, "work;2;").stdout, "the other branch")
    r = lines(t, program, "work;n += x#1", status=125)
    t.check("has no code of its own: it contains only a comment" in r.err, "a comment", r)


def test_only_lines_without_code(t):
    """Where nothing else matches, what they are is said."""
    program = compile_text("uncounted.c", UNCOUNTED, "-g -O0")
    r = lines(t, program, "work;a comment", status=125)
    t.check("uncounted.c:4 has no code of its own: it contains only a comment" in r.err, "a comment", r)
    r = lines(t, program, "work;nobody", status=125)
    t.check("uncounted.c:15 has no code of its own: the preprocessor left lines 15 to 16 out, or they have no code" in r.err,
            "left out", r)
    r = lines(t, program, "work;left out", status=125)
    t.check("uncounted.c:8 has no code of its own: the preprocessor left lines" in r.err, "left out, and more inside", r)
    r = lines(t, program, "work;n +=* and", status=125)
    t.check("uncounted.c:5 has no code of its own" in r.err, "one comment", r)
    r = lines(t, program, "work;#", status=125)
    t.check("none of the 7 lines with this text has code:" in r.err, "several", r)


def test_optimised_line_counts(t):
    """What only the optimiser has dropped is a match: what a text means does not depend on that."""
    text = ("int work(int x)\n{\n\tif (x < 0 && x > 0)\n\t\tx += 7; // never\n\tx += 7; // always\n\treturn x;\n}\n"
            "int main(int c, char **v)\n{\n\treturn work(c);\n}\n")
    program = compile_text("dropped.c", text, "-g -O2 -fno-inline")
    r = lines(t, program, "work;x += 7", status=125)
    t.check("dropped.c:4 " in r.err and "dropped.c:5 " in r.err, "lists both", r)
    r = lines(t, program, "work;never", status=125)
    t.check("dropped.c:4 has no code of its own" in r.err, "is named", r)


def test_mark_must_match_whole(t):
    """gate: ab is not the mark a; a mark in two places is ambiguous."""
    text = ("static volatile int n;\nint main(void)\n{\n\tn = 1; /* gate: ab */\n\tn = 2; /* gate: a-b */\n"
            "\tn = 3; // gate:tw\n\tn = 4; // see gate: tw for this\n\treturn 0; /* gate: end. */\n}\n")
    program = compile_text("marks.c", text, "-g -O0")
    sites(t, program, "//ab", "marks.c", 4)
    sites(t, program, "//a-b", "marks.c", 5)
    lines(t, program, "//a", status=125)
    r = lines(t, program, "//tw", status=125)
    t.check("6" in r.err and "7" in r.err, "both", r)
    sites(t, program, "//tw#2", "marks.c", 7)


def test_macro_and_line_markers(t):
    """#line: found under the name and line that the debug information gives."""
    text = ("static volatile int n;\nint main(void)\n{\n#line 500 \"grammar.y\"\n\tn = 1;\n\tn = 2;\n"
            "#line 900 \"generated.c\"\n\tn = 3;\n\treturn 0;\n}\n")
    program = compile_text("gen.c", text, "-g -O0")
    for location in ("grammar.y:500", "grammar.y:501", "generated.c:900"):
        r = t.clean(t.run_gated(program, script='at "%s":run(function() end)\n' % location))
        t.arrivals(r, location, 1)


def test_source_is_gone(t):
    """Without the source file lines and functions work, marks and texts are an error that says why."""
    source = t.file("gone.c", "static volatile int n;\nint main(void)\n{\n\tn = 1; /* gate: x */\n\treturn 0;\n}\n")
    program = t.path("gone")
    subprocess.run(["gcc", "-g", "-o", program, source], check=True)
    os.unlink(source)
    r = t.clean(t.run_gated(program, script='at "gone.c:4":run(function() end)\n'))
    t.arrivals(r, "gone.c:4", 1)
    r = t.error(t.run_gated(program, script='at "//x":run(function() end)\n'), 125, r"gates2\.lua:1: ")
    r = t.error(t.run_gated(program, script='at "main;n =":run(function() end)\n'), 125)
    t.check("gone.c" in r.err, "says which file", r)


# ---- objects ---------------------------------------------------------------------------------------

def test_object_of_library(t):
    target = Target("linked_so").build()
    lib = os.path.join(target.dir, "libctor.so")
    for location in ("ctor_value", "libctor.so!ctor_value", "libctor.so!//born", "//born", "libctor.c;value = 41"):
        r = t.gate("lines", target.path, location)
        t.equal(r.status, 0, "status", r)
        t.check("libctor.so" in r.stdout, "the object is named", r)
    begin = symbol_address(lib, "ctor_value")
    found = addresses(lines(t, target.path, "libctor.so!ctor_value").stdout)
    t.check(all(begin <= a < begin + 32 for a in found), "address as nm prints it")
    r = t.clean(t.run_gated(target.path, script='at "libctor.so!ctor_value":run(function() end)\n'
                            'at "ctor_value%return":run(function() end)\n'))
    t.equal([p["arrivals"] for p in r.report["places"]], [1, 1], "arrivals", r)


def test_library_by_versioned_name(t):
    """libfoo.so matches libfoo.so.1.2."""
    t.file("foo.c", "int foo(int x);\nint foo(int x)\n{\n\treturn x + 1;\n}\n")
    t.file("use.c", "int foo(int x);\nint main(void)\n{\n\treturn foo(4);\n}\n")
    subprocess.run(["gcc", "-g", "-shared", "-fPIC", "-Wl,-soname,libfoo.so.1.2", "-o", "libfoo.so.1.2", "foo.c"],
                   check=True, cwd=t.tmp)
    subprocess.run(["gcc", "-g", "-o", "use", "use.c", "./libfoo.so.1.2", "-Wl,-rpath,$ORIGIN"], check=True, cwd=t.tmp)
    for name in ("libfoo.so", "libfoo.so.1", "libfoo.so.1.2"):
        r = t.clean(t.run_gated(t.path("use"), script='at "%s!foo":run(function() end)\n' % name), 5)
        t.arrivals(r, name + "!foo", 1)


@params("x(1).so", "x;y.so", "a<b *c#1.so.2")
def test_library_by_odd_name(t, name):
    """An object may have a name with anything in it."""
    t.file("foo.c", "int foo(int x);\nint foo(int x)\n{\n\treturn x + 1;\n}\n")
    t.file("use.c", "int foo(int x);\nint main(void)\n{\n\treturn foo(4);\n}\n")
    subprocess.run(["gcc", "-g", "-shared", "-fPIC", "-o", name, "foo.c"], check=True, cwd=t.tmp)
    subprocess.run(["gcc", "-g", "-o", "use (1)", "use.c", "./" + name], check=True, cwd=t.tmp)
    for location in (name + "!foo", name + "!foo.c:4", name + "!foo;x + 1", "./%s!foo%%return" % name, "use (1)!main"):
        r = t.clean(t.run_gated("./use (1)", script='at "%s":run(function() end)\n' % location, cwd=t.tmp), 5)
        t.arrivals(r, location, 1)


def test_libc_functions(t):
    """Functions of libraries without debug information, by their symbols."""
    program = compile_text("puts.c", "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv)\n{\n"
                           "\tfor (int i = 0; i < 3; i++)\n\t\tputs(\"x\");\n\treturn abs(argc) - 1;\n}\n")
    r = t.clean(t.run_gated(program, script='at "libc.so!puts":run(function() end)\n'))
    t.equal(r.stdout, "x\n" * 3, "stdout", r)
    t.arrivals(r, "libc.so!puts", 3)


def test_pending_until_dlopen(t):
    target = Target("dlopen_loop").build()
    for location in ("libplug.so!plug_add", "libplug.so!plug_add%return", "libplug.so!//plugged",
                     "libplug.so!libplug.c;return a + b"):
        r = t.clean(t.run_gated(target.path, script='at "%s":run(function() end)\n' % location))
        t.arrivals(r, location, 20)
    t.error(t.run_gated(target.path, script='at "plug_add":run(function() end)\n'), 125)
    r = t.run_gated(target.path, script='at "libplug.so!plug_ad":run(function() end)\n')
    t.error(r, 125, "no function plug_ad in libplug.so")  # a misspelling, though the object is loaded later
    t.verdict(t.run_gated(target.path, script='at "libabsent.so!f":run(function() end)\n'), 120)
    for location in ("dlopen_loop!nothing_here", "libc.so!nothing_here"):  # these objects are there already
        r = t.run_gated(target.path, script='at "%s":run(function() end)\n' % location)
        t.error(r, 125, "no function nothing_here in " + location.split("!")[0])


STATIC = r"""
#include <dlfcn.h>
int main(int argc, char **argv)
{
	int sum = argc - argc;
	for (int i = 0; i < 3; i++) {
		void *h = dlopen(argv[1], RTLD_NOW);
		int (*add)(int, int);
		*(void **)&add = dlsym(h, "plug_add");
		sum = add(sum, i);
		dlclose(h);
	}
	return sum;
}
"""


def test_pending_in_a_static_program(t):
    """It has a loader of its own, for dlopen."""
    library = os.path.join(os.path.dirname(Target("dlopen_loop").build().path), "libplug.so")
    program = compile_text("static_dlopen.c", STATIC, flags="-g -O0 -static -w")
    script = 'at "libplug.so!plug_add":run(function() end)\non("load", {object = "libplug.so"}):run(function() end)\n'
    r = t.run_gated(program, script=script, args=[library])
    t.equal(r.status, 3, "status", r)
    t.arrivals(r, "libplug.so!plug_add", 3)
    t.arrivals(r, "load", 3)
    t.verdict(t.run_gated(program, script='at "libabsent.so!f":run(function() end)\n', args=[library]), 120)


PARTLY = r"""
volatile int g;
int twice(int x)
{
	g += x;
	return g * 2;
}
int (*volatile indirectly)(int) = twice;
int main(void)
{
	int r = twice(1);
	r += indirectly(2);
	r += twice(3);
	return r == 0;
}
"""


def test_return_of_partly_inlined(t):
    """Some calls were inlined, others were not: of the first it is said that there is no return to stop at."""
    program = compile_text("partly.c", PARTLY, "-g -O2")
    said = r"1 site; it was inlined at 2 calls, where there is no return to stop at"
    r = t.gate("lines", program, "twice%return", "twice")
    t.check(said in r.stdout and "twice: 3 sites\n" in r.stdout, "lines", r)
    gates = t.file("partly.lua", 'at("twice%return", {hit = 2}):run(function() end)\n')
    r = t.gate("check", "-g", gates, program)
    t.check(said in r.stdout, "check", r)
    r = t.verdict(t.gate("run", "-g", gates, program), 120)
    t.check("only once, by main, but hit = 2 was asked for; twice was also inlined, at 2 calls, where there is no return to stop at" in r.first, "the verdict", r)


# ---- symbols, stripped, separate -------------------------------------------------------------------

def build_in(t, *flags, compiler="gcc"):
    source = t.file("shapes.c", SHAPES)
    program = t.path("shapes")
    subprocess.run([compiler, *flags, "-o", program, source], check=True)
    return program


def run_counts(t, program, wanted):
    script = "".join('at "%s":run(function() end)\n' % l for l in wanted)
    r = t.clean(t.run_gated(program, script=script))
    t.equal({p["location"]: p["arrivals"] for p in r.report["places"]}, wanted, "arrivals", r)


@params("-O0", "-O2")
def test_symbols_only(t, opt):
    program = build_in(t, "-g0", opt)
    run_counts(t, program, {"area": 4, "area%return": 4, "perimeter": 4, "perimeter%return": 4,
                            "*0x%x" % symbol_address(program, "area"): 4})
    t.error(t.run_gated(program, script='at "//add":run(function() end)\n'))


def test_stripped(t):
    program = build_in(t, "-g")
    subprocess.run(["strip", "--strip-debug", program], check=True)
    run_counts(t, program, {"area": 4, "perimeter%return": 4})
    address = symbol_address(program, "area")
    subprocess.run(["strip", program], check=True)
    run_counts(t, program, {"*0x%x" % address: 4})
    r = t.error(t.run_gated(program, script='at "area":run(function() end)\n'))


def test_stripped_cxx(t):
    source = t.file("names.cc", CXX)
    program = t.path("names")
    subprocess.run(["g++", "-g0", "-o", program, source], check=True)
    run_counts(t, program, {"store::Plain::push": 3, "Plain::push%return": 3})


@params("beside", ".debug")
def test_debuglink(t, where):
    program = build_in(t, "-g", "-O1")
    if where == ".debug":
        os.mkdir(t.path(".debug"))
        debug = t.path(".debug/shapes.dbg")
    else:
        debug = t.path("shapes.dbg")
    subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
    subprocess.run(["strip", "-s", program], check=True)
    subprocess.run(["objcopy", "--remove-section=.note.gnu.build-id", program], check=True)
    subprocess.run(["objcopy", "--add-gnu-debuglink=" + debug, program], check=True)
    run_counts(t, program, {"//add": 4, "area": 4, "area%return": 4, "//bump": 8})


def test_debuglink_of_another_build(t):
    """A debug file that does not belong to the program is not believed."""
    program = build_in(t, "-g")
    debug = t.path("shapes.dbg")
    subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
    subprocess.run(["strip", "-g", program], check=True)
    subprocess.run(["objcopy", "--add-gnu-debuglink=" + debug, program], check=True)
    source = t.file("shapes.c", "\n\n\n" + SHAPES)
    subprocess.run(["gcc", "-g", "-o", t.path("o"), source], check=True)
    subprocess.run(["objcopy", "--only-keep-debug", t.path("o"), debug], check=True)
    r = t.run_gated(program, script='at "shapes.c:%d":run(function() end)\n' % (3 + line_of(SHAPES, "gate: add")))
    t.error(r)


def test_build_id(t):
    """/usr/lib/debug/.build-id/xx/yy.debug, in a mount namespace of our own."""
    probe = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/usr/lib/debug"],
                           capture_output=True)
    if probe.returncode != 0:
        raise Skip("no mount namespace of one's own here")
    program = build_in(t, "-g", "-Wl,--build-id")
    note = subprocess.run(["readelf", "-n", program], capture_output=True, text=True).stdout
    build_id = re.search(r"Build ID: ([0-9a-f]+)", note).group(1)
    debug = t.path("d.debug")
    subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
    subprocess.run(["strip", "-s", program], check=True)
    script = t.file("s.lua", 'at "//add":run(function() end)\nexpect {exit = 0}\n')
    inside = t.file("in.sh", "set -e\nmount -t tmpfs none /usr/lib/debug\nd=/usr/lib/debug/.build-id/%s\n"
                    "mkdir -p $d\ncp %s $d/%s.debug\nexec %s run -g %s -- %s\n"
                    % (build_id[:2], debug, build_id[2:], t.gatectl, script, program))
    r = t.run(["unshare", "-m", "sh", inside])
    t.equal((r.status, r.err), (0, ""), "outcome", r)
    t.error(t.gate("run", "-g", script, "--", program))


@params(("gcc", "-O2"), ("gcc", "-O0"), ("clang", "-O2"))
def test_lto(t, case):
    """LTO: units are called <artificial>, lines and functions are found by the line table's files."""
    compiler, opt = case
    a = t.file("a.c", "volatile int n;\nint work(int x);\nint main(void)\n{\n\tfor (int i = 0; i < 5; i++)\n"
               "\t\tn += work(i);\n\treturn n; /* gate: end */\n}\n")
    b = t.file("b.c", "extern volatile int n;\nint work(int x);\n__attribute__((noinline)) int work(int x)\n{\n"
               "\tn += x; /* gate: work */\n\treturn 1;\n}\n")
    program = t.path("lto")
    extra = ["-fuse-ld=lld"] if compiler == "clang" else []
    subprocess.run([compiler, "-g", opt, "-flto", *extra, "-o", program, a, b], check=True)
    for location in ("//work", "b.c:5"):
        sites(t, program, location, "b.c", 5, function=("work",))
    script = 'at "//work":run(function() end)\nat "b.c:5":run(function() end)\nat "//end":run(function() end)\n'
    r = t.clean(t.run_gated(program, script=script), 15)
    t.equal([p["arrivals"] for p in r.report["places"]], [5, 5, 1], "arrivals", r)


def test_rust(t):
    if not shutil.which("rustc"):
        raise Skip("no rustc")
    source = t.file("q.rs", "mod store {\n    pub struct Queue { pub n: i32 }\n    impl Queue {\n        #[inline(never)]\n"
                    "        pub fn push(&mut self, v: i32) {\n            self.n += v; // gate: push\n        }\n    }\n}\n"
                    "fn main() {\n    let mut q = store::Queue { n: 0 };\n    for i in 0..3 { q.push(i); }\n"
                    "    println!(\"{}\", q.n);\n}\n")
    subprocess.run(["rustc", "-g", "-o", t.path("q"), source], check=True)
    run_counts(t, t.path("q"), {"//push": 3, "Queue::push": 3})


# ---- check -----------------------------------------------------------------------------------------

def test_check(t):
    program = compile_text("shapes.c", SHAPES, "-g -O0")
    add = line_of(SHAPES, "gate: add")
    script = t.file("s.lua", 'local g = SimpleGate "g"\nat "//add":wait(g)\nat "area%return":open(g)\n'
                    'at("libx.so!f", {optional = true}):open(g)\nat "perimeter":event "p"\norder "p -> //bump"\n')
    r = t.gate("check", "-g", script, program)
    t.equal((r.status, r.err), (0, ""), "outcome", r)
    for word in ("//add", "area%return", "perimeter", "//bump", "shapes.c:%d" % add, "libx.so!f", "s.lua:2"):
        t.check(word in r.stdout, word + " is not in the answer", r)
    t.check("%d %d" not in r.stdout, "nothing was run", r)


def test_check_bad_script(t):
    program = compile_text("shapes.c", SHAPES, "-g -O0")
    t.error(t.gate("check", "-g", t.file("s.lua", "\nat(\n"), program), 125, r"s\.lua:\d+: ")
    t.error(t.gate("check", "-g", t.file("s.lua", "\nat '//ad':run(function() end)\n"), program), 125, r"s\.lua:2: ")


def test_queries_run_nothing(t):
    """check and lines do not execute the program, not even its constructors."""
    witness = t.path("witness")
    source = t.file("w.c", '#include <fcntl.h>\n__attribute__((constructor)) static void c(void)\n{\n'
                    '\topen("%s", O_CREAT | O_WRONLY, 0600);\n}\nint main(void)\n{\n\treturn 0;\n}\n' % witness)
    program = t.path("w")
    subprocess.run(["gcc", "-g", "-o", program, source], check=True)
    lines(t, program, "main")
    t.gate("check", "-g", t.file("s.lua", 'at "main":run(function() end)\n'), program)
    t.check(not os.path.exists(witness), "the program has run")


MADE = r"""
#include <stdio.h>
int count;
#define GEN(name) int name(int x) { return x + 1; }
GEN(made)
int one(int x) { return x; }
void next(int x)
{
	count += x;
}
GEN(first)  GEN(second)
int three(int x)
{
	count += 3; /* three */
	return made(x) + first(x) + second(x);
}
int main(void) { next(one(1)); printf("%d\n", three(2)); return 0; }
"""


@params("gcc -O0", "gcc -O1", "clang -O0", "clang -O1")
def test_text_of_a_function_made_by_a_macro(t, build):
    """Its text is its line: the next brace is another function's."""
    compiler, flags = build.split()
    program = compile_text("made.c", MADE, "-g " + flags, compiler=compiler)
    for location in ("made;count", "first;count", "made;one"):
        name = location.split(";")[0]
        r = t.gate("lines", program, location)
        if "no debug information" not in r.err:
            t.error(r, where="no line of %s contains this text" % name)
    t.check("made.c:%d" % line_of(MADE, "GEN(made)") in lines(t, program, "made;GEN").stdout, "its own line")
    t.check("made.c:%d" % line_of(MADE, "/* three */") in lines(t, program, "three;count").stdout, "another function's")


CALLS = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) static int f(int x)
{
	static volatile int n;
	return n += x;
}
__attribute__((noinline)) static int ends(int x)
{
	return f(x + 1);
}
int main(void)
{
	pthread_mutex_lock(&a); pthread_mutex_lock(&b);
	printf("%d\n", f(f(1) + f(20)));
	pthread_mutex_unlock(&b); pthread_mutex_unlock(&a);
	for (int i = 0; i < 4; i++)
		pthread_mutex_trylock(&a);
	return ends(5) == 0;
}
"""
CALLS_SCRIPT = """
local function say(what, place, options)
	at(place, options):log(what)
end
say("first", "main%call(pthread_mutex_lock)#1")
say("first held", "main%call(pthread_mutex_lock)#1", { after = true })
say("second", "main%call(pthread_mutex_lock)#2")
say("outer", "main%call(f)#1")
say("inner 1", "main%call(f)#2")
say("inner 20", "main%call(f)#3")
say("try", "main%call(pthread_mutex_trylock)")
say("tail", "ends%call(f)")
"""


@params(*BUILDS, ("gcc", "-g -O2 -fno-plt"), ("gcc", "-g -O1 -static"))
def test_calls(t, build):
    """The k-th call of a function, also of several on one line."""
    compiler, flags = build
    program = compile_text("calls.c", CALLS, flags + " -pthread", compiler)
    inner = ["outer", "inner 1", "inner 20"]
    r = t.run_gated(program, CALLS_SCRIPT)
    t.equal(r.status, 0, "status", r)
    said = r.err.splitlines()
    t.equal(said[:3], ["first", "first held", "second"], "locks", r)
    t.equal((sorted(said[3:6]), said[5]), (sorted(inner), "outer"), "calls on one line, in the order in which they happen", r)
    t.equal(said[6:], 4 * ["try"] + ["tail"], "a call of a loop, and the last one of a function", r)


def test_calls_not_found(t):
    program = compile_text("calls.c", CALLS, "-g -O0 -pthread")
    for location, text, hint in (
            ("main%call(f)", "main calls f 3 times: #1 at calls.c:18, #2 at calls.c:18, #3 at calls.c:18", "say which: main%call(f)#1"),
            ("main%call(f)#4", "main calls f 3 times", "say which: main%call(f)#1"),
            ("ends%call(printf)", "ends has no call of printf", "it calls f"),
            ("f%call(printf)", "f has no call of printf", "an inlined function and one called by its address"),
            ("nobody%call(f)", "no function nobody in calls", "")):
        r = lines(t, program, location, status=125)
        t.check(text in r.err and hint in r.err, "%s: %s" % (location, r.err))


PARTS = r"""
#include <pthread.h>
#include <stdio.h>
static struct sum { int pad[3]; volatile int total; } the = {.total = 1}, *sum = &the;
static void *scale(void *p)
{
	sum->total = sum->total * 3 +
		1;
	return p;
}
static void *other(void *p)
{
	sum->total = 100;
	return p;
}
static int same(int *p) { return *p == 0; }
int main(void)
{
	pthread_t t[2];
	int own = 1;
	own++;
	pthread_create(&t[0], 0, scale, 0);
	pthread_create(&t[1], 0, other, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	printf("%d %d\n", sum->total, own);
	return same(&the.pad[0]) && own != 2;
}
"""
PARTS_SCRIPT = """
local there, set = SimpleGate "there", SimpleGate "set"
at "scale;sum->total = sum->total * 3:@":open(there):wait(set)
at "other;sum->total = 100":wait(there)
at("other;sum->total = 100:write", { after = true }):open(set)
"""


@params(*BUILDS)
def test_parts(t, build):
    """Before the read of what a statement writes, and between the read and the write; the pointer that both go through does not count."""
    compiler, flags = build
    program = compile_text("parts.c", PARTS, flags + " -pthread", compiler)
    for part, total in (("read", 301), ("write", 4)):
        r = t.run_gated(program, PARTS_SCRIPT.replace("@", part))
        t.equal((r.status, r.stdout), (0, "%d 2\n" % total), part, r)


def test_parts_not_found(t):
    for flags, location, text in (
            ("-O0", "main;own++:read", "reads no memory that threads can share"),
            ("-O0", "same;*p == 0:write", "writes no memory that threads can share"),
            ("-O2", "scale;pad:write", "one instruction reads and writes"),
            ("-O0", "scale:read", ":read and :write need a statement")):
        program = compile_text("parts.c", PARTS.replace("return p;", "sum->pad[0] += 5; return p;", 1), flags + " -g -pthread")
        r = lines(t, program, location, status=125)
        t.check(text in r.err, "%s: %s" % (location, r.err), r)
