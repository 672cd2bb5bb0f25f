"""Every target behaves as if gatectl were not there: bare, gated by nothing, and with its hot line trapped."""

import harness
from harness import Failure, Target

TRAP = 'at "%s":run(function() end)\n'


def compare(t, bare, gated, how):
    expected = bare.status if bare.status >= 0 else 128 - bare.status
    t.equal(gated.status, expected, how + ": status", gated)
    if gated.out != bare.out:
        raise Failure("%s: stdout differs\nbare: %s\n%s" % (how, bare.stdout[:1500], gated))
    said = gated.err
    if expected - 128 in harness.CRASHES:  # that is told of, behind what the program says
        at = said.find("gatectl: crashed: SIG")
        t.check(at >= 0, how + ": a crash is told", gated)
        said = said[:at]
    if said != bare.err:
        raise Failure("%s: stderr differs\nbare: %s\n%s" % (how, bare.err[:1500], gated))


def same(t, case):
    name, build = case
    target = Target(name, build)
    kw = dict(args=target.args(), stdin=target.stdin(), pty="pty" in target.words)
    for _ in range(3 if t.full else 1):
        bare = t.run_bare(target.path, **kw)
        compare(t, bare, t.run_gated(target.path, report=False, **kw), "no script")
        location = target.location()
        gated = t.run_gated(target.path, script=TRAP % location, **kw)
        compare(t, bare, gated, "trapped")
        t.check(gated.report is not None, "no report", gated)
        if "arrivals" in target.words and build not in target.words.get("inexact", ""):
            t.arrivals(gated, location, int(target.words["arrivals"]))
        else:
            t.check(t.place(gated, location)["arrivals"] > 0, "no arrival in the report", gated)


def jobs(cases):
    return [Target(*(case if isinstance(case, tuple) else (case, "gcc-O0"))).build for case in cases]


def test_same(t, case):
    same(t, case)


def builds(options):
    """The two that are most unlike, or all."""
    return [b for b in harness.BUILDS if options.full or b in ("gcc-O0", "clang-O2")]


test_same.make_params = lambda options: [(n, b) for b in builds(options) for n in harness.target_names()]


def test_bare_is_deterministic(t, name):
    """The targets themselves: the same twice, or the comparison means nothing."""
    target = Target(name, "gcc-O0")
    kw = dict(args=target.args(), stdin=target.stdin(), pty="pty" in target.words)
    first = t.run_bare(target.path, **kw)
    for _ in range(20 if t.full else 1):
        again = t.run_bare(target.path, **kw)
        t.equal((again.status, again.out, again.err), (first.status, first.out, first.err), "bare run")


test_bare_is_deterministic.params = harness.target_names()
