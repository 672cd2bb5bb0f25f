"""gatectl explore, races: each schedule reads the program's standard input from its beginning."""

import os

from harness import compile_text, params

READS = """#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char first[6], second[6];
static volatile int n;
static void *add(void *x)
{
	int old;
	if (!RACY)
		pthread_mutex_lock(&m);
	old = n;
	n = old + 1;
	if (!RACY)
		pthread_mutex_unlock(&m);
	return x;
}
int main(void)
{
	pthread_t t[2];
	if (read(0, first, 6) != 6)
		return 50;
	if (read(0, second, 6) != 6 || second[0] != 'w')
		return 51;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, add, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return n != 2;
}
"""

TEXT = "hello\nworld\n"
SAYS = {"text": 'stdin "hello\\nworld\\n"\n', "file": 'stdin "in.txt"\n'}


def program(racy):
    return compile_text("reads.c", READS, "-g -O0 -pthread -DRACY=%d" % racy)


def from_file(path):
    return lambda: os.dup2(os.open(path, os.O_RDONLY), 0)


def given(t, how):
    t.file("in.txt", TEXT)
    return t.file("given.lua", SAYS[how])


@params("text", "file")
def test_of_a_script(t, how):
    script = given(t, how)
    for jobs in "1", "2":
        r = t.gate("explore", "-n", "60", "-j", jobs, "-o", t.path("found"), "-g", script, "--", program(0))
        t.equal(r.status, 0, "status of a correct program", r)
    r = t.gate("races", "-g", script, "--", program(0))
    t.equal((r.status, "failed" in r.err), (0, False), "status of races, and no run failed", r)


@params("text", "file")
def test_gates_with_a_script(t, how):
    script, found = given(t, how), t.path("found")
    r = t.gate("explore", "--verify", "20", "-o", found, "-g", script, "--", program(1))
    t.check("\nthe script has forced it in 20 of 20 runs\n" in r.err, "there is a script", r)
    t.check("; the first: exit status 1; its script" in r.first, "it is no failure for want of input", r)


@params("1", "2")
def test_gates_with_a_file(t, jobs):
    path, found = t.file("in.txt", TEXT), t.path("found")
    r = t.gate("explore", "-j", jobs, "--verify", "20", "-o", found, "--", program(1), preexec=from_file(path))
    t.check("\nthe script has forced it in 20 of 20 runs\n" in r.err, "there is a script", r)
    r = t.gate("run", "-g", os.path.join(found, "1", "gates.lua"), "--", program(1), preexec=from_file(path))
    t.equal(r.status, 0, "as the script expects", r)


def test_schedules_begin_after_the_input_read(t):
    """Schedules that begin later go on reading where the program has been by then."""
    start = ("explore", "-n", "20", "--from", "main;read(0, second", "-o", t.path("found"))
    path = t.file("in.txt", TEXT)
    r = t.gate(*start, "--", program(0), preexec=from_file(path))
    t.equal((r.status, "gatectl:" in r.err), (0, False), "status, and there is nothing to say", r)
    r = t.gate(*start, "-g", given(t, "text"), "--", program(0))
    t.equal((r.status, "gatectl:" in r.err), (0, False), "status with a script, and there is nothing to say", r)
