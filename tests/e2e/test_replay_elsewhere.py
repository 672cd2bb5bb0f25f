"""gatectl replay where addresses, directory, user and environment are others than when the schedule was recorded."""

import os
import re
import shutil

from harness import compile_text, params

import test_explore

# Prints, so that libc writes; locks on a stack and in the heap; children that end in code of libc.
PRINTS = """#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct account { pthread_mutex_t lock; int money; };
static void *add(void *p)
{
	struct account *a = p;
	int seen = a->money;
	printf("saw %d\\n", seen);
	pthread_mutex_lock(&a->lock);
	a->money = seen + 1;
	pthread_mutex_unlock(&a->lock);
	return p;
}
int main(void)
{
	struct account on_stack = {PTHREAD_MUTEX_INITIALIZER, 0}, *in_heap = calloc(1, sizeof(*in_heap));
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], 0, add, i & 1 ? &on_stack : in_heap);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], 0);
	if (on_stack.money != 2)
		abort();
	free(in_heap);
	return 0;
}
"""


def recorded(t, options=(), *args, program=None):
    """The schedule of a failure by SIGABRT."""
    r = test_explore.explore(t, "-j", "1", "--points", "memory", *options, program or compile_text("prints.c", PRINTS), *args)
    t.equal(r.status, 116, "status of the search", r)
    return os.path.join(r.found, "1", "schedule")


def replays(t, schedule, *args, **kw):
    r = t.gate("replay", *args, schedule, **kw)
    t.equal((r.status, r.first), (134, "gatectl: crashed: SIGABRT in main at prints.c:24: main aborts"), "what is replayed", r)
    return r


def test_no_address(t):
    """Modules and names stand in a schedule, and no address of the process that it was recorded in."""
    with open(recorded(t)) as f:
        steps = f.read().split("steps: ")[1]
    t.equal(re.findall(r"0x[0-9a-f]{7,}", steps), [], "addresses in\n" + steps)
    for name in ("object=stack:main:1", "object=memory:1", "object=thread:add#1"):
        t.check(name + " " in steps, name + " in\n" + steps)
    t.check(re.search(r"add#1 +end .*at=libc\.so\.6\+0x", steps), "the end of a thread in\n" + steps)


@params("LD_LIBRARY_PATH", "50 kB longer", "empty")
def test_environment(t, which):
    schedule = recorded(t)
    if which == "LD_LIBRARY_PATH":
        t.env["LD_LIBRARY_PATH"] = "/lib/x86_64-linux-gnu"
    elif which == "50 kB longer":
        t.env["LONG"] = "x" * 50000
    else:
        t.env = {"PATH": t.env["PATH"]}
    replays(t, schedule)


def test_longer_cache(t):
    """A package with libraries was installed: all that is mapped after ld.so.cache lies elsewhere."""
    schedule = recorded(t)
    cache = t.path("cache")
    shutil.copy("/etc/ld.so.cache", cache)
    with open(cache, "ab") as f:
        f.write(bytes(8192))
    inside = 'mount --bind "$1" /etc/ld.so.cache && shift && exec "$@"'
    r = t.run(["unshare", "-r", "-m", "sh", "-c", inside, "sh", cache, t.gatectl, "replay", schedule])
    t.equal(r.status, 134, "status", r)


@params("directory", "name")
def test_moved(t, what):
    """The program was copied to another directory, or is called otherwise."""
    schedule, copy = recorded(t), t.path("elsewhere/" + ("prints" if what == "directory" else "other-name"))
    os.mkdir(t.path("elsewhere"))
    shutil.copy(compile_text("prints.c", PRINTS), copy)
    r = t.gate("replay", schedule, copy, cwd=t.path("elsewhere"))
    t.equal(r.status, 134, "status", r)
