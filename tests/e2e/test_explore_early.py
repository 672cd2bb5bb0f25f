"""gatectl explore: a failure in the runs that look for races is one of the points that were known then."""

import os
import re

from harness import ROOT, compile_text, params

# Gives back what the other one may still use.
FREED = """#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int done, *count;
static void *work(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&m);
	done = 1;
	pthread_mutex_unlock(&m);
	++*count;
	return 0;
}
int main(void)
{
	pthread_t t;
	int is_done = 0;
	count = calloc(1, sizeof(*count));
	pthread_create(&t, 0, work, 0);
	while (!is_done) {
		pthread_mutex_lock(&m);
		is_done = done;
		pthread_mutex_unlock(&m);
		if (!is_done)
			sched_yield();
	}
	free(count);
	count = 0;
	pthread_join(t, 0);
	return 0;
}
"""

# What races comes so often in one run that it is looked at no more; but it has raced by then.
OFTEN = """#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int order, shared;
static void *work(void *arg)
{
	pthread_mutex_lock(&m);
	order = order * 10 + (int)(long)arg;
	pthread_mutex_unlock(&m);
	for (int i = 0; i < 600; i++)
		shared = shared + 1;
	return 0;
}
int main(void)
{
	pthread_t t[3];
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, (void *)(i + 1));
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return order == 321 ? 3 : 0;
}
"""


PROGRAMS = {"freed": (FREED, 139), "often": (OFTEN, 3)}


@params(("freed", 1), ("freed", 5), ("freed", 8), ("often", 1), ("often", 2))
def test_found_early(t, value):
    """Replay has the points that the run had, neither more nor fewer."""
    name, seed = value
    text, status = PROGRAMS[name]
    r = t.gate("explore", "-j", "1", "--seed", str(seed), "-o", t.path("found"), compile_text(name + ".c", text))
    schedule = t.path("found/1/schedule")
    with open(schedule) as f:
        run = int(re.search(r"^run: (\d+)$", f.read(), re.M).group(1))
    t.check(1 < run <= 40, "found while races are looked for", r)
    t.check("did not fail like that" not in r.err, "it came again", r)
    t.equal(t.gate("replay", schedule).status, status, "and whenever it is replayed")


@params("reorder.c", "twostage.c")
def test_first_schedules(t, name):
    """The first schedules are a fixed set: of a hundred threads, one goes on when all have made a step."""
    bugs = os.path.join(ROOT, "tests", "explore", "bugs")
    with open(os.path.join(bugs, name)) as f:
        program = compile_text("crowd_" + name, f.read(), "-g -O0 -DTHREADS=100 -I" + bugs)
    for seed in 1, 2, 3:
        r = t.gate("explore", "--seed", seed, "--runs", 30, "-o", t.path("found"), program, seconds=600)
        t.equal(r.status, 116, "status", r)
        t.check(re.search(r"1 failure in \d+ schedules?", r.first), "found", r)
