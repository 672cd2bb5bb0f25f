"""A statement whose calls are inlined begins where the first of them does, and is one execution whatever becomes of them."""

import os
import re

from harness import compile_text, params

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "inlined.c")) as _f:
    INLINED = _f.read()
WANT = {name: int(count) for name, count in re.findall(r"gate: (c\d+) (\d+) ", INLINED)}

# What a compiler has made of a line so that nobody can count it, and why: (build, marks).
LOST = [
    (r"gcc -O[12]", {"c25"}, "the value is returned where it lies: no code"),
    (r"gcc -O2", {"c18"}, "control goes on in the middle of the call, without a mark"),
]


@params("gcc -O0", "gcc -Og", "gcc -O1", "gcc -O2", "clang -O0", "clang -O1")
def test_counts(t, build):
    compiler, flags = build.split()
    program = compile_text("inlined.c", INLINED, "-g " + flags, compiler=compiler)
    there = set(re.findall(r"^//(c\d+): \d+ site", t.gate("lines", program, *["//" + n for n in WANT]).stdout, flags=re.M))
    t.check(len(there) >= len(WANT) - 1, "lines have code")
    lost = {n for pattern, marks, _ in LOST if re.fullmatch(pattern, build) for n in marks}
    script = "".join('at("//%s", {optional = true}):run(function() end)\n' % n for n in sorted(there - lost))
    r = t.clean(t.run_gated(program, script=script))
    got = {p["location"][2:]: p["arrivals"] for p in r.report["places"]}
    t.equal(got, {n: WANT[n] for n in there - lost}, build)
