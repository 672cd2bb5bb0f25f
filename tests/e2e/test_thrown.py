"""A statement that is left by an exception is one execution: its landing pads, and what they clean up, belong to it."""

import os
import re

from harness import compile_text, params

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "thrown.cc")) as _f:
    THROWN = _f.read()
WANT = {name: int(count) for name, count in re.findall(r"gate: (t\d+) (\d+)$", THROWN, flags=re.M)}


@params("g++ -O0", "g++ -O2", "clang++ -O0", "clang++ -O1")
def test_counts(t, build):
    compiler, flags = build.split()
    program = compile_text("thrown.cc", THROWN, "-g " + flags, compiler=compiler)
    there = set(re.findall(r"^//(t\d+): \d+ site", t.gate("lines", program, *["//" + n for n in WANT]).stdout, flags=re.M))
    t.check(len(there) == len(WANT) if flags == "-O0" else len(there) > len(WANT) - 4, "lines have code")
    script = "".join('at("//%s"):run(function() end)\n' % n for n in there)
    r = t.clean(t.run_gated(program, script=script))
    got = {p["location"][2:]: p["arrivals"] for p in r.report["places"]}
    t.equal(got, {n: WANT[n] for n in there}, build)
