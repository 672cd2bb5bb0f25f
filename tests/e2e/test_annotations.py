"""What CI and editors read: GitHub's workflow commands, and FILE:LINE before what has a place."""

import os
import re

from harness import compile_text, line_of, params

PROGRAM = r"""
#include <pthread.h>
#include <unistd.h>
static volatile int n;
static void *worker(void *arg)
{
	n++; /* gate: hold */
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	pthread_create(&t, NULL, worker, NULL);
	if (argc > 1)
		usleep(600000);
	pthread_join(t, NULL);
	if (argc > 5)
		n++; /* gate: never */
	return 0;
}
"""
HOLD = line_of(PROGRAM, "gate: hold")

CASES = {
    # verdict: status, script, arguments, options, file, line
    "not-as-expected": (119, "expect { exit = 3 }\n", (), (), None, None),
    "never-reached": (120, '\nat "//never":run(function() end)\n', (), (), "gates1.lua", 2),
    "never-opened": (121, 'at "//hold":when(function() return false end)\n', ("x",),
                     ("--gate-limit", "0.2"), "annotated.c", HOLD),
    "gate-deadlock": (122, 'at "//hold":wait(SimpleGate "g")\n', (), (), "annotated.c", HOLD),
    "time-limit": (124, "", ("x",), ("--time-limit", "0.2"), None, None),
    "error": (125, "\n\nat '//hold':wit(g)\n", (), (), "gates1.lua", 3),
}


def program():
    return compile_text("annotated.c", PROGRAM)


def unescaped(text):
    return re.sub("%([0-9A-F]{2})", lambda m: chr(int(m.group(1), 16)), text)


def parse(t, r):
    """The one workflow command: its properties, its message."""
    lines = [l for l in r.err.splitlines() if l.startswith("::")]
    t.equal(len(lines), 1, "workflow commands", r)
    m = re.fullmatch(r"::error ([^:]*)::(.*)", lines[0])
    t.check(m, "its form", r)
    return {k: unescaped(v) for k, v in (p.split("=", 1) for p in m.group(1).split(","))}, unescaped(m.group(2))


@params(*CASES)
def test_github(t, word):
    status, script, args, options, file, line = CASES[word]
    r = t.run_gated(program(), script=script, args=args, options=options, report=False,
                    env={"GITHUB_ACTIONS": "true"})
    t.equal(r.status, status, "status", r)
    t.check(r.first.startswith("gatectl: %s: " % word), "the first line is the verdict's", r)
    properties, message = parse(t, r)
    t.equal(properties.pop("title"), "gatectl: " + word, "title", r)
    t.equal(properties.pop("line", None), str(line) if line else None, "line", r)
    t.equal(os.path.basename(properties.pop("file", "")) or None, file, "file", r)
    t.equal(properties, {}, "other properties")
    first, _, rest = message.partition("\n")
    t.equal("gatectl: %s: %s" % (word, first), r.first, "message", r)
    t.check(rest.startswith("try: "), "what to do next", r)


def test_path_in_the_repository(t):
    """A script given by a path from a directory below the workspace."""
    os.makedirs(t.path("repo/a,b: 100%/deep"))
    script = t.file("repo/a,b: 100%/s.lua", "x = = 1\n")
    for cwd, name in (("repo/a,b: 100%/deep", "../s.lua"), ("repo/a,b: 100%", "s.lua"), ("repo", script)):
        r = t.gate("run", "-g", name, program(), cwd=t.path(cwd),
                   env={"GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": t.path("repo")})
        t.equal(r.status, 125, "status", r)
        got = parse(t, r)[0]
        t.equal(got["file"], "a,b: 100%/s.lua", "file", r)
        t.equal(got["line"], "1", "line", r)


@params("unset", "", "false")
def test_not_on_github(t, value):
    env = None if value == "unset" else {"GITHUB_ACTIONS": value}
    r = t.run_gated(program(), script="expect { exit = 3 }\n", env=env)
    t.equal(r.status, 119, "status", r)
    t.check("::" not in r.err, "no workflow command", r)


def test_clean_run_is_silent(t):
    r = t.run_gated(program(), env={"GITHUB_ACTIONS": "true"})
    t.clean(r)
    t.equal(r.err, "", "stderr", r)


def test_lines_begin_with_their_place(t):
    """Editors jump to what begins with FILE:LINE: of a file that is there."""
    r = t.run_gated(program(), script='at "//hold":wait(SimpleGate "g")\n')
    places = re.findall(r"^(\S+?):(\d+): ", r.err, re.M)
    t.check(("held" in r.err) and any(f.endswith("annotated.c") and int(n) == HOLD for f, n in places),
            "where it is held", r)
    for f, _ in places:
        t.check(os.path.exists(f), "%s is a file" % f, r)
