"""gatectl prove: which gates matter, and is the outcome forced?

Quick: each example once. Full: 20 times each with -n 20, with both processors busy: all answers agree.
"""

import contextlib
import os
import pty
import re
import select
import signal
import subprocess

import test_examples
from test_examples import jobs  # noqa: F401 (the runner calls it)
from harness import Process, ROOT, Skip, compile_text, end_processes, params, timeout
from patience import Limit, wall

# What is true of the gates of the examples. The barrier of overdraft matters although its condition
# lets the rent come last: without it the shopping may be over before the rent looks at the account.
# That condition decides who comes last, which the outcome does not depend on.
MATTERS = {
    "shared-memory": {"gate worker2_done": True},
    "unspecified-time": {"order [idle] -> close": True},
    "string-buffer": {"gate measured": True, "gate shortened": True},
    "array-list": {"gate both_have_counted": True},
    "lazy-init": {"gate published": True, "gate answered": True},
    "abba-deadlock": {"gate each_has_one": True},
    "two-processes": {"gate taken": True},
    "overdraft": {"gate both_have_looked": True,
                  "condition at Account::withdraw;balance_ -= amount": False},
}

# A gate that is added and changes nothing: where it is opened, where somebody waits.
EXTRA = {
    "shared-memory": ("calc.c:14", "main;pthread_join(second"),
    "unspecified-time": ("queue_put", "worker"),
    "string-buffer": ("logger", "sb_truncate"),
    "array-list": ("probe", "main;pthread_join"),
    "lazy-init": ("make_routes", "warm_up"),
    "abba-deadlock": ("teller", "main;pthread_join"),
    "two-processes": ("collector", "station"),
    "overdraft": ("pay_rent", "main;rent.join"),
}


def prove(t, program, script=None, args=(), options=(), **kw):
    command = ["prove", *options]
    if script is not None:
        t.count += 1
        command += ["-g", t.file("gates%d.lua" % t.count, script)]
    kw.setdefault("seconds", 300)  # a hundred runs and more, on a busy machine
    r = t.gate(*command, "--", program, *args, **kw)
    r.table = {}
    for m in re.finditer(r"^  (.+?) +(\d+) of (\d+)(?:   (.*))?$", r.stdout, re.M):
        r.table[m.group(1)] = (int(m.group(2)), int(m.group(3)), m.group(4))
    r.matters = {re.sub(r"^without (.*?)( \(\S+\))?$", r"\1", name): judgement == "matters"
                 for name, (_, _, judgement) in r.table.items() if name.startswith("without ")}
    return r


def proved(t, r, matters, runs):
    t.equal(r.status, 0, "status", r)
    t.equal(r.err, "", "standard error", r)
    t.equal(r.table["all gates"][:2], (runs, runs), "with all gates", r)
    t.equal(r.matters, matters, "which of them matter", r)
    for name in matters:  # what a gate forces is pushed the other way round, too
        rows = [v for k, v in r.table.items() if k.startswith("other way round: " + name)]
        if name.startswith(("gate ", "order ")):
            t.check(len(rows) == 1 and rows[0][1] in (3, runs), "other way round: %s" % name, r)
        else:
            t.equal(rows, [], "other way round: %s" % name, r)
    # without the table, and arrivals that are in no order, which are another matter
    sentences = re.sub(r"^(  |not ordered by the script: ).*\n", "", r.stdout, flags=re.M)
    t.equal("could be left out" in sentences, not all(matters.values()) or not matters, "sentence", r)
    for name, judgement in matters.items():
        t.equal(name in sentences, not judgement, "%s is named as superfluous" % name, r)


@params(*MATTERS)
@timeout(1800)
def test_examples_gates(t, name):
    program = test_examples.program(name, "gcc-O2")
    script = test_examples.script(name)
    with test_examples.load(t):
        for _ in range(20 if t.full else 1):
            proved(t, prove(t, program, options=["-g", script]), MATTERS[name], 20)


def with_extra(name):
    opened, waited = EXTRA[name]
    with open(test_examples.script(name)) as f:
        return f.read() + ('local extra = SimpleGate "extra"\nat(%r):open(extra)\n'
                           'at(%r):wait(extra)\n' % (opened, waited))


@params(*EXTRA)
@timeout(1800)
def test_superfluous_gate_is_found(t, name):
    program = test_examples.program(name, "gcc-O2")
    expected = dict(MATTERS[name], **{"gate extra": False})
    with test_examples.load(t):
        for _ in range(20 if t.full else 1):
            r = prove(t, program, with_extra(name))
            proved(t, r, expected, 20)
            t.check(re.search(r"gate extra \(\S*gates1?\d*\.lua:\d+\)", r.stdout), "its line", r)


def test_journal_has_no_gate(t):
    program = test_examples.program("append-log", "gcc-O2")
    directory = t.path("journal")
    os.mkdir(directory)
    t.equal(t.run([program, directory, "add", "one"]).status, 0, "journal add")
    r = prove(t, program, args=(directory, "compact"),
              options=["-n", "3", "-g", test_examples.script("append-log")])
    proved(t, r, {}, 3)
    t.check("there is no gate that could be left out" in r.stdout, "the sentence", r)


# ---- the program does by itself, most of the time, what the script forces ----------------------


def calc():
    return test_examples.program("shared-memory", "gcc-O0")


# Worker 1 has set the multiplier before worker 2 reads it: so it is on every ordinary day.
@params('at("calc.c:7", {after = true}):open(set)\nat "calc.c:13":wait(set)\n',
        'at "calc.c:8":open(set)\nat "calc.c:13":wait(set)\n',
        'at("calc.c:7", {after = true}):run(function() set:open() end)\nat "calc.c:13":wait(set)\n',
        'at("calc.c:7", {after = true}):open(set)\nat "calc.c:13":run(function() set:wait() end)\n')
def test_natural_order(t, gates):
    r = prove(t, calc(), 'local set = SimpleGate "set"\n' + gates
              + 'expect {exit = 0, stdout = "6 * 7 = 42"}\n', options=["-n", "8"])
    proved(t, r, {"gate set": True}, 8)


def test_natural_order_of_an_order(t):
    r = prove(t, calc(), options=["-n", "8", "--order", "calc.c:7 -> calc.c:13"])
    proved(t, r, {"order calc.c:7 -> calc.c:13": True}, 8)
    t.check("expected: exit status 0, and the same output" in r.stdout, "what is expected", r)
    t.check("order calc.c:7 -> calc.c:13 (--order)" in r.stdout, "where it is from", r)


JOINED = r"""
#include <pthread.h>
static int result;
static void *worker(void *arg)
{
	result = 1;
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	return result != 1;
}
"""


def test_outcome_without_gates(t):
    r = prove(t, compile_text("joined.c", JOINED), 'local g = SimpleGate "g"\nat "worker":open(g)\nat "main;return":wait(g)\n'
              'expect {exit = 0}\n', options=["-n", "6"])
    t.equal((r.status, r.matters), (0, {"gate g": False}), "outcome", r)
    t.check("also comes without any gate" in r.stdout, "the sentence", r)


# Two threads that meet by luck: each sleeps, and the order of their lines is left to that.
SLEEPS = r"""
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int last;
static void *early(void *x)
{
	usleep(1000);
	last = 1; /* gate: early */
	return x;
}
static void *late(void *x)
{
	usleep(60000);
	last = 2; /* gate: late */
	return x;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, early, NULL);
	pthread_create(&b, NULL, late, NULL);
	pthread_join(a, NULL); /* gate: join */
	pthread_join(b, NULL);
	printf("%d\n", last); /* gate: print */
	return 0;
}
"""


def test_luck_is_told_from_a_gate_that_matters(t):
    """Held back for long enough, its opener comes last, whether the gate is there or not."""
    r = prove(t, compile_text("sleeps.c", SLEEPS), 'local g = SimpleGate "g"\nat "//early":open(g)\n'
              'at "//print":wait(g)\nexpect {stdout = "2"}\n', options=["-n", "8"])
    t.equal((r.status, r.matters), (0, {"gate g": False}), "outcome", r)
    t.check("by chance: it does not come" in r.stdout and "does not force" not in r.stdout, "the sentence", r)


# ---- conditions --------------------------------------------------------------------------------

@params("when", "wait_until")
def test_conditions(t, how):
    body = ("function(hit) return program.var.last == 2 end" if how == "when" else
            "function(hit) wait_until(function() return program.var.last == 2 end) end")
    r = prove(t, compile_text("sleeps.c", SLEEPS),
              'at "//early":%s(%s)\n' % ("when" if how == "when" else "run", body)
              + 'at "//join":when(function() return true end)\n'
              'at "//late":run(function(hit) wait_until(function() return true end) end)\n'
              'at "//print":run(function() end)\n'
              'expect {stdout = "1"}\n', options=["-n", "4"])
    name = "condition" if how == "when" else "wait_until"
    proved(t, r, {"%s at //early" % name: True, "condition at //join": False,
                  "wait_until at //late": False}, 4)


# ---- what is expected --------------------------------------------------------------------------

def test_without_expect_the_first_run_counts(t):
    r = prove(t, calc(), 'local g = SimpleGate "g"\nat "calc.c:7":wait(g)\nat "calc.c:14":open(g)\n',
              options=["-n", "4"])
    proved(t, r, {"gate g": True}, 4)
    t.check("expected: exit status 1, and the same output" in r.stdout, "what is expected", r)


def test_output_that_differs_is_not_compared(t):
    program = compile_text("pids.c", SLEEPS.replace('printf("%d\\n", last);',
                                                    'printf("%d\\n", getpid());'))
    r = prove(t, program, 'local g = SimpleGate "g"\nat "//early":open(g)\nat "//late":wait(g)\n',
              options=["-n", "3"])
    t.equal((r.status, r.matters), (0, {"gate g": False}), "outcome", r)
    t.check("the same output" in r.stdout, "standard error is the same", r)


# Answers by the number of the run.
COUNTER = r"""
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int n;
int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDWR | O_CREAT | O_APPEND, 0600);
	if (write(fd, "x", 1) != 1)
		return 99;
	n++; /* gate: here */
	return lseek(fd, 0, SEEK_END) % atol(argv[2]) == 0;
}
"""


def test_lucky_script(t):
    """With all gates it comes in five of six runs."""
    r = prove(t, compile_text("counter.c", COUNTER), 'local g = SimpleGate "g"\nat "//here":open(g)\n'
              'expect {exit = 0}\n', args=(t.path("runs"), "6"), options=["-n", "12"])
    t.equal(r.status, 119, "status", r)
    t.check(r.first.startswith("gatectl: not-as-expected: "), "first line", r)
    t.equal(r.table["all gates"][:2], (10, 12), "all gates", r)
    t.check("does not force the outcome: it came in 10 of 12 runs" in r.stdout, "the sentence", r)
    t.check("exit status 1, expected 0" in r.err, "says what was wrong with a run", r)


def test_luck_is_no_evidence(t):
    """The outcome comes in two of three runs whatever the gate does."""
    script = 'local g = SimpleGate "g"\nat "//here":open(g):wait(g)\nexpect {exit = 0}\n'
    r = prove(t, compile_text("counter.c", COUNTER), script, args=(t.path("runs"), "3"), options=["-n", "10"])
    t.equal((r.status, r.table["all gates"][:2]), (119, (7, 10)), "outcome", r)
    row = next(v for k, v in r.table.items() if k.startswith("without gate g"))
    t.equal(row[1:], (10, "not known"), "judgement", r)
    t.check("matter" not in r.stdout and "could be left out" not in r.stdout, "no claim", r)
    t.check("Not known: the difference may be chance" in r.stdout, "the sentence", r)


# In one run of four it fails, whatever the gates do; held back, `set` decides the others.
HALF = SLEEPS.replace("#include <unistd.h>", "#include <fcntl.h>\n#include <unistd.h>").replace(
    'printf("%d\\n", last);', 'int fd = open(RUNS, O_RDWR | O_CREAT | O_APPEND, 0600);\n\tif (write(fd, "x", 1) != 1)\n\t\treturn 99;\n'
    '\tprintf("%d\\n", lseek(fd, 0, SEEK_END) % 4 == 0 ? 9 : last);')


def test_more_than_luck(t):
    """Without its gate the outcome never comes, with it in three of four runs."""
    program = compile_text("half.c", HALF.replace("RUNS", '"%s"' % t.path("runs")))
    r = prove(t, program, 'local g = SimpleGate "g"\nat("//late", {after = true}):open(g)\nat "//early":wait(g)\n'
              'expect {stdout = "1"}\n', options=["-n", "8"])
    t.equal((r.status, r.table["all gates"][:2], r.matters), (119, (6, 8), {"gate g": True}), "outcome", r)


def test_never_as_expected(t):
    r = prove(t, calc(), 'local g = SimpleGate "g"\nat "calc.c:7":wait(g)\nat "calc.c:14":open(g)\n'
              'expect {exit = 0}\n', options=["-n", "3"])
    t.equal((r.status, r.table), (119, {"all gates": (0, 3, None)}), "outcome", r)


def test_gate_deadlock_with_all_gates(t):
    r = prove(t, calc(), 'local g = SimpleGate "g"\nat "calc.c:7":wait(g)\nat "main;printf":open(g)\n',
              options=["-n", "2"])
    t.equal(r.status, 0, "status", r)
    t.order_of(r.stdout, "expected: a deadlock with a gate in it", "all gates", "2 of 2")


# Left out, the program waits for ever for what the gate's thread has not done.
SPINS = SLEEPS.replace("	usleep(60000);\n	last = 2;", "	usleep(20000);\n	while (last == 1)\n		usleep(1000);\n	last = 2;")


@timeout(120)
def test_hangs_without_its_gate(t):
    limit = wall(0.5)
    r = prove(t, compile_text("spins.c", SPINS), 'local g = SimpleGate "g"\nat("//late", {after = true}):open(g)\n'
              'at "//early":wait(g)\nexpect {stdout = "1"}\n',
              options=["-n", "8", "--time-limit", limit])
    t.equal((r.status, r.matters), (0, {"gate g": True}), "outcome", r)
    t.equal(r.table["no gates"][:2], (0, 3), "it is tried three times", r)
    t.check(r.spent < 60 * limit, "soon", r)


# ---- what is expected, and what nothing is left of -----------------------------------------------

# Is there a trap in its own code? Does its sleep take as long as it says?
BARE = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static volatile int n;
__attribute__((noinline)) static void looked_at(void)
{
	n++; /* gate: here */
	usleep(100000); /* gate: sleep */
	n++;
}
int main(int argc, char **argv)
{
	const unsigned char *code = (const unsigned char *)looked_at;
	struct timespec a, b;
	int traps = 0;
	for (int i = 0; i < 40; i++)
		traps += code[i] == 0xcc;
	clock_gettime(CLOCK_MONOTONIC, &a);
	looked_at();
	clock_gettime(CLOCK_MONOTONIC, &b);
	long ms = (b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000;
	printf("%s %s %s\n", traps ? "traps" : "clean", ms < 100 ? "elided" : "slept", getenv("GIVEN"));
	return 0;
}
"""


def test_no_gates_is_bare(t):
    """No trap, no sleep cut short, nobody killed, no function called; what PROG gets is its own."""
    program = compile_text("bare.c", BARE)
    script = ('local g = SimpleGate "g"\nenv { GIVEN = "given" }\nat("//here"):open(g)\n'
              'at("//here"):run(function() if not g.is_open then fail "called" end end)\n'
              'elide_sleep("//sleep", {optional = true})\non("thread-exit", {optional = true}):log "x"\n')
    r = prove(t, program, script + 'expect { stdout = "traps elided given" }\n', options=["-n", "3"])
    t.equal(r.table["all gates"][:2], (3, 3), "with all gates", r)
    t.equal(r.table["no gates"][:2], (0, 3), "with none", r)
    r = t.run_gated(program, script='env { GIVEN = "given" }\nexpect { stdout = "clean slept given" }\n')
    t.clean(r, 0)
    r = prove(t, program, script + 'at("//here", {hit = 1}):kill()\nexpect { signal = "SIGKILL" }\n', options=["-n", "3"])
    t.equal(r.table["no gates"][:2], (0, 3), "killed by nobody", r)


@params(("expect { never_reached = '//late' }", "//late is never reached", 0, 3),
        ("at('//late', {optional = true}):log 'x' expect { never_reached = '//late' }", "//late is never reached", 0, 3),
        ("expect(function(run) return run.status == 0 end, 'it is zero')", "it is zero", 3, 3),
        ("limits { run = 0.4 } expect { time_limit = true }", "the time limit passes", 0, 3))
def test_expected_in_words(t, case):
    """What the script says it expects, and rows by that, not by exit status 0."""
    expect, words, none, runs = case
    program = compile_text("sleeps.c", SLEEPS)
    hold = 'local g = SimpleGate "g"\nat "//early":open(g)\nat "//print":wait(g)\n'
    if "never" in expect:
        hold = 'local g = SimpleGate "g"\nat "//early":open(g):wait(g):kill()\n'
        expect = expect.replace("expect {", "expect { signal = 'SIGKILL',")
    if "time_limit" in expect:
        hold = 'local g = SimpleGate "g"\nat("//early", {after = true}):open(g)\nat "late":wait(g)\n'
        program = compile_text("spins.c", SPINS)
    r = prove(t, program, hold + expect + "\n", options=["-n", str(runs)])
    t.check("expected: " in r.stdout and words in r.stdout.split("\n")[0], "what is expected", r)
    t.equal(r.table["all gates"][:2], (3, 3), "with all gates", r)
    if "time_limit" not in expect:
        t.equal(r.table["no gates"][0], none, "with none", r)


def test_verdict_is_no_exit_status(t):
    """Without expect: a run that ends never-reached is not "exit status 0"."""
    r = prove(t, calc(), 'local g = SimpleGate "g"\nat "calc.c:7":wait(g)\nat "calc.c:14":open(g)\n'
              'at("calc.c:14", {hit = 2}):log "x"\n', options=["-n", "2"])
    t.equal(r.status, 119, "status", r)
    t.check("expected: never-reached, exit status 1" in r.stdout, "what came", r)
    t.order_of(r.err, "gatectl: not-as-expected: ", "gatectl: never-reached: ")


# ---- names -------------------------------------------------------------------------------------

def test_gates_of_one_name(t):
    r = prove(t, calc(), 'for i = 1, 2 do\n  local g = SimpleGate "g"\n'
              '  if i == 2 then at "calc.c:7":wait(g) end\n  at "calc.c:14":open(g)\nend\n'
              'expect {exit = 1}\n', options=["-n", "4"])
    t.equal(r.status, 0, "status", r)
    t.equal([j for n, (_, _, j) in sorted(r.table.items()) if n.startswith("without ")],
            ["does not matter", "matters"], "which of the two", r)
    t.check(re.search(r"without gate g \(\S+:2\) \[2\]", r.stdout), "the second has its number", r)


def test_gates_made_in_no_order(t):
    """pairs() gives them in another order each second."""
    names = ["g%d" % i for i in range(12)]
    r = prove(t, calc(), "local names = {%s}\nlocal set = {}\nfor _, n in ipairs(names) do set[n] = true end\n"
              "for name in pairs(set) do\n  local g = SimpleGate(name)\n"
              "  if name == 'g7' then at 'calc.c:7':wait(g) end\n  at 'calc.c:14':open(g)\nend\n"
              "expect {exit = 1}\n" % ", ".join("'%s'" % n for n in names), options=["-n", "4"])
    t.equal(r.matters, {"gate " + n: n == "g7" for n in names}, "which of them matter", r)


# ---- how it speaks -----------------------------------------------------------------------------

GATES = ('local g = SimpleGate "g"\nat "calc.c:7":wait(g)\nat "calc.c:14":log "seen":open(g)\n'
         'expect {exit = 1}\n')


def test_the_programs_output_is_not_shown(t):
    r = prove(t, calc(), GATES, options=["-n", "2"])
    t.check("6 * 7" not in r.stdout and r.err == "", "something of the program is shown", r)
    r = prove(t, calc(), GATES, options=["-n", "2", "-v"])
    t.check("6 * 7 = 6\n" in r.stdout and "seen" in r.err, "-v shows it", r)


def test_standard_input_is_empty(t):
    program = compile_text("reads.c", "#include <unistd.h>\nint main(void)\n{\n\tchar c;\n"
                           "\treturn (int)read(0, &c, 1); /* gate: here */\n}\n")
    r = prove(t, program, 'at "//here":log "x"\nexpect {exit = 0}\n', options=["-n", "2"], stdin=b"hello")
    t.equal(r.status, 0, "status", r)


def test_standard_input_from_a_file(t):
    """Each run reads it from its beginning, and not what the script gives."""
    program = compile_text("reads_one.c", "#include <unistd.h>\nint main(void)\n{\n\tchar c = 0;\n"
                           "\treturn read(0, &c, 1) != 1 || c != 'h'; /* gate: here */\n}\n")
    path = t.file("in.txt", "hello")
    for gives in "", 'stdin "other text"\n':
        r = prove(t, program, 'at "//here":log "x"\nexpect {exit = 0}\n' + gives, options=["-n", "2"],
                  preexec=lambda: os.dup2(os.open(path, os.O_RDONLY), 0))
        t.equal(r.status, 0, "status", r)


def test_quiet_leaves_the_table(t):
    r = prove(t, calc(), GATES, options=["-n", "2", "-q"])
    proved(t, r, {"gate g": True}, 2)


@contextlib.contextmanager
def on_terminal(t, command, env):
    master, slave = None, None
    try:
        master, slave = pty.openpty()
    except OSError as e:
        raise Skip("no pseudo-terminals here: %s" % e)
    p = Process(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=slave,
                         env=dict(t.env, TERM="xterm", **env))
    os.close(slave)
    try:
        yield p, master
    finally:
        p.kill()
        p.wait()
        os.close(master)
        end_processes(t.marker)


def read_terminal(master, seconds=60):
    text, limit = b"", Limit(seconds)
    while not limit.over():
        if not select.select([master], [], [], 0.1)[0]:
            continue
        try:
            text += os.read(master, 65536)
        except OSError:  # nobody has the other end any more, and all was read
            break
    return text.decode()


@params("colour", "plain", "dumb")
def test_progress_on_a_terminal(t, how):
    env = {"colour": {}, "plain": {"NO_COLOR": "1"}, "dumb": {"TERM": "dumb"}}[how]
    command = [t.gatectl, "prove", "-n", "4", "-g", t.file("g.lua", GATES), calc()]
    env = {k: v for k, v in env.items() if k != "TERM"}
    if how == "dumb":
        t.env["TERM"] = "dumb"
        command = ["env", "TERM=dumb", *command]
    with on_terminal(t, command, env) as (p, master):
        text = read_terminal(master)
        out = p.stdout.read().decode()
    t.check("all gates" in out, "the table is on standard output: %r" % out)
    if how == "dumb":
        t.equal(text, "", "on a dumb terminal")
        return
    t.check(re.search(r"\d+ of 16 runs, \d+:\d\d left", text), "how far, and how long: %r" % text)
    t.check(text.endswith("\r\x1b[K"), "it is erased at the end: %r" % text[-60:])
    t.equal("\x1b[32m" in text, how == "colour", "colour: %r" % text[:80])
    for line in re.split(r"\r\x1b\[K", text):
        t.check(len(re.sub(r"\x1b\[\d*m", "", line)) < 80, "wider than the terminal: %r" % line)


# ---- bad input ---------------------------------------------------------------------------------

def test_errors(t):
    t.error(t.gate("prove", calc()), where="no gate script was given")
    t.error(t.gate("prove", "-n", "0", "-g", "x", calc()), where="--runs: '0' is not a positive number")
    t.error(t.gate("prove", "--repeat", "2", calc()), where="--repeat")
    t.error(prove(t, "/no/such", GATES), status=127)
    t.error(prove(t, calc(), 'at "nowhere.c:3":log "x"\n'), where=r"gates\d+\.lua:1: ")
    t.error(prove(t, calc(), "at(\n"), where=r"gates\d+\.lua:\d+: ")


def test_fault_in_the_script_at_an_arrival(t):
    r = prove(t, calc(), 'at "calc.c:7":when(function() error "broken" end)\n', options=["-n", "2"])
    t.error(r, where=r"gates\d+\.lua:1: broken")


@params("SIGINT", "SIGTERM", "SIGHUP")
def test_interrupted(t, name):
    program = compile_text("sleeps.c", SLEEPS.replace("60000", "60000000"))
    script = t.file("g.lua", 'at "//early":log "x"\n')
    p = Process([t.gatectl, "prove", "-v", "-g", script, program], env=t.env,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    text = b""
    while b"early#1 arrives" not in text:
        line = p.stderr.readline()
        t.check(line, "it ended by itself: %r" % text)
        text += line
    p.send_signal(getattr(signal, name))
    out, err = p.communicate(timeout=20)
    t.equal(p.returncode, 128 + getattr(signal, name), "status: %r" % err)
    t.equal(out, b"", "no table")
    t.equal(end_processes(t.marker), [], "left alive")


# ---- arrivals that the script leaves in any order ------------------------------------------------


ORDERS = """
#include <pthread.h>
#include <unistd.h>
static volatile int filled, written, seen;
static void *writer(void *arg)
{
	written = 1; /* gate: writes */
	return arg;
}
static void *reader(void *arg)
{
	usleep(1000);
	seen = written; /* gate: reads */
	return arg;
}
static void *filler(void *arg)
{
	filled = 1; /* gate: fills */
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t a, b, c;
	pthread_create(&c, NULL, filler, NULL);
	if (argc > 1)
		pthread_join(c, NULL);
	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return argc > 1 ? 0 : pthread_join(c, NULL); /* gate: ends */
}
"""
BOTH_WAIT = """
local one, two = SimpleGate "one", SimpleGate "two"
at "//fills":open(one):open(two)
at "//writes":wait(one)
at "//reads":wait(two)
"""
# script -> the lines
UNORDERED = {
    BOTH_WAIT: ["writer#1 at //writes (gate one) and reader#1 at //reads (gate two)"],
    """
local one, two = SimpleGate "one", SimpleGate "two"
at "//fills":open(one)
at("//writes", { after = true }):wait(one):open(two)
at "//reads":wait(two)
""": [],
    # Program order, joins and creation order arrivals as well; a gate that is open already is not opened by anybody.
    """
local one, two = SimpleGate "one", SimpleGate "two"
at "//fills":open(one)
at("//writes", { after = true }):open(two)
at "//reads":wait(two)
at "//ends":open(two)
""": [],
    'order "//fills -> //reads, //writes -> //reads"\n':
        ["filler#1 at //fills (order //fills -> //reads) and writer#1 at //writes (order //writes -> //reads)"],
}


def not_ordered(r):
    return re.findall(r"^not ordered by the script: (.*)$", r.stdout, re.M)


@params(*range(len(UNORDERED)))
def test_arrivals_that_are_not_ordered(t, k):
    """prove and check --order name the two; check without it runs nothing, and says nothing of order."""
    script, lines = list(UNORDERED.items())[k]
    program, path = compile_text("orders.c", ORDERS), t.file("orders.lua", script)
    joined = ("x",) if k == 2 else ()  # the thread that fills has ended before the others are made
    r = t.gate("prove", "-n", "2", "-g", path, program, *joined)
    t.equal((r.status, not_ordered(r)), (0, lines), "prove", r)
    r = t.gate("check", "--order", "-g", path, program, *joined)
    t.equal((r.status, not_ordered(r), r.err), (0, lines, ""), "check --order", r)
    if joined:
        with open(path, "a") as f:
            f.write('args { "x" }\n')
        r = t.gate("check", "--order", "-g", path, program)
        t.equal((r.status, not_ordered(r), r.err), (0, lines, ""), "check --order, arguments in the script", r)
    r = t.gate("check", "-g", path, program)
    t.equal((r.status, not_ordered(r)), (0, []), "check", r)
