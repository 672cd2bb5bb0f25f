"""Mistakes of the first hour: gatectl says what is wrong, and the right spelling."""

import json
import os
import shlex
import stat

from harness import compile_text, params
from patience import wall

ORDERED = r"""
#include <pthread.h>
#include <stdio.h>
static int value;
static void *writer(void *arg)
{
	value = 7;
	return arg;
}
static void *reader(void *arg)
{
	printf("%d\n", value);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t w, r;

	pthread_create(&w, NULL, writer, NULL);
	pthread_create(&r, NULL, reader, NULL);
	pthread_join(w, NULL);
	pthread_join(r, NULL);
	for (int i = 1; i < argc; i++)
		printf("%s\n", argv[i]);
	return 0;
}
"""
SCRIPT = 'local read = SimpleGate "read"\nat "writer;value = 7":wait(read)\nat "reader;printf":open(read)\n'


def ordered():
    return compile_text("ordered.c", ORDERED)


def try_line(t, r, wanted):
    t.equal([line for line in r.err.splitlines() if line.startswith("try: ")], ["try: " + wanted], "try", r)


# ---- options and scripts in the wrong place

@params("-g FILE", "-gFILE", "--gates FILE", "--gates=FILE", "--other -g FILE", "--order 'A -> B'", "--order='A -> B'")
def test_gates_after_the_program(t, words):
    """They are arguments of the program, which are passed on; the note has the command that was meant."""
    words = words.replace("FILE", t.file("x.lua", SCRIPT))
    gates = "--order 'A -> B'" if "order" in words else "-g " + t.path("x.lua")
    r = t.gate("run", ordered(), *shlex.split(words))
    t.equal(r.status, 0, "status", r)
    t.equal(r.err, f"gatectl: note: {gates} after {ordered()} is an argument of the program, so there are no gates: "
            f"write gatectl run {gates} {ordered()}; or -- before {ordered()}, if the program is to get it\n", "note", r)
    t.equal(r.stdout.splitlines()[1:], shlex.split(words), "arguments", r)


@params("run PROG -g missing.lua", "run PROG -g", "run PROG --gatesx FILE", "run PROG --order", "run PROG --order a",
        "run PROG -G FILE", "run -- PROG -g FILE", "run -g FILE PROG -g FILE", "run -q PROG -g FILE", "run PROG -g PROG")
def test_arguments_that_are_the_programs(t, words):
    """No file of gates, or the user has said whose arguments they are: no note."""
    script = t.file("x.lua", SCRIPT)
    t.clean(t.gate(*[{"FILE": script, "PROG": ordered()}.get(word, word) for word in words.split()]))


@params("run", "prove", "repl", "explore", "races", "check", "attach", "replay")
def test_script_in_the_place_of_the_program(t, command):
    script = t.file("x.gate.lua", SCRIPT)
    for mode in 0o644, 0o755:  # the shell would execute it as a script of its own
        os.chmod(script, mode)
        r = t.error(t.gate(command, script, ordered(), stdin=b""))
        t.check(f"{command}: {script} is a gate script" in r.first and f": write -g {script}" in r.first, "first line", r)
        try_line(t, r, f"gatectl {command} -g {script} {ordered()}")


def test_program_in_lua(t):
    """A file with an interpreter is a program, whatever its name."""
    path = t.file("x.lua", "#!/bin/echo\n")
    os.chmod(path, stat.S_IRWXU)
    r = t.clean(t.gate("run", path, "said"))
    t.equal(r.stdout, f"{path} said\n", "output", r)


def test_options_where_no_program_has_arguments(t):
    """check, lines and attach read options after their arguments."""
    script = t.file("x.lua", SCRIPT)
    after, before = t.gate("check", ordered(), "-g", script), t.gate("check", "-g", script, ordered())
    t.equal((after.status, after.out, after.err), (0, before.out, ""), "check", after)
    t.clean(t.gate("lines", ordered(), "writer", "--color", "never"))
    r = t.error(t.gate("attach", "999999999", "--leftover", "kill"))
    t.check("--leftover=kill" in r.first, "the option is read", r)


def test_options_of_replay_after_the_schedule(t):
    t.gate("explore", "-o", t.path("found"), "-j1", "--runs", "500", compile_text("fails.c", ORDERED.replace("return 0;", "return !value;")
           .replace("pthread_join(w, NULL);", "")))
    schedule = t.path("found/1/schedule")
    t.check(os.path.exists(schedule), "a schedule was found")
    plain, options = t.gate("replay", schedule), t.gate("replay", schedule, "--report", t.path("r.json"), "-q")
    t.equal(options.status, plain.status, "status", options)
    t.check(os.path.getsize(t.path("r.json")), "the report is written", options)
    t.error(t.gate("replay", schedule, "--", "--report", t.path("x.json")), 127, "--report: No such file")


# ---- misspelt commands and options

@params(("wrter#1", True), ("writer#1", False), ("main", False), ("p1/writer#2", False), ("given#1", False), ("own", False))
def test_check_of_a_thread(t, case):
    """check names a start routine that the program does not have, as it names a text that it does not have. A name
    that the program gives a thread, which has the text of it, is none."""
    thread, lost = case
    program = compile_text("named.c", ORDERED.replace('"%d\\n"', '"given#%d\\n"'))
    script = t.file("thread.lua", 'at("writer;value = 7"):log "x"\non("thread-exit", { thread = "%s" }):log "x"\n' % thread)
    r = t.gate("check", "-g", script, program)
    t.equal(r.status, 125 if lost else 0, "status", r)
    t.equal("gatectl: error: %s:2: thread = \"%s\": no function wrter in " % (script, thread) in r.err, lost, "option", r)
    t.equal("did you mean writer?" in r.err and "try: `gatectl run -v`" in r.err, lost, "what to do", r)


def test_check_of_a_thread_of_a_plugin(t):
    """A library that is not loaded yet may have the start routine."""
    script = t.file("thread.lua", 'at("plugin.so!init", { thread = "plugged#1" }):log "x"\n')
    r = t.gate("check", "-g", script, ordered())
    t.equal((r.status, r.err), (0, ""), "status", r)


@params(("explroe", "; did you mean explore?"), ("repaly", "; did you mean replay or repl?"), ("xyzzy", ""))
def test_misspelt_command(t, case):
    word, similar = case
    r = t.error(t.gate(word))
    t.equal(r.first, f"gatectl: error: '{word}' is not a command{similar}", "first line", r)
    t.equal(t.gate("help", word).first, r.first, "gatectl help says the same")


@params(("run --tim-limit 3 x", "--tim-limit is not an option of this command; did you mean --time-limit?"),
        ("run --tim-limit=3 x", "--tim-limit=3 is not an option of this command; did you mean --time-limit?"),
        ("explore --straegy pos x", "--straegy is not an option of this command; did you mean --strategy?"),
        ("check --strategy x", "--strategy is not an option of this command"),
        ("run --re 3 x", "--re is ambiguous: it can be --repeat, --report"),
        ("explore --gat 3 x", "--gat is ambiguous: it can be --gates, --gates-for"),
        ("run --verbose=3 x", "--verbose=3 takes no value"),
        ("run --repeat", "--repeat needs a value"),
        ("run -vg", "-g needs a value"),
        ("run -vz x", "-z is not an option of this command"))
def test_misspelt_option(t, case):
    words, wanted = case[0].split(), case[1]
    r = t.error(t.gate(*words))
    t.equal(r.first, f"gatectl: error: {words[0]}: {wanted}", "first line", r)
    try_line(t, r, f"gatectl {words[0]} --help")


def test_help_as_a_command(t):
    for args, same in (["help"], ["--help"]), (["help", "explore"], ["explore", "--help"]):
        r, wanted = t.clean(t.gate(*args)), t.clean(t.gate(*same))
        t.equal(r.out, wanted.out, "gatectl " + " ".join(args), r)


# ---- orders

MEMBER = ORDERED.replace("static int value;", "struct q { int head; } the_q, *q = &the_q;").replace("value = 7", "q->head = 7").replace("value", "q->head")


def member():
    return compile_text("member.c", MEMBER)


@params(("'reader;printf@reader#1' -> writer", "a thread is named after the quotes: 'reader;printf'@reader#1"),
        ("writer -> 'member.c:11@reader*'", "a thread is named after the quotes: 'member.c:11'@reader*"))
def test_thread_inside_the_quotes(t, case):
    order, hint = case
    try_line(t, t.error(t.gate("run", "--order", order, member())), hint)
    script = t.file("x.lua", f'order "{order}"\n')
    for command in "run", "check":
        try_line(t, t.error(t.gate(command, "-g", script, member())), hint)


def test_thread_in_a_location(t):
    script = t.file("x.lua", 'at("reader;printf@reader#1"):run(function() end)\n')
    for command in "run", "check":
        try_line(t, t.error(t.gate(command, "-g", script, member())),
                 'a thread is an option: at("reader;printf", { thread = "reader#1" })')


@params(("reader;printf -> writer;q->head", "\"reader;printf -> 'writer;q->head'\""),
        ("writer;q->head = 7 -> reader;printf", "\"'writer;q->head = 7' -> reader;printf\""),
        ("reader;printf -> writer;q->head@writer#1, main%return -> main", "\"reader;printf -> 'writer;q->head'@writer#1, main%return -> main\""))
def test_arrow_of_a_member(t, case):
    """The advice is the option as the shell takes it; it is no error of the arrow any more."""
    order, spelled = case
    r = t.error(t.gate("run", "--order", order, member()))
    t.check("is ambiguous: write 'writer;q->head" in r.first, "first line", r)
    try_line(t, r, "--order " + spelled)
    again = t.gate("run", "--order", shlex.split(spelled)[0], member())
    t.check("ambiguous" not in again.err and "contains this text" not in again.err, "the advice works", again)


@params("reader;printf->writer;q->head", "writer;q->head", "writer;q->head->reader;printf")
def test_arrow_without_blanks(t, order):
    r = t.error(t.gate("run", "--order", order, member()))
    t.check("--order: head: no function head" in r.first, "first line", r)
    t.check("'writer;q->head' in single quotes, if its -> is part of the location" in r.err, "advice", r)


def test_arrows_of_an_order_without_blanks(t):
    t.clean(t.gate("run", "--order", "reader;printf->writer", member()))


# ---- what to do next

BRANCH = r"""
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int ready, n;
static void *worker(void *arg)
{
	if (__atomic_load_n(&ready, __ATOMIC_SEQ_CST))
		n = 1;
	else
		n = 2;
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t a;

	ready = unlink(argv[1]) == 0;
	pthread_create(&a, NULL, worker, NULL);
	pthread_join(a, NULL);
	return 0;
}
"""


def test_line_that_is_reached_sometimes(t):
    """Its branch may depend on the order of threads; a repeated run that is the first to miss it shows that."""
    program, script = compile_text("branch.c", BRANCH), 'at("worker;n = 1"):run(function() end)\n'
    once = t.verdict(t.run_gated(program, script, args=(t.path("flag"),)), 120)
    t.check("try: name a line that is executed on the way to branch.c:12; or, if the order of threads decides whether this one is "
            "executed, force this order with gates too (`--repeat 20` shows it); " in once.err, "one run", once)
    r = t.verdict(t.run_gated(program, script, args=(t.file("flag", ""),), options=["--repeat", "5"]), 120)
    try_line(t, r, "run 2 is the first that does not reach it, so the order of threads decides: force this order with gates too, or "
             "`optional = true`")


SPINS = r"""
#include <pthread.h>
static volatile int go;
static void wait_for_go(void)
{
	while (!go)
		;
}
int main(void)
{
	wait_for_go();
	return 0;
}
"""


@params("-O0", "-O2")
def test_thread_that_spins(t, level):
    """It waits for nothing in the kernel: where it goes round is said."""
    r = t.verdict(t.run_gated(compile_text("goes_round.c", SPINS, "-g " + level), options=["--time-limit", wall(1)]), 124)
    t.check("try: find out what should end the loop of main in " in r.err and " at goes_round.c:" in r.err, "try", r)


EXITS = r"""
#include <pthread.h>
#include <stdio.h>
static int value;
static void *one(void *arg)
{
	value = 1;
	pthread_exit(arg);
}
static void *two(void *arg)
{
	printf("%d\n", value);
	return arg;
}
int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, one, NULL);
	pthread_create(&u, NULL, two, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
"""


@params("one", "pthread_exit")
def test_order_after_a_thread_exit(t, place):
    """A statement in which a thread exits is not executed to its end."""
    program = compile_text("exits.c", EXITS)
    r = t.gate("run", "--order", "%s -> two" % ("one" if place == "one" else "one;pthread_exit"), program)
    t.verdict(r, 122)
    t.check("has not been executed to its end; one#1 exited in it\n" in r.err, "why", r)


def test_after_a_thread_exit(t):
    script = 'local exited = SimpleGate "exited"\nat("one;pthread_exit", { after = true }):open(exited)\nat "two;printf":wait(exited)\n'
    r = t.verdict(t.run_gated(compile_text("exits.c", EXITS), script), 122)
    t.check("; one#1 exited in it; this line was not executed to its end\n" in r.err, "why", r)


# ---- a gate that opens before the statement

OPENED_EARLY = r"""
#include <pthread.h>
#include <stdio.h>
static int dish, served;
static void set_dish(int new)
{
	dish = new;
}
static void *cook(void *arg)
{
	set_dish(7);
	return arg;
}
static void *serve(void *arg)
{
	served = dish;
	return arg;
}
int main(void)
{
	pthread_t c, s;

	pthread_create(&c, NULL, cook, NULL);
	pthread_create(&s, NULL, serve, NULL);
	pthread_join(c, NULL);
	pthread_join(s, NULL);
	return served != 7;
}
"""


@params("before", "after")
def test_gate_opens_before(t, when):
    """The place that opened a gate before its statement is named if the outcome is not the expected one."""
    after = ", { after = true }" if when == "after" else ""
    wanted = ("run with -v to see every arrival, or without the script to see the program alone" if after else
              'at("cook;set_dish", { after = true }), if that is to have been executed when the gate opens; now the gate opens before')
    script = ('local g, eaten = SimpleGate "g", SimpleGate "eaten"\nat("cook;set_dish"%s):open(g)\nat "set_dish;dish =":wait(eaten)\n'
              'at "serve;served =":wait(g)\non("thread-exit", { thread = "serve#1" }):open(eaten)\nexpect { exit = 0 }\n')
    if after:  # cook does not wait: the order is as wanted, and the expectation is another one
        script = 'local g = SimpleGate "g"\nat("cook;set_dish"%s):open(g)\nat "serve;served =":wait(g)\nexpect { exit = 2 }\n'
    r = t.gate("run", "-g", t.file("x.lua", script % after), compile_text("early.c", OPENED_EARLY, "-g -O0 -pthread"))
    t.equal(r.status, 119, "status", r)
    try_line(t, r, wanted)


# ---- check --fix without a lock file

def test_fix_of_a_lost_text(t):
    """The advice is one that can be followed."""
    script = t.file("lost.lua", 'at "writer;value = 8":log "x"\nexpect { exit = 1 }\n')
    r = t.error(t.gate("run", "--fixed", "-g", script, ordered()))
    try_line(t, r, "write the line's text as it is now into the script; or make a new script by `gatectl explore`")
    r = t.gate("check", "--fix", "-g", script, ordered())
    t.equal(r.status, 125, "status", r)
    try_line(t, r, f"correct the locations in the script, then gatectl check --lock -g {script} {ordered()}")


# ---- an output that is not the expected one

@params("short", "empty", "long")
def test_output_that_is_not_expected(t, how):
    text, was = {"short": ("2 coins", '; it is "2 coins\\n"'), "empty": ("", ": it is empty"),
                 "long": ("x" * 300, '; it begins with "%s"' % ("x" * 200))}[how]
    wanted = "3 coins"
    program = compile_text("says.c", '#include <stdio.h>\nint main(int argc, char **argv)\n{\n\tif (*argv[1])\n'
                                     '\t\tputs(argv[1]);\n\treturn argc - 2;\n}\n')
    r = t.gate("run", "-g", t.file("x.lua", 'expect { stdout = "%s" }\n' % wanted), program, text)
    t.equal(r.first, 'gatectl: not-as-expected: standard output does not have "%s"%s' % (wanted, was), "first line", r)


def test_which_script_tells_the_story(t):
    """The verdict of a regression test names the script and the program."""
    script, program = t.file("back.lua", "-- The story.\nexpect { exit = 1 }\n"), compile_text("one.c", "int main(void)\n{\n\treturn 1;\n}\n")
    r = t.gate("run", "--fixed", "-g", script, program)
    t.equal(r.status, 116, "status", r)
    try_line(t, r, f"the comment at the head of {script}, which tells the story; `gatectl repl -g {script} {program}` goes through it step by step")


TWO_FAILURES = r"""
#include <pthread.h>
static volatile int first;
static void *set(void *n)
{
	if (!first)
		first = *(int *)n;
	return n;
}
int main(void)
{
	pthread_t t[2];
	int one = 1, two = 2;

	pthread_create(&t[0], NULL, set, &one);
	pthread_create(&t[1], NULL, set, &two);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return first;
}
"""


def test_no_script_was_asked_for(t):
    r = t.gate("explore", "-j1", "-n", "50", "--verify", "0", "--all", "-o", t.path("found"), compile_text("two.c", TWO_FAILURES))
    t.equal(r.status, 116, "status", r)
    t.check("gatectl: found: 2 failures in " in r.err and "exit status " in r.err, "two failures", r)
    t.check("no script of gates" not in r.err, "no script was asked for", r)


@params("-n 50", "--runs=50")
def test_numbers_after_the_program(t, words):
    program = compile_text("two.c", TWO_FAILURES)
    for before in ([], ["--"]):
        r = t.gate("explore", "-j1", "--verify", "0", "-o", t.path("found"), *before, program, *shlex.split(words))
        t.equal(r.status, 116, "status", r)
        t.equal(r.err.startswith("gatectl: note: %s after %s is an argument of the program: write gatectl explore %s %s if "
                                 % (words, program, words, program)), not before, "note", r)


@params("--size 50", "-n many")
def test_options_that_are_the_programs(t, words):
    program = compile_text("two.c", TWO_FAILURES)
    t.check("note: " not in t.gate("explore", "-j1", "--verify", "0", "-o", t.path("found"), program, *shlex.split(words)).err, "note")


def test_report_of_a_failure_has_its_steps(t):
    r = t.gate("explore", "-j1", "--verify", "0", "-o", t.path("found"), compile_text("two.c", TWO_FAILURES))
    t.equal(r.status, 116, "status", r)
    with open(t.path("found/1/schedule")) as f:
        steps = [words.split()[1:3] for words in f if words.split() and words.split()[0].isdigit()]
    with open(t.path("found/1/report.json")) as f:
        events = [(e["thread"], e["text"], e["line"]) for e in json.load(f)["events"] if e["what"] == "step"]
    t.equal([thread for thread, *_ in events], [thread for thread, op in steps if op not in ("start", "end")], "threads of the steps", r)
    line = 1 + TWO_FAILURES.split("\n").index("\tpthread_join(t[0], NULL);")
    t.check(("main", "pthread_join") in [(thread, text) for thread, text, at in events if at in (line, line + 1)], "a join: %s" % events, r)
    with open(t.path("found/1/report.html")) as f:
        t.check('"pthread_join"' in f.read(), "the page has them", r)
