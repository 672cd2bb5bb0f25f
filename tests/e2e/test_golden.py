"""What a user reads who has made a mistake: each example of the README with its gate misspelt, on a
wrong line, for the wrong thread, and asking for what cannot happen. The texts are in tests/golden/,
beside the scripts that they are about.

    python3 tests/e2e/test_golden.py --update      writes scripts and texts anew: then read them
"""

import glob
import os
import re
import sys

from harness import ROOT, params, timeout
from test_examples import jobs, load, program, script  # noqa: F401 (jobs: the runner calls it)

GOLDEN = os.path.join(ROOT, "tests", "golden")
WORDS = ("misspelt", "line", "thread", "infeasible")


class Mistake:
    """Edits of the example's script (each text occurs there once), and what the first three lines of
    the verdict have to say about it."""

    def __init__(self, says, *edits):
        self.says, self.edits = says, edits


SHORT = ("expect {", "limits { gate = 0.5 }\nexpect {")  # where the program goes on for ever

MISTAKES = {
    "shared-memory": {
        "misspelt": Mistake("no source file clac.c in PROG or the libraries it starts with; did you mean calc.c?",
                            ('"calc.c:14"', '"clac.c:14"')),
        "line": Mistake("gate worker2_done is opened at calc.c:32: start was called twice, by main, "
                        "and returned at calc.c:33; this line was not executed",
                        ('"calc.c:14" :open(done)          -- until worker 2 has read it',
                         '"calc.c:32" :open(done)          -- the line of an error')),
        "thread": Mistake("no thread that matches 'worker1' arrived there, but worker2#1 did",
                          ('"calc.c:14" ', '("calc.c:14", { thread = "worker1" }) ')),
        "infeasible": Mistake("gate worker2_done is opened at calc.c:14: worker2 was never called",
                              ('"calc.c:7"  :wait(done)          -- worker 1 is held before it sets the multiplier',
                               '"main;moment()" :wait(done)      -- but main has yet to start worker 2')),
    },
    "unspecified-time": {
        "misspelt": Mistake("no event or location has this name; did you mean idle?",
                            ('order "[idle]', 'order "[idel]')),
        "line": Mistake("main;*the queue is full: ",
                        ('"queue_take;pthread_cond_wait"', '"main;*the queue is full"')),
        "thread": Mistake("no thread that matches 'main' arrived there, but worker#1 did",
                          ('"queue_take;pthread_cond_wait"  ',
                           '("queue_take;pthread_cond_wait", { thread = "main" }) ')),
        "infeasible": Mistake("queue_take was never called",
                              ('"queue_close;pthread_mutex_lock"', '"queue_put;pthread_mutex_lock"')),
    },
    "string-buffer": {
        "misspelt": Mistake("no function and no source file sb_get_char in PROG or the libraries it starts with; "
                            "did you mean sb_get_chars?", ("sb_get_chars;", "sb_get_char;")),
        "line": Mistake("main, which would open gate measured at strbuf.c:99, joins timer#1 here",
                        ('"sb_get_chars;pthread_mutex_lock"', '"main;*cannot start a thread"')),
        "thread": Mistake("no thread that matches 'logger' arrived there",
                          ('"sb_truncate;pthread_mutex_unlock" ',
                           '("sb_truncate;pthread_mutex_unlock", { thread = "logger" }) ')),
        "infeasible": Mistake("status",
                              ('"sb_get_chars;pthread_mutex_lock"', '"sb_get_chars;if (end"')),
    },
    "array-list": {
        "misspelt": Mistake("no function and no source file list_ad in PROG or the libraries it starts with; "
                            "did you mean list_add?", ("list_add;", "list_ad;")),
        "line": Mistake("barrier both_have_counted opens when 2 threads wait at it: main does, and no other "
                        "thread is alive",
                        ('"list_add;l->count = index + 1"', '"list_reserve;l->capacity = capacity"')),
        "thread": Mistake("no thread that matches 'main' arrived there, but probe#1 and probe#2 did",
                          ('"list_add;l->count = index + 1" ',
                           '("list_add;l->count = index + 1", { thread = "main" }) ')),
        "infeasible": Mistake("barrier both_have_counted opens when 3 threads wait at it: probe#1 and probe#2 do",
                              ('counted", 2)', 'counted", 3)')),
    },
    "lazy-init": {
        "misspelt": Mistake("no function and no source file Setings::load in PROG or the libraries it starts "
                            "with; did you mean Settings::load?", ("Settings::load;", "Setings::load;")),
        "line": Mistake("gate published is opened at main;early.join()",
                        (' :open(published) :wait(answered)', ' :wait(answered)\nat "main;early.join()" :open(published)')),
        "thread": Mistake("no thread of the run is called 'warmup'; warm_up#1 came there; did you mean warm_up?",
                          ('"warm_up"', '"warmup"')),
        "infeasible": Mistake("gate answered is opened at warm_up%return: ",
                              ('"handle_request;std::fflush"', '"warm_up%return"')),
    },
    "abba-deadlock": {
        "misspelt": Mistake("no function and no source file tranfser in PROG or the libraries it starts with; "
                            "did you mean transfer?", ("transfer;", "tranfser;")),
        "line": Mistake("barrier each_has_one opens when 2 threads wait at it: main does, and no other thread "
                        "is alive", ('"transfer;pthread_mutex_lock(&to->lock)"', '"print_account;printf"')),
        "thread": Mistake("is only for 'teller#1', but teller#2 also arrived there",
                          ('"transfer;pthread_mutex_lock(&to->lock)" ',
                           '("transfer;pthread_mutex_lock(&to->lock)", { thread = "teller#1" }) ')),
        "infeasible": Mistake("teller#2",
                              ("transfer;pthread_mutex_lock(&to->lock)", "transfer;from->cents -= cents")),
    },
    "two-processes": {
        "misspelt": Mistake("no function and no source file collectro in PROG or the libraries it starts with; "
                            "did you mean collector?", ('"collector;', '"collectro;')),
        "line": Mistake("gate taken is opened at main;perror: ",
                        ("collector;fflush", "main;perror"), SHORT),
        "thread": Mistake("no thread of the run is called 'p2/main'; p1/main came there; did you mean p1/main?",
                          ('"p1/main"', '"p2/main"'), SHORT),
        "infeasible": Mistake("p1/main has arrived there, but is held by gate written before it opens",
                              ('local taken = SimpleGate "taken"', 'local taken, written = SimpleGate "taken", SimpleGate "written"'),
                              (":wait(taken)", ":wait(taken):open(written)"),
                              (":open(taken)", ":wait(written):open(taken)")),
    },
    "overdraft": {
        "misspelt": Mistake("did you mean Account::withdraw?", ("Account::withdraw;", "Acount::withdraw;")),
        "line": Mistake("barrier both_have_looked opens when 2 threads wait at it: main does, and no other "
                        "thread is alive", ("Account::withdraw;balance_ -= amount", "main;std::puts")),
        "thread": Mistake("is only for 'pay_rent', but pay_shopping#1 also arrived there",
                          ('"Account::withdraw;balance_ -= amount" ',
                           '("Account::withdraw;balance_ -= amount", { thread = "pay_rent" }) ')),
        "infeasible": Mistake("is still false for pay_rent#1 and pay_shopping#1",
                              ("hit.var.amount <= 60 or ", "")),
    },
    "append-log": {
        "misspelt": Mistake("no source line carries the mark 'gate: in-palce' in PROG or the libraries it starts "
                            "with; did you mean in-place?", ("//in-place", "//in-palce")),
        "line": Mistake("this line was not executed", ("//in-place", 'compact;perror(*snapshot')),
        "thread": Mistake("no thread of the run is called 'compact'; main came there",
                          ('"//in-place" ', '("//in-place", { thread = "compact" }) ')),
        "infeasible": Mistake("show was never called",
                              ('at "//in-place" :kill()',
                               'local shown = SimpleGate "shown"\nat "//in-place"  :wait(shown)\n'
                               'at "show;unlink" :open(shown)')),
    },
}
CASES = [(name, word) for name in MISTAKES for word in WORDS]


def path(name, word, ending):
    return os.path.join(GOLDEN, "%s.%s.%s" % (name, word, ending))


def texts(name, word):
    """More than one (.2.txt) where the mistake leaves it to chance which of two threads comes first."""
    paths = [path(name, word, "txt")] + sorted(glob.glob(path(name, word, "[2-9].txt")))
    found = []
    for p in paths:
        with open(p) as f:
            found.append(f.read())
    return found


def variant(name, word):
    """The example's script with the mistake in it."""
    with open(script(name)) as f:
        text = f.read()
    for old, new in MISTAKES[name][word].edits:
        assert text.count(old) == 1, (name, word, old)
        text = text.replace(old, new)
    return text


def normal(text, prog):
    """Without what differs from run to run and from place to place; of the events, which there were."""
    text = text.replace(prog, "PROG").replace(ROOT + "/", "")
    text = text.replace("in " + os.path.basename(prog) + " or the libraries", "in PROG or the libraries")
    text = re.sub(r"0x[0-9a-f]+", "0xADDRESS", text)
    text = re.sub(r"(?m)^.*p1/main (runs|sleeps).*$", "p1/main goes round in its loop", text)
    head, mark, rest = text.partition("last events:\n")
    events, try_, advice = rest.partition("try: ")
    events = {re.sub(r"\d+\.\d{6} ", "", line) for line in events.splitlines()}
    # whether a gate was open in time, or its thread waited a little, is chance
    waited = {line for line in events if " is released at " in line}
    events -= waited | {line.replace(" is released at ", " is held at ") for line in waited}
    return head + mark + "".join(line + "\n" for line in sorted(events)) + try_ + advice


def run(t, name, word, number=0):
    prog = program(name, "gcc-O2")
    args = []
    if name == "append-log":
        directory = t.path("journal%d" % number)
        os.mkdir(directory)
        t.run([prog, directory, "add", "one"])
        args = [directory, "compact"]
    relative = os.path.relpath(path(name, word, "lua"), ROOT)
    r = t.gate("run", "-g", relative, "--", prog, *args, cwd=ROOT, leftover=number == 0)
    if number >= 0:
        t.check(r.status in (120, 121, 122, 125), "no verdict on the mistake", r)
    # what the program itself has written comes before
    begin = r.err.find("gatectl: ")
    return r, normal(r.err[begin:], prog)


@params(*CASES)
@timeout(600)
def test_text(t, case):
    name, word = case
    with open(path(name, word, "lua")) as f:
        t.equal(f.read(), variant(name, word), "the script: run test_golden.py --update")
    golden = texts(name, word)
    for text in golden:
        head = "\n".join(text.split("\n")[:3])
        t.check(MISTAKES[name][word].says in head, "the first three lines do not name the mistake:\n" + head)
    with load(t) as runs:
        for number in range(runs // 5 if t.full else 1):
            r, text = run(t, name, word, number)
            if text not in golden:
                t.equal(text, golden[0], "the text in run %d" % (number + 1), r)


def update():
    class Options:
        gatectl, full = os.path.join(ROOT, "build", "gatectl"), False
    from harness import Test
    os.makedirs(GOLDEN, exist_ok=True)
    for name, word in CASES:
        with open(path(name, word, "lua"), "w") as f:
            f.write(variant(name, word))
        text = run(Test("update %s.%s" % (name, word), Options), name, word, -1)[1]
        with open(path(name, word, "txt"), "w") as f:
            f.write(text)
        if MISTAKES[name][word].says not in "\n".join(text.split("\n")[:3]):
            print("%s.%s: not in the first three lines: %s" % (name, word, MISTAKES[name][word].says))


if __name__ == "__main__" and sys.argv[1:] == ["--update"]:
    update()
