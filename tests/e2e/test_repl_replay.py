"""gatectl repl --replay: a recorded schedule step by step, and what can be seen between the steps."""

import re

from harness import compile_text, params

import test_explore

BANK = """#include <pthread.h>
static int balance;
static void *add(void *amount)
{
	int seen = balance;
	balance = seen + *(int *)amount;
	return 0;
}
int main(void)
{
	pthread_t t, u;
	int ten = 10;
	pthread_create(&t, 0, add, &ten);
	pthread_create(&u, 0, add, &ten);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return balance != 20;
}
"""
ABBA = """#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *ab(void *x) { pthread_mutex_lock(&a); pthread_mutex_lock(&b); pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); return x; }
static void *ba(void *x) { pthread_mutex_lock(&b); pthread_mutex_lock(&a); pthread_mutex_unlock(&a); pthread_mutex_unlock(&b); return x; }
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, ab, 0);
	pthread_create(&u, 0, ba, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
"""
CRASH = BANK.replace("return balance != 20;", "return balance != 20 ? *(int *)8 : 0;")


def recorded(t, name, text):
    """Where its schedule is, and how many steps that has."""
    r = test_explore.explore(t, "-j", "1", "--runs", "2000", compile_text(name, text))
    t.equal(r.status, 116, "status of the search", r)
    path = t.path("found%d/1/schedule" % t.count)
    with open(path) as f:
        return path, int(re.search(r"^steps: (\d+)", f.read(), re.M).group(1))


def repl(t, *args, commands):
    return t.gate("repl", "--replay", *args, stdin=("\n".join(commands) + "\n").encode())


def test_step_by_step(t):
    path, steps = recorded(t, "bank.c", BANK)
    told = {}
    r = repl(t, path, commands=["step"] * (steps + 1))
    t.equal(r.status, 1, "the program's status", r)
    for n, what in re.findall(r"^step (\d+) of %d: (.*)$" % steps, r.stdout, re.M):
        told[int(n)] = what
    t.equal(sorted(told), list(range(2, steps + 1)), "the step that comes next, each time", r)
    writes = [n for n in told if re.match(r"add#\d is to write at .*bank.c:6 in add$", told[n])]
    t.equal(len(writes), 2, "both write", r)
    # Both have read by then: that is the bug, and can be seen.
    r = repl(t, path, commands=["step %d" % (writes[0] - 1), "print add#1 seen", "print add#2 seen", "print main balance", "bt add#1", "run"])
    t.equal(r.status, 1, "the program's status", r)
    t.equal(re.findall(r"^(?:\S+ = )?(\d+)$", r.stdout, re.M)[:3], ["0", "0", "0"], "what they have read", r)
    t.check("#0  add at " in r.stdout, "its calls", r)
    t.check(re.search(r"main runs .* \(waits\)\n.*add#\d runs in add .* \(is to write\)\n.*add#\d runs in add .* \(is to write\)", r.stdout), "threads", r)


def test_the_thread_of_the_next_step_is_current(t):
    """list, bt and locals need no name: the step names the thread that is meant."""
    path, steps = recorded(t, "bank.c", BANK)
    r = repl(t, path, commands=["step"] * (steps + 1))
    step, thread = re.search(r"^step (\d+) of \d+: (add#\d) is to write", r.stdout, re.M).groups()
    r = repl(t, path, commands=["step %d" % (int(step) - 1), "list", "quit"])
    t.equal(r.status, 0, "status", r)
    t.check("\n%s is at " % thread in r.stdout, "list", r)
    t.equal(re.findall(r"^\*.*?(\S+#\d)", r.stdout, re.M), [thread], "the current one", r)


def test_again(t):
    """As often as one likes, also behind the end."""
    path, steps = recorded(t, "bank.c", BANK)
    r = repl(t, path, commands=["step 3", "restart", "step 3", "run", "step 3", "run"])
    t.equal(len(re.findall(r"^step 4 of %d: " % steps, r.stdout, re.M)), 3, "it stands at one step three times", r)
    t.equal((r.status, r.stdout.count("exited with status 1")), (1, 2), "status", r)


def test_deadlock(t):
    path, steps = recorded(t, "abba.c", ABBA)
    for commands in (["run"], ["step"] * (steps + 1)):
        r = repl(t, path, commands=commands + ["why"])
        t.check("no thread of the program can move" in r.stdout and re.search(r"waits for mutex a held by ab|waits for mutex b held by ba", r.stdout), "why", r)


def test_crash(t):
    path, steps = recorded(t, "crashes.c", CRASH)
    t.equal(repl(t, path, commands=["step 4", "run"]).status, 139, "status")


@params("hold main", "go main", "go", "only main", "until main main", "next main", "gate main wait g", "open g", "save x.lua", "repeat 3", "prove")
def test_the_schedule_chooses_the_thread(t, command):
    path, _ = recorded(t, "bank.c", BANK)
    r = repl(t, path, commands=["step", command])
    t.equal(r.status, 125, "status", r)
    t.check(": in a replay the schedule chooses the thread" in r.err, "why", r)


def test_another_program(t):
    path, _ = recorded(t, "bank.c", BANK)
    r = repl(t, path, compile_text("abba.c", ABBA), commands=["run"])
    t.equal(r.status, 117, "status", r)
    t.check("gatectl: diverged: at step " in r.stdout, "where", r)


@params("step 0", "step x", "step -1")
def test_wrong_number(t, command):
    path, _ = recorded(t, "bank.c", BANK)
    r = repl(t, path, commands=[command])
    t.equal(r.status, 125, "status", r)
    t.check("is not a number from 1 on" in r.err, "why", r)


def test_no_schedule(t):
    r = repl(t, t.path("none"), commands=["run"])
    t.equal((r.status, r.stdout), (125, ""), "status, output", r)
    t.check(r.err.startswith("gatectl: error: "), "error", r)
