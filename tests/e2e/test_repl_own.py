"""gatectl repl: `next` and `step` go by the tester's own functions, not by the compiler's copies or the system's headers."""

import re

from harness import compile_text, params

INLINED = r"""
#include <stdio.h>
#include <stdlib.h>
static inline __attribute__((always_inline)) int mix(int a, int b)
{
	int r = a * 31; /* in-mix */
	r ^= b;
	r += a >> 3;
	return r;
}
static __attribute__((noinline)) int outer(int x)
{
	int s = x;
	s += rand();                     /* before */
	s = mix(s, x);                   /* begins with a copy */
	s += rand();
	s = rand() + mix(s, x) + rand(); /* holds a copy */
	s += rand();                     /* behind */
	return s;
}
int main(int argc, char **argv)
{
	(void)argv;
	return outer(argc) == 1;
}
"""


def line(mark, text):
    return next(n for n, l in enumerate(text.splitlines(), 1) if f"/* {mark} */" in l)


def stops(t, program, *commands):
    r = t.gate("repl", program, stdin=("\n".join(commands) + "\nquit\n").encode(), seconds=60)
    return r, [(f, int(n)) for f, n in re.findall(r"^\* .* in (\S+) at \w+\.\w+:(\d+)", r.stdout, re.M)]


@params("gcc -O0", "gcc -O2", "clang -O0", "clang -O2")
def test_next_over_copies(t, build):
    compiler, optimised = build.split()
    p = compile_text("repl_copies.c", INLINED, flags="-g " + optimised, compiler=compiler)
    first, last = line("before", INLINED), line("behind", INLINED)
    r, at = stops(t, p, f"until main repl_copies.c:{first}", *["next main"] * 12)
    t.equal({f for f, _ in at}, {"outer", "main"}, "functions", r)
    t.equal(sorted({n for f, n in at if f == "outer" and first <= n <= last}), list(range(first, last + 1)), "lines", r)
    r, at = stops(t, p, f"until main repl_copies.c:{first + 1}", "next main")
    t.equal(at[:1], [("outer", first + 1)], "at a line that begins with a copy", r)
    r, at = stops(t, p, f"until main repl_copies.c:{first}", *["step main"] * 3)
    t.check(any(f == "mix" for f, _ in at), "step goes into copies", r)


TEMPLATES = r"""
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>
static bool less(int a, int b)
{
	return a < b; /* in-less */
}
static int size_of(int id)
{
	std::string note = "number " + std::to_string(id); /* text */
	return (int)note.size();                           /* size */
}
int main()
{
	std::vector<int> v = {3, 1, 2};
	std::sort(v.begin(), v.end(), less); /* pointer */
	std::sort(v.begin(), v.end(), [](int a, int b) { /* lambda */
		return a < b; /* in-lambda */
	});
	std::printf("%d\n", size_of(v[0])); /* print */
	return 0;
}
"""


@params("g++", "clang++")
def test_step_over_the_systems_code(t, compiler):
    p = compile_text("repl_templates.cc", TEMPLATES, flags="-g -O0", compiler=compiler)
    at_line = {mark: line(mark, TEMPLATES) for mark in ("text", "size", "in-less", "in-lambda", "lambda", "pointer")}

    def stepped(mark, steps=1):
        r, at = stops(t, p, f"until main repl_templates.cc:{at_line[mark]}", *["step main"] * steps)
        return r, at[-1]

    r, at = stepped("text")
    t.equal(at, ("size_of", at_line["size"]), "over std::string", r)
    r, at = stepped("pointer")
    t.equal(at, ("less", at_line["in-less"]), "through std::sort to a function", r)
    r, (function, number) = stepped("lambda", steps=2)
    t.check("operator()" in function and number >= at_line["lambda"], "through std::sort to a lambda", r)
