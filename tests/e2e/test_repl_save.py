"""gatectl repl: what is done by hand comes out as a script that forces the same under plain gatectl run."""

import os
import re

from harness import compile_text, params, timeout
from test_repl_terminal import PROMPT, Terminal

LOST = r"""
#include <pthread.h>
#include <stdio.h>
static int count;
static void *work(void *arg)
{
	int seen = count;
	seen++;
	count = seen;
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", count);
	return count == 2 ? 0 : 1;
}
"""

ABBA = r"""
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int moved;
static void *there(void *arg)
{
	pthread_mutex_lock(&left);
	pthread_mutex_lock(&right);
	moved++;
	pthread_mutex_unlock(&right);
	pthread_mutex_unlock(&left);
	return arg;
}
static void *back(void *arg)
{
	pthread_mutex_lock(&right);
	pthread_mutex_lock(&left);
	moved--;
	pthread_mutex_unlock(&left);
	pthread_mutex_unlock(&right);
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, there, NULL);
	pthread_create(&b, NULL, back, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", moved);
	return 0;
}
"""

FREED = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct box {
	long of_malloc[4]; /* where free(3) may write */
	int *value;
};
static int one = 1;
static struct box *box;
static void *reader(void *arg)
{
	struct box *b = box;
	if (b)
		printf("%d\n", *b->value);
	return arg;
}
static void *closer(void *arg)
{
	struct box *b = box;
	box = NULL;
	b->value = NULL;
	free(b);
	return arg;
}
int main(void)
{
	pthread_t a, b;
	box = malloc(sizeof(*box));
	box->value = &one;
	pthread_create(&a, NULL, reader, NULL);
	pthread_create(&b, NULL, closer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
"""

LOOP = r"""
#include <pthread.h>
#include <stdio.h>
static int last;
static int turns;
static void *work(void *arg)
{
	for (int i = 0; i < 4; i++) {
		turns++;
		last = *(int *)arg;
	}
	return arg;
}
int main(void)
{
	pthread_t a, b;
	int one = 1, two = 2;
	pthread_create(&a, NULL, work, &one);
	pthread_create(&b, NULL, work, &two);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", last);
	return last;
}
"""

STARTS = ["gate work wait start", "run"]
KEYS = {"Return": "\r", "Ctrl-C": "\003", "Ctrl-D": "\004"}


def programs(name, text):
    return compile_text("repl_%s.c" % name, text, flags="-g -O0 -pthread")


def save(t, program, commands, without="", status=None):
    """The script, what it is, and what the REPL said."""
    path = t.path("saved.lua")
    lines = commands + ["save " + path + without, "quit"]
    r = t.gate("repl", program, stdin=("\n".join(lines) + "\n").encode(), seconds=40)
    t.equal(r.status, 0, "status", r)
    with open(path) as f:
        return path, f.read(), r


def same(t, program, commands, wanted):
    """Run by the script it comes out as it did by hand, always; `wanted`: status and output."""
    path, text, by_hand = save(t, program, commands)
    for _ in range(100 if t.full else 10):
        r = t.gate("run", "-g", path, program)
        t.equal((r.status, r.stdout), wanted, "outcome of\n" + text, by_hand)
    return text, by_hand


@params(
    # the second comes between the first one's reading and writing
    (STARTS + ["until work#1 work;seen++", "until work#2 work;return", "go"], (1, "1\n")),
    (STARTS + ["until work#1 work;seen++", "only work#2", "go"], (1, "1\n")),
    (STARTS + ["until work#1 work;seen++", "hold work#1", "go work#2", "go work#1"], (1, "1\n")),
    (STARTS + ["next work#1", "next work#1", "next work#2", "next work#2", "go"], (1, "1\n")),
    (STARTS + ["until work#1 work;seen++", "until work#2 work;count = seen", "go"], (1, "1\n")),
    # one after the other
    (STARTS + ["only work#1", "only work#2"], (0, "2\n")),
    (STARTS + ["until work#2 work;return", "go work#1", "go"], (0, "2\n")),
    (["gate work;seen++ wait late", "run", "go work#2", "open late"], (1, "1\n")),
)
@timeout(120)
def test_lost_update(t, case):
    same(t, programs("lost", LOST), *case)


def without_expect(t, text):
    """The script without what it expects: its run ends with the verdict itself."""
    return t.file("bare.lua", "".join(line + "\n" for line in text.splitlines() if not line.startswith("expect ")))


@timeout(120)
@params(
    (["gate there wait a", "gate back wait b", "run", "until there#1 there;lock(&right", "until back#1 back;lock(&left", "go"], 123),
    (["gate there wait a", "gate back wait b", "run", "until there#1 there;lock(&right", "go back#1", "go"], 123),
    (["gate there wait a", "gate back wait b", "run", "until back#1 back;moved", "until there#1 there;moved", "go back#1"],
     0),
)
def test_locks_crosswise(t, case):
    program = programs("abba", ABBA)
    commands, status = [c.replace("lock(&", "pthread_mutex_lock(&") for c in case[0]], case[1]
    path, text, by_hand = save(t, program, commands)
    t.check(("deadlock: no thread of the program can move" in by_hand.stdout) == (status == 123), "by hand", by_hand)
    t.equal("\nexpect { deadlock = true }\n" in text, status == 123, "the end that was seen: " + text)
    t.check("5 gates, expects a deadlock\n" in by_hand.stdout or status == 0, "what is saved", by_hand)
    for _ in range(100 if t.full else 10):
        t.equal(t.gate("run", "-q", "-g", path, program).status, 0, text, by_hand)
    t.equal(t.gate("run", "-q", "-g", without_expect(t, text), program).status, status, "the verdict", by_hand)


@timeout(120)
def test_blocked_meanwhile(t):
    """When the one got somewhere the other one was blocked already: the script sees to that."""
    program = programs("blocked", r"""
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int wanted;
static volatile pid_t waits;
static void await_asleep(void)
{
	char path[64], text[512];
	while (!waits)
		sched_yield();
	sprintf(path, "/proc/%d/stat", waits);
	do {
		int fd = open(path, O_RDONLY);
		sched_yield();
		text[read(fd, text, sizeof text - 1)] = 0;
		close(fd);
	} while (strrchr(text, ')')[2] != 'S');
}
static void *holder(void *arg)
{
	pthread_mutex_lock(&lock);
	wanted = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}
static void *taker(void *arg)
{
	waits = gettid();
	pthread_mutex_lock(&lock);
	wanted *= 2;
	pthread_mutex_unlock(&lock);
	return arg;
}
static void *other(void *arg)
{
	await_asleep();
	wanted *= 3;
	return arg;
}
int main(void)
{
	pthread_t a, b, c;
	pthread_create(&a, NULL, holder, NULL);
	pthread_create(&b, NULL, taker, NULL);
	pthread_create(&c, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	printf("%d\n", wanted);
	return 0;
}
""")
    text, _ = same(t, program, ["gate holder wait a", "gate taker wait b", "gate other wait c", "run", "until holder#1 holder;wanted",
                                "go taker#1", "until other#1 other;return", "go holder#1"], (0, "2\n"))
    t.check(re.search("order.*@taker#1. -> end of step", text), text)


@timeout(120)
def test_use_after_free(t):
    program = programs("freed", FREED)
    text, r = same(t, program, ["gate reader wait early", "gate closer wait late", "run", "until reader#1 reader;if (b)",
                                 "until closer#1 closer;return", "go"],
                   (0, ""))
    t.check("was ended by SIGSEGV" in r.stdout, "by hand", r)
    t.check("5 gates, expects SIGSEGV\n" in r.stdout and '\nexpect { signal = "SIGSEGV" }\n' in text, text, r)
    t.equal(t.gate("run", "-q", "-g", without_expect(t, text), program).status, 139, "the verdict", r)


CRASH = """
#include <stdlib.h>
int main(int argc, char **argv)
{
	(void)argv;
	if (argc == 1)
		abort();
	return argc;
}
"""


def test_expect_of_the_lines_stays_alone(t):
    program = programs("abort", CRASH)
    _, text, r = save(t, program, ['expect { signal = "SIGABRT", at = "main" }', "run"])
    t.equal(re.findall("^expect.*", text, re.M), ['expect { signal = "SIGABRT", at = "main" }'], "one", r)
    t.check(": 0 gates, with the expect of its lines\n" in r.stdout, "said", r)
    _, text, r = save(t, program, ["run", "restart"])
    t.check("expect" not in text and "0 gates, without expect (it replaces an older file)\n" in r.stdout,
            "a program that has not begun has no end", r)


def test_exit_status_is_passed_on_without_expect(t):
    """The run of the script ends with the program's own status, as by hand."""
    path = t.path("saved.lua")
    r = t.gate("repl", programs("abort", CRASH), "x", stdin=("run\nsave %s\n" % path).encode())
    t.equal(r.stdout.splitlines()[-1], "saved %s: 0 gates, without expect" % path, "said", r)
    t.equal(t.gate("run", "-g", path, programs("abort", CRASH)).status, 2, "status", r)


@params("y", "n", "Return", "Ctrl-C", "Ctrl-D")
def test_terminal_asks_before_a_file_is_replaced(t, answer):
    """At the crash, before it ends the program, too, the script expects it."""
    program, path = programs("abort", CRASH), t.file("old.lua", "-- old\n")
    x = Terminal(t, [t.gatectl, "repl", program])
    x.wait(PROMPT)
    x.command("run", "a signal is about to end the program")
    x.send("save %s\r" % path)
    x.wait("old.lua exists: replace it? (y or n) ")
    x.send(KEYS.get(answer, answer + "\r"))
    said = x.wait(PROMPT)
    with open(path) as f:
        text = f.read()
    if answer == "y":
        t.check("0 gates, expects SIGABRT (it replaces an older file)" in said, said)
        t.check('\nexpect { signal = "SIGABRT" }\n' in text, text)
    else:
        t.check("nothing is saved" in said and text == "-- old\n", said)
    x.send("quit\r")
    t.equal(x.status(), 0, "status")


@timeout(120)
@params("work;last = ", "repl_loop.c:10")
def test_times(t, location):
    """The third time is told from the first."""
    commands = STARTS + ["until work#1 " + location] + ["until work#1 " + location] * 2 + ["only work#2", "go"]
    text, _ = same(t, programs("loop", LOOP), commands, (1, "1\n"))
    t.check("hit = 3" in text, text)


def test_a_thread_that_is_not_there_yet(t):
    """It can be sent off before it is created; a name that no thread will have is a fault."""
    program = programs("lost", LOST)
    r = t.gate("repl", program, stdin=b"until work#2 work;seen++\nthreads\ngo\n")
    t.check(re.search(r"^\* 3  work#2 is stopped, in work at repl_lost.c:8\n", r.stdout, re.M), "there", r)
    t.check("has exited with status" in r.stdout, "and on", r)
    for name in ("wrok#1", "work#0", "work#", "#1", "work#1x", "nobody"):
        r = t.gate("repl", program, stdin=("until %s work\n" % name).encode())
        t.error(r, 125, "input:1: there is no thread '%s'" % name)


def test_thread_stays_where_sent(t):
    """Others that are sent leave it there; `go` and `open` let all go on."""
    program = programs("lost", LOST)
    for last in ("go", "run", "open start"):
        r = t.gate("repl", program, stdin=("\n".join(STARTS + [
            "until work#1 work;seen++", "until work#2 work;count = seen", "print work#1 seen", "next work#2", last]) + "\n").encode())
        t.check("work#1 stays where it was sent, in work at repl_lost.c:8" in r.stdout, "stays", r)
        t.check("\n0\n" in r.stdout, "has read 0", r)
        t.check("has exited with status 1" in r.stdout, "the end", r)
    r = t.gate("repl", program, stdin=("\n".join(STARTS + ["until work#1 work;seen++", "only work#2", "why"]) + "\n").encode())
    t.check("no thread can move: one of them stays where it was sent" in r.stdout, "said", r)


def middle(t, commands):
    """A spinning thread is in the middle of something whenever another one is looked at."""
    program = programs("spin", r"""
#include <pthread.h>
static volatile int on = 1, spins;
static void *spin(void *arg)
{
	while (on)
		spins++;
	return arg;
}
static void *work(void *arg)
{
	while (spins < 1000)
		;
	spins = 0;
	on = 0;
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, spin, 0);
	pthread_create(&b, 0, work, 0);
	pthread_join(b, 0);
	pthread_join(a, 0);
	return 0;
}
""")
    path = t.path("saved.lua")
    return t.gate("repl", program, stdin=("\n".join(commands) + "\n").replace("FILE", path).encode()), path, program


@params("hold spin#1", "only work#1")
def test_step_without_words(t, step):
    """Where it stood nobody can say: the error names the step, and without it there is a script. `only`
    may find main before its pthread_join."""
    r, _, _ = middle(t, ["until work#1 work;spins = 0", step, "run", "save FILE"])
    t.error(r, 125, "input:4: a script cannot express step 2, `%s`: (spin#1|main) was in the middle of " % step)
    t.check("--without 2" in r.err, "what to do", r)
    r, path, program = middle(t, ["until work#1 work;spins = 0", step, "run", "save FILE --without 2"])
    t.equal(r.status, 0, "status", r)
    with open(path) as f:
        t.check("--   2  %s  (left out)" % step in f.read(), "told in the script")
    t.equal(t.gate("run", "-g", path, program).status, 0, "it runs")
    r, _, _ = middle(t, ["until work#1 work;spins = 0", step, "run", "repeat 2 --without 2", "prove --without 2"])
    t.equal(r.status, 0, "a repeat", r)


@params("y", "n", "Return", "Ctrl-C", "Ctrl-D")
def test_step_without_words_on_a_terminal(t, answer):
    """There a person is asked; whatever else than yes is no, and nothing is written then. The answer is no
    command that the history has."""
    _, path, program = middle(t, ["run"])
    x = Terminal(t, [t.gatectl, "repl", program])
    x.wait(PROMPT)
    for line in ("until work#1 work;spins = 0", "hold spin#1", "run"):
        x.command(line)
    x.send("save %s\r" % path)
    x.wait("a script cannot express step 2, `hold spin#1`: spin#1 was in the middle of", "leave step 2 out? (y or n) ")
    x.send(KEYS.get(answer, answer + "\r"))
    said = x.wait(PROMPT)
    t.equal("save FILE --without 2" in said, answer != "y", "what to do: " + said)
    t.equal(os.path.exists(path), answer == "y", "written")
    if answer == "y":
        with open(path) as f:
            t.check("--   2  hold spin#1  (left out)" in f.read(), "told in the script")
    x.send("\020")  # back in the history
    x.wait("save " + path)
    x.send("\003")
    x.wait(PROMPT)
    x.send("quit\r")
    t.equal(x.status(), 0, "status")
    if answer == "y":
        t.equal(t.gate("run", "-g", path, program).status, 0, "it runs")


@params("--without", "--without x", "--without 0", "--without 1x")
def test_without_needs_step_numbers(t, option):
    r = t.gate("repl", programs("lost", LOST), stdin=("run\nsave FILE %s\n" % option).encode(), cwd=t.tmp)
    if option == "--without":
        t.equal(r.status, 0, "of none", r)
    else:
        t.error(r, 125, "input:2: --without: ")


def test_notes(t):
    """What the script cannot know is said."""
    _, text, r = save(t, programs("loop", LOOP), ["until work#1 work;last =", "until work#1 work;return"])
    t.check("note: work#1 is still held by hand" in r.stdout, "who stands", r)
    _, text, r = save(t, programs("lost", LOST), ["run"])
    t.check("by hand" not in text and "note:" not in r.stdout, text, r)


def test_saved_twice(t):
    """A saved script can be the beginning of another one: names of its steps do not get in the way."""
    program = programs("lost", LOST)
    first, _, _ = save(t, program, STARTS + ["until work#1 work;seen++", "until work#2 work;return", "go"])
    again = t.path("again.lua")
    r = t.gate("repl", "-g", first, program, stdin=("until main main;printf\ngo\nsave %s\nquit\n" % again).encode())
    t.equal(r.status, 0, "status", r)
    for path in (first, again):
        r = t.gate("run", "-g", path, program)
        t.equal((r.status, r.stdout, r.err), (1, "1\n", ""), path, r)


TURNS = r"""
#include <pthread.h>
static volatile int turns;
static void *work(void *arg)
{
	for (int i = 0; i < 120; i++)
		turns++;
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	return pthread_join(b, NULL);
}
"""


@timeout(120)
@params("steps", "gates")
def test_more_gates_than_locals(t, what):
    """Lua has 200 local variables: gates of more steps are fields of a table, gates that lines name are no local variables."""
    program = programs("turns", TURNS)
    if what == "steps":
        commands = STARTS + ["until work#1 work;turns++", "until work#2 work;turns++"] * 110 + ["go"]
    else:
        commands = [f"gate work;turns++ wait g{i}" for i in range(210)] + [f"open g{i}" for i in range(210)] + ["run"]
    path, text, by_hand = save(t, program, commands)
    t.check(text.count("SimpleGate") > 200, "many gates: " + text, by_hand)
    r = t.gate("run", "-g", path, program)
    t.equal((r.status, r.err), (0, ""), "the script runs: " + text, by_hand)
