"""gatectl repl: `gate LOCATION wait NAME` takes the gate that is there, however the script came to it."""

import os

from harness import compile_text, params

CODE = """
#include <stdio.h>
int main(void)
{
	int a = 1;
	a++;       /* wait */
	printf("%d\\n", a);
	return 0;
}
"""
SCRIPT = 'local b = BarrierGate("both", 2)\n'


def session(t, commands, *options, status=0):
    t.program = compile_text("repl_names.c", CODE)
    r = t.gate("repl", *options, t.program, stdin=("\n".join(commands) + "\n").encode(), seconds=40)
    t.equal(r.status, status, "status", r)
    return r


@params("-g", "source", "typed")
def test_a_gate_that_is_there(t, how):
    script = t.file("both.lua", SCRIPT)
    saved = t.path("saved.lua")
    before = {"-g": [], "source": ["source " + script], "typed": [SCRIPT.strip()]}[how]
    for name in "both", "b":
        commands = before + [f"gate repl_names.c:6 open {name}", "gates", "save " + saved]
        r = session(t, commands, *(["-g", script] if how == "-g" else []))
        t.equal(r.stdout.count("Gate) is "), 1, "gates", r)
        t.check('"repl_names.c:6":open(b)' in r.stdout, "the place", r)
        r = t.gate("run", "-g", saved, t.program)
        t.check(r.status == 0 and r.stdout == "2\n", "the saved script runs", r)
        os.remove(saved)


def test_a_name_of_another_variable(t):
    r = session(t, ['local x = SimpleGate "first"', "gate repl_names.c:6 open first", "gate repl_names.c:7 wait x", "gates"])
    t.equal(r.stdout.count("Gate) is "), 1, "gates", r)


def test_a_gate_without_variable(t):
    script = t.file("hidden.lua", 'do\n\tlocal b = SimpleGate "hidden"\n\tat "repl_names.c:7":wait(b)\nend\n')
    r = session(t, ["gate repl_names.c:6 open hidden"], "-g", script, status=125)
    t.check("gate 'hidden': no variable of the script holds it" in r.err, "said", r)


@params("print", "at", "end", "nil", "a-b", "SimpleGate")
def test_no_name(t, name):
    r = session(t, [f"gate repl_names.c:6 wait {name}"], status=125)
    t.check(f"'{name}' cannot be the name of a gate" in r.err, "said", r)
    t.check("try: letters, digits and _" in r.err, "hint", r)


def test_taken_up_again(t):
    r = session(t, ["gate repl_names.c:6 wait g", "drop 2", "drop 1", "gate repl_names.c:6 wait g", "gates", "run", "open g"])
    t.equal(r.stdout.count("g (SimpleGate) is "), 1, "gates", r)
    t.check("has exited with status 0" in r.stdout, "it ran", r)
