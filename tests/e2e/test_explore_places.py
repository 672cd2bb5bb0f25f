"""gatectl explore --points FILE.c or FUNC: what the tester says of places."""

import os

from harness import compile_text, params
from test_explore import explore, failed, read

# `count` is changed without a lock, in two steps; `other` is, too, but nobody asks for it.
COUNT = """#include <pthread.h>
static int count, other;
static int twice(int v)
{
	int r = v * 2;
	return r;
}
static void *work(void *x)
{
	int k = twice(3);
	count += k;
	return x;
}
static void *idle(void *x)
{
	other++;
	return x;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, i < 2 ? work : idle, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return count == 12 ? 0 : 3;
}
"""


def steps(r):
    lines = [line.split() for line in read(r.found, "1", "schedule").split("\n")]
    return [words for words in lines if words and words[0].isdigit()]


def lines_of(r, op):
    return {s[3].split(":")[-1] for s in steps(r) if s[2] == op}


@params(("work", "10 12 13"), ("places.c", "5 6 7 10 12 13 17 18"), ("places!work", "10 12 13"))
def test_points(t, what):
    where, lines = what
    program = compile_text("places.c", COUNT)
    r = explore(t, "--points", where, program)
    failed(t, r, "status", "exit status 3")
    t.check(set(lines.split()) <= lines_of(r, "line"), "the lines are points: %s" % lines_of(r, "line"), r)
    t.check("11" in lines_of(r, "read"), "and so are the accesses in them", r)
    t.equal("16" in lines_of(r, "read"), where == "places.c", "but those elsewhere are not", r)
    again = t.gate("replay", os.path.join(r.found, "1", "schedule"))
    t.equal((again.status, again.err), (3, ""), "it comes again", again)


def test_points_elsewhere(t):
    """Without points between its accesses nothing is seen of them."""
    program = compile_text("places.c", COUNT)
    r = explore(t, "--points", "twice", "--runs", "300", program)
    t.equal(r.status, 0, "nothing fails", r)


WRONG = {
    "wrok": "no function wrok in places or the libraries it starts with; did you mean work?\ntry: write work\n",
    "placs.c": "no source file placs.c in places or the libraries it starts with; did you mean places.c?\ntry: write places.c\n",
    "places.c:10": "places.c:10 is neither a file nor a function\n",
}


@params(*WRONG)
def test_wrong_points(t, where):
    program = compile_text("places.c", COUNT)
    r = t.gate("explore", "--points", where, program, cwd=t.tmp)
    t.equal((r.status, r.stdout), (125, ""), "refused", r)
    t.check(r.err.startswith("gatectl: error: --points: ") and r.err.endswith(WRONG[where]), "the usual error", r)


def test_points_unknown(t):
    r = t.gate("explore", "--points", "work", compile_text("places.c", COUNT, flags="-O0"), cwd=t.tmp)
    t.equal((r.status, r.err), (125, "gatectl: error: --points: work: no debug information tells which lines it has\n"), "refused", r)
