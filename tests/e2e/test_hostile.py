"""What gatectl must bear: nobody reads, nothing can be written, signals when it is busy."""

import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import time

from harness import Process, Skip, compile_text, end_processes, params, wait_until

LOOP = """
#include <unistd.h>
static volatile int n;
static void step(int i)
{
	n += i; /* gate: step */
}
int main(int argc, char **argv)
{
	for (int i = 0; argc > 1 ? i < 3 : 1; i++)
		step(i);
	return 0;
}
"""


def loop():
    return compile_text("loop.c", LOOP)


# ---- what cannot be written ------------------------------------------------------------------------

QUERIES = [("lines", "PROG", "step"), ("check", "-g", "SCRIPT", "PROG"), ("prove", "--runs", "2", "-g", "SCRIPT", "PROG", "x"),
           ("--help",), ("--version",)]


@params(*[q[0] for q in QUERIES])
def test_standard_output_cannot_be_written(t, name):
    """Full, closed, or without a reader: one line says so."""
    script = t.file("s.lua", 'at("//step", {hit = 1}):open(SimpleGate "g")\n')
    command = [{"PROG": loop(), "SCRIPT": script}.get(w, w) for w in next(q for q in QUERIES if q[0] == name)]
    full = os.open("/dev/full", os.O_WRONLY)
    reader, broken = os.pipe()
    os.close(reader)
    for what in (lambda: os.dup2(full, 1), lambda: os.close(1), lambda: os.dup2(broken, 1)):
        t.error(t.gate(*command, preexec=what), 125, "standard output cannot be written: ")
    os.close(full)
    os.close(broken)


@params("threads", "= 1", "run")
def test_repl_cannot_write(t, commands):
    """What the commands answer cannot be written: the first of them ends it, whatever the program's status is."""
    full = os.open("/dev/full", os.O_WRONLY)
    reader, broken = os.pipe()
    os.close(reader)
    for what in (lambda: os.dup2(full, 1), lambda: os.close(1), lambda: os.dup2(broken, 1)):
        r = t.gate("repl", loop(), "x", stdin=(commands + "\n").encode(), preexec=what)
        t.error(r, 125, "standard output cannot be written: ")
    os.close(full)
    os.close(broken)


def test_closed_descriptors(t):
    """No file of gatectl's becomes the standard error that is closed, and the program finds it closed, as bare."""
    program = compile_text("closed.c", """
#include <errno.h>
#include <unistd.h>
int main(void)
{
	int bits = 0;
	for (int fd = 0; fd < 3; fd++)
		bits |= (write(fd, "", 0) < 0 && errno == EBADF && read(fd, &bits, 0) < 0) << fd;
	return bits;
}
""")

    def close():
        for fd in range(3):
            os.close(fd)
    script = t.file("s.lua", 'at("main"):log("said")\nat("main"):run(function() print "said" end)\n')
    report = t.path("r.json")
    bare = t.run_bare(program, preexec=close)
    r = t.gate("run", "-v", "--report", report, "-g", script, program, preexec=close)
    t.equal((bare.status, r.status), (7, 7), "closed descriptors")
    with open(report) as f:
        t.check(f.read().startswith("{"), "nothing was written over the report")


def test_report_is_whole_or_not_there(t):
    """Where it cannot be written to its end there is the one of before, or none, and nothing beside it."""
    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    os.mkdir(t.path("out"))
    for ending in ("json", "xml", "html", "trace.json"):
        path = t.path("out/r." + ending)
        script = t.file("s.lua", "".join('at("//step"):event("event_%d")\n' % i for i in range(200)))
        command = ("run", "--report", path, "-g", script, loop(), "x")
        limited = t.gate(*command, preexec=small)
        if ending == "xml":  # has nothing to say of events
            continue
        t.error(limited, 125, "cannot be written: File too large")
        t.check(not os.path.exists(path), "a part of it is there", limited)
        t.clean(t.gate(*command))
        size = os.path.getsize(path)
        t.gate(*command, preexec=small)
        t.equal(os.path.getsize(path), size, "size of the one of before")
    t.equal(sorted(os.listdir(t.path("out"))), ["r.html", "r.json", "r.trace.json", "r.xml"], "files")


# ---- signals ---------------------------------------------------------------------------------------

@params("INT", "TERM", "HUP")
def test_signal_while_no_process_reads(t, name):
    """gatectl is in the middle of a write that never ends: the signal ends it and the program."""
    number = int(getattr(signal, "SIG" + name))
    script = t.file("s.lua", 'at("//step"):log(("x"):rep(1000))\n')
    p = Process([t.gatectl, "run", "-g", script, loop()], stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=t.env)

    def blocked():
        with open("/proc/%d/wchan" % p.pid) as f:
            return "pipe" in f.read()
    wait_until(blocked, "standard error is full")
    os.kill(p.pid, number)
    begin = time.monotonic()
    try:
        p.wait(timeout=60)
    except subprocess.TimeoutExpired:
        end_processes(t.marker)
        p.wait()
    t.equal(end_processes(t.marker), [], "left alive")
    p.stderr.close()
    t.equal(p.returncode, 128 + number, "status, %.1f s behind the signal" % (time.monotonic() - begin))


# ---- a program that turns round ----------------------------------------------------------------------

TRACES_US = """
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int seize = strcmp(argv[1], "seize") == 0;
	pid_t up = getppid();
	if (ptrace(seize ? PTRACE_SEIZE : PTRACE_ATTACH, up, 0, 0) < 0)
		return 77;
	if (seize)
		ptrace(PTRACE_INTERRUPT, up, 0, 0);
	raise(SIGUSR2); /* we stop at our tracer, who has stopped at us */
	for (;;)
		pause();
}
"""


@params("attach", "seize")
def test_program_traces_gatectl(t, how):
    """gatectl does not stand still with it: it is killed, and that is said."""
    program = compile_text("traces_us.c", TRACES_US)
    r = t.gate("run", "--order", "main -> exit", program, how, seconds=60)
    if r.status == 77:
        raise Skip("ptrace of gatectl is refused here")
    t.error(r, 125, "traced gatectl itself")


# ---- where it writes ---------------------------------------------------------------------------------

def test_link_of_another_user(t):
    """What is found does not go where another user wants; one's own link to a directory is one's own affair."""
    os.mkdir(t.path("real"))
    for name in ("own", "theirs"):
        os.symlink(t.path("real"), t.path(name))
    search = ("explore", "--runs", "2", "-o")
    t.equal(t.gate(*search, t.path("own"), "--", loop(), "x").status, 0, "one's own")
    if os.geteuid():
        raise Skip("only root can give a link to another user")
    os.lchown(t.path("theirs"), 65534, 65534)
    for command in (search, ("harness", "--object", "struct x", "-o")):
        t.error(t.gate(*command, t.path("theirs") + "/", "--", loop()), 125, "theirs/ is a symbolic link of another user")
    t.equal(os.listdir(t.path("real")), [], "nothing is there")


def test_journal_is_a_link(t):
    """A link in its place is not followed: nothing is written behind it."""
    os.mkdir(t.path("found"))
    os.symlink(t.file("victim", ""), t.path("found/search"))
    r = t.gate("explore", "--runs", "2", "-o", t.path("found"), "--", loop(), "x")
    t.check(r.status == 0 and "found/search: it is a symbolic link" in r.err, "it says so", r)
    t.equal(os.path.getsize(t.path("victim")), 0, "what is behind it")


# ---- what is shown -------------------------------------------------------------------------------------

def test_control_characters_are_shown(t):
    """Of names and of what the script writes; a newline in one does not make a line."""
    shown = r"a\n\x1b[31mb"
    r = t.run_gated(loop(), args=["x"], script='at("no\\27[31m\\nsuch"):open(SimpleGate "g")\n')
    t.error(r, 125, r"no\\x1b\[31m\\nsuch: no function")
    r = t.run_gated(loop(), args=["x"], options=["-v"], script="""
local g = SimpleGate "a\\n\\27[31mb"
at("step"):log("one\\ntwo\\27]0;"):wait(g)
limits { gate = 0.2 }
""")
    t.verdict(r, 122)
    t.check("held at gate " + shown in r.err and "\x1b" not in r.err, "the gate is shown", r)
    t.equal(r.err.count(r"one\ntwo\x1b]0;"), 3, "the log is shown: its event, its line, the last events")
    r = t.gate("lines", loop(), "st\nep", "\x1b[31mstep")
    t.check(r"st\nep: no function st\nep" in r.err and r"\x1b[31mstep" in r.err and "\x1b" not in r.err, "locations are shown", r)


def test_names_of_files_are_shown(t):
    """A newline in one does not make a line: of the script in prove's heading, of the program in what is wrong with a location."""
    program, script = t.path("two\nlines"), t.file("a\n\x1b[31mb.lua", 'at("step"):open(SimpleGate "g")\nexpect { exit = 0 }\n')
    shutil.copy(loop(), program)
    r = t.gate("run", "--order", "none -> step", program)
    t.error(r, 125, r"--order: none: no function none in two\\nlines or the libraries it starts with$")
    t.equal(r.err.count("\n"), 2, "the error, and what to try", r)
    r = t.gate("prove", "--runs", "2", "-g", script, program, "x")
    t.equal(r.stdout.splitlines()[0], "%s with %s: 2 runs each; expected: exit status 0" % (
        script.replace("\n", r"\n").replace("\x1b", r"\x1b"), program.replace("\n", r"\n")), "the heading", r)


def test_lines_are_cut(t):
    r = t.run_gated(loop(), args=["x"], script='at("step"):log(("x"):rep(8000))\n')
    lines = r.err.split("\n")
    t.clean(r)
    t.check(max(len(l) for l in lines) <= 2000 and sum("bytes are not shown)" in l for l in lines) == 3, "cut, with a mark", r)
    r = t.run_gated(loop(), args=["x"], script='error(("\xc3\xa4"):rep(5000))\n')
    t.check(all(len(l.encode()) <= 2000 for l in r.err.split("\n")) and "\ufffd" not in r.err, "not inside of a character", r)


# ---- what cannot be had ----------------------------------------------------------------------------


@params("run", "repeat")
def test_no_clock(t, how):
    """Timers count as pending signals: without any there are no limits, and that is an error."""
    options = ["--repeat", "2"] if how == "repeat" else []
    r = t.gate("run", *options, "--time-limit", "1", "--", "/bin/true", preexec=lambda: resource.setrlimit(resource.RLIMIT_SIGPENDING, (0, 0)))
    t.error(r, 125, "timer_create: ")
    t.check("try: each timer counts as a pending signal: raise `ulimit -i`" in r.err, "what to do", r)


def without_names(path):
    """A copy in which the names of .dynstr are said to take no room in the file."""
    with open(path, "rb") as f:
        elf = bytearray(f.read())
    table, = struct.unpack_from("<Q", elf, 0x28)
    size, count = struct.unpack_from("<HH", elf, 0x3a)
    for at in range(table, table + size * count, size):
        kind, flags = struct.unpack_from("<IQ", elf, at + 4)
        if kind == 3 and flags & 2:
            struct.pack_into("<I", elf, at + 4, 8)
    with open(path + "-without", "wb") as f:
        f.write(elf)
    os.chmod(path + "-without", 0o755)
    return path + "-without"


@params("run", "explore", "races")
def test_no_names(t, command):
    """A damaged table of sections: the program runs without, and here it does, too."""
    program = without_names(shutil.copy(compile_text("loop.c", LOOP), t.path("prog")))
    options = {"run": ("--order", "step -> main%return"), "explore": ("--runs", "3", "-o", t.path("found")), "races": ("--runs", "3")}[command]
    t.equal(t.gate(command, *options, "--", program, "x").status, 0, "status")


# ---- too little memory ---------------------------------------------------------------------------------

def with_memory(t, most, *args):
    return t.gate(*args, preexec=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)))


def test_no_memory_for_libclang(t):
    """It is installed, and cannot be mapped."""
    source = t.file("a.c", "struct s { int x; };\nint f(struct s *s) { return s->x; }\n")
    r = t.gate("audit", source)
    if "san" in t.gatectl.split("/") or "not installed" in r.err:  # a sanitizer needs terabytes
        return
    t.error(with_memory(t, 60 << 20, "audit", source), 125, "libclang, which cannot be loaded: .*: failed to map")


def test_no_memory(t):
    """Whatever does not fit: how much it was, or whose it was."""
    if "san" in t.gatectl.split("/"):
        return
    program = compile_text("loop_threads.c", LOOP, flags="-g -pthread")
    for most in range(8 << 20, 16 << 20, 1 << 20):
        r = with_memory(t, most, "run", "-g", t.file("s.lua", 'at("step", { optional = true }):log "x"\n'), "--", program, "x")
        if r.status == 125:
            t.check(re.search("out of memory|cannot allocate memory|Cannot allocate memory", r.err), "with %d" % most, r)


def test_schedule_that_is_cut(t):
    """Sanitized: what was read of it by then is given back."""
    bad = t.file("bad", "# gatectl schedule 1\n# program: ./x\nseed: 1\nsteps: 2\n\n1 main st")
    for command in ("repl", "replay"):
        r = t.gate(command, *(["--replay"] if command == "repl" else []), bad, "--", loop(), "x", stdin=b"quit\n")
        t.equal((r.status, "Sanitizer" in r.err), (125, False), command, r)
