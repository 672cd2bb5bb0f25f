"""Foreign text in what gatectl writes: names of files that would end a comment, a string, an element or a line.

Each writer has random bytes in tests/fuzz/writers.py; here is that the commands use them.
"""

import glob
import re
import shutil

from harness import compile_text

# Lua begins a line behind a carriage return, and a terminal clears itself at the escape.
NAME = 'a\rerror("injected")--\x1b[2J*<b>'
DEADLOCK = """
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *a)
{
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&n);
	pthread_mutex_unlock(&n);
	pthread_mutex_unlock(&m);
	return a;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, work, 0);
	pthread_mutex_lock(&n);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&n);
	pthread_join(t, 0);
	return 0;
}
"""
SLEEPS = """
#include <pthread.h>
#include <unistd.h>
static int value;
static void *work(void *a)
{
	value = 42;
	return a;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, work, 0);
	usleep(20000);
	int seen = value;
	pthread_join(t, 0);
	return seen != 42;
}
"""


def odd_program(t, text):
    """A program whose source file and own file are called so."""
    program = t.path(NAME)
    shutil.copy(compile_text(NAME + ".c", text, flags="-g -O0 -pthread"), program)
    return program


def check_file(t, path, kept="\n\t"):
    with open(path, newline="") as f:
        text = f.read()
    t.check(not re.search("[\x00-\x1f\x7f]", re.sub("[%s]" % kept, "", text)), "%s has no control characters: %r" % (path, text[:300]))


def test_explore(t):
    program, found = odd_program(t, DEADLOCK), t.path("found")
    r = t.gate("explore", "--points", "sync", "-j", "1", "-o", found, "--report", t.path("r.html"), "--report", t.path("r.json"), "--report", t.path("r.xml"),
               "--verify", "5", "--", program)
    t.equal(r.status, 116, "status", r)
    t.check("\x1b" not in r.err + r.stdout and "\r" not in r.err, "what it says", r)
    for path in glob.glob(found + "/1/*") + [t.path("r.html"), t.path("r.json"), t.path("r.xml")]:
        check_file(t, path)
    r = t.gate("run", "-g", found + "/1/gates.lua", "--", program)
    t.equal((r.status, r.err), (0, ""), "the script is what it was", r)


def test_convert(t):
    program, script = odd_program(t, SLEEPS), t.path("converted.lua")
    r = t.gate("convert", "--for", "0", "-n", "2", "-o", script, "--", program, "an\rargument")
    t.equal(r.status, 0, "status", r)
    t.check("\x1b" not in r.err + r.stdout and "\r" not in r.err + r.stdout, "what it says", r)
    check_file(t, script)
    t.equal(t.gate("check", "-g", script, program).status, 0, "check of the script", r)


def test_saved(t):
    """Of the REPL: the program's name, that of a script, what was typed by hand."""
    program, script, saved = odd_program(t, DEADLOCK), t.file(NAME + ".lua", 'at("main"):log "here"\n'), t.path("saved.lua")
    r = t.gate("repl", "-g", script, "--", program, stdin=("run\nlist main\nsave %s\nquit\n" % saved).encode())
    t.check("\x1b" not in r.err + r.stdout and "\r" not in r.err + r.stdout, "what it says", r)
    check_file(t, saved)
    t.equal(t.gate("check", "-g", saved, program).status, 0, "check of the script", r)


def test_queries(t):
    program = odd_program(t, DEADLOCK)
    script = t.file(NAME + ".lua", 'at("work;unlock(&m"):log "here"\n')
    for r in (t.gate("lines", program, "work"), t.gate("check", "-g", script, program), t.gate("check", "--lock", "-g", script, program)):
        t.equal(r.status, 0, "status", r)
        t.check("\x1b" not in r.stdout and "\r" not in r.stdout, "what it says", r)
