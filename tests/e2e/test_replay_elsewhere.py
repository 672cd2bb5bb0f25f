"""gatectl replay where addresses, directory, user and environment are others than when the schedule was recorded."""

import os
import pty
import re
import shutil
import subprocess

from harness import ROOT, compile_text, params

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


def elsewhere(t, *inside, **kw):
    """These commands of the shell, in a mount namespace of their own."""
    return t.run(["unshare", "-r", "-m", "sh", "-c", " && ".join(inside)], **kw)


def test_another_user(t):
    """Of another user, who may read what is needed, or of a root who is none."""
    schedule, folder = recorded(t, program=compile_text("prints.c", PRINTS)), t.path("shared")
    shutil.copytree(os.path.dirname(schedule), folder)
    for source, name in ((t.gatectl, "gatectl"), (compile_text("prints.c", PRINTS), "prints")):
        shutil.copy(source, os.path.join(folder, name))
    for path in (t.tmp, folder):
        os.chmod(path, 0o755)
    become = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.getuid() == 0 else ["unshare", "-r"]
    r = t.run([*become, folder + "/gatectl", "replay", folder + "/schedule", folder + "/prints"], cwd="/")
    t.equal(r.status, 134, "status", r)


def test_namespaces(t):
    """With process ids, a host name and a network of its own, as in a container."""
    schedule = recorded(t)
    r = t.run(["unshare", "-r", "-p", "-f", "-n", "-i", "-u", "-m", "--mount-proc", t.gatectl, "replay", schedule])
    t.equal(r.status, 134, "status", r)


def test_no_symbols(t):
    """libc's debug symbols are in a file of their own, which is not there."""
    schedule = recorded(t)
    if os.path.isdir("/usr/lib/debug"):
        r = elsewhere(t, "mount -t tmpfs none /usr/lib/debug", "exec %s replay %s" % (t.gatectl, schedule))
        t.equal(r.status, 134, "status", r)


def test_at_once(t):
    """Recorded by one of 16 workers, replayed while others are."""
    r = test_explore.explore(t, "-j", "16", "--points", "memory", compile_text("prints.c", PRINTS))
    t.equal(r.status, 116, "status of the search", r)
    command = [t.gatectl, "replay", os.path.join(r.found, "1", "schedule")]
    all_at_once = [subprocess.Popen(command, env=t.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(6)]
    t.equal([p.wait() for p in all_at_once], [134] * 6, "status of each")


def test_clean_system(t):
    """Nothing is there but gatectl with its libraries, a static program, /proc and /dev."""
    program = compile_text("prints.c", PRINTS, flags="-g -O0 -static")
    schedule, root = recorded(t, program=program), t.path("root")
    for folder in ("lib", "proc", "dev", "tmp"):
        os.makedirs(os.path.join(root, folder))
    needed = re.findall(r"(/\S+) \(0x", t.run(["ldd", t.gatectl]).stdout)
    for path in (t.gatectl, program, schedule, *needed):
        shutil.copy(path, os.path.join(root, "lib"))
    loader = next(os.path.basename(path) for path in needed if "ld-linux" in path)
    gatectl = f"chroot {root} /lib/{loader} --library-path /lib /lib/gatectl"
    r = elsewhere(t, f"mount --rbind /proc {root}/proc", f"mount --rbind /dev {root}/dev", f"exec {gatectl} replay /lib/schedule /lib/prints")
    t.equal(r.status, 134, "status", r)


# ld.so reads other files, in the program and in the child.
SPAWNS = PRINTS.replace("#include <stdlib.h>", "#include <stdlib.h>\n#include <dlfcn.h>\n#include <spawn.h>\n#include <sys/wait.h>\nextern char **environ;").replace(
    "int main(void)\n{", """int main(int argc, char **argv)
{
	char *child[] = {"child", "x", 0};
	pid_t pid;
	if (argc > 1)
		return 0;
	dlopen("libm.so.6", RTLD_NOW);
	if (argv[0] && posix_spawn(&pid, "/proc/self/exe", 0, 0, child, environ) == 0)
		waitpid(pid, 0, 0);""")


def test_loading(t):
    """Which files ld.so opens on its way is no part of a schedule."""
    schedule = recorded(t, program=compile_text("spawns.c", SPAWNS))
    t.env["LD_LIBRARY_PATH"] = "/nowhere:/lib/x86_64-linux-gnu"
    r = t.gate("replay", schedule)
    t.equal(r.status, 134, "status", r)


# ---- standard streams ------------------------------------------------------------------------------------

def told(t, r, steps=None):
    """How many steps agree is told, and all do."""
    line = re.search(r"^replayed: (.*) \((\d+) of (\d+) steps agree\)\r?$", r.err or r.stdout, re.M)
    t.check(line and line.group(2) == line.group(3), "all steps agree", r)
    return line.group(1)


def at(t, where, *command):
    """Runs it with this standard output; what has come there is .shown."""
    if where == "terminal":
        r = t.run(list(command), pty=True)
        r.shown = r.stdout.replace("\r\n", "\n")
        return r
    redirect = {"pipe": "| cat >{}", "file": ">{}", "/dev/null": ">/dev/null", "closed": ">&-"}[where].format(t.path("shown"))
    r = t.run(["bash", "-c", 'set -o pipefail; "$@" ' + redirect, "bash", *command])
    r.shown = ""
    if where in ("pipe", "file"):
        with open(t.path("shown")) as f:
            r.shown = f.read()
    return r


@params("tty", "pipe", "file")
def test_stdout(t, kind):
    """The program gets the kind that was recorded, wherever the output goes; and all output comes there."""
    schedule = recorded(t, ["--stdout=" + kind])
    with open(schedule) as f:
        t.check("\nstdout: %s\n" % kind in f.read(), "the kind in the schedule")
    with open(os.path.join(os.path.dirname(schedule), "stdout")) as f:
        wrote = f.read()
    t.equal(wrote != "", kind == "tty", "stdio wrote each line at once: %r" % wrote)
    for where in ("terminal", "pipe", "file", "/dev/null", "closed"):
        r = at(t, where, t.gatectl, "replay", schedule)
        t.equal(r.status, 134, "status at " + where, r)
        if where in ("terminal", "pipe", "file"):
            t.equal(r.shown, wrote, "what it wrote", r)


def test_own_stdout(t):
    """By default the kind is that of gatectl's own output."""
    for where, kind in (("terminal", "tty"), ("pipe", "pipe"), ("file", "file"), ("/dev/null", "file"), ("closed", "closed")):
        found = t.path("found-" + kind)
        r = at(t, where, t.gatectl, "explore", "-j", "1", "--points", "memory", "-o", found, compile_text("prints.c", PRINTS))
        t.equal(r.status, 116, "status at " + where, r)
        with open(os.path.join(found, "1", "schedule")) as f:
            t.check("\nstdout: %s\n" % kind in f.read(), "the kind at " + where, r)
        shutil.rmtree(found)


# More than a pipe or terminal takes: before main, at once, in lines, and by two threads.
FLOOD = """#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
enum { MUCH = 200000 };
static char much[MUCH];
static int n;
static void put(int fd, int c)
{
	memset(much, c, MUCH - 1);
	much[MUCH - 1] = '\\n';
	if (write(fd, much, MUCH) != MUCH)
		_exit(9);
}
__attribute__((constructor)) static void before(void) { put(1, 'a'); }
static void *work(void *p)
{
	int seen = n;
	for (int i = 0; i < 20; i++)
		dprintf(1 + i % 2, "%d\\n", i);
	n = seen + 1;
	return p;
}
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, work, 0);
	pthread_create(&u, 0, work, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	put(1, 'z');
	put(2, 'y');
	if (n != 2)
		abort();
	return 0;
}
"""


@params("tty", "pipe")
def test_much_output(t, kind):
    schedule = recorded(t, ["--stdout=" + kind], program=compile_text("flood.c", FLOOD))
    with open(os.path.join(os.path.dirname(schedule), "stdout")) as f:
        wrote = f.read()
    t.equal((wrote[:200000], wrote[-200000:]), ("a" * 199999 + "\n", "z" * 199999 + "\n"), "what was kept")
    r = at(t, "pipe", t.gatectl, "replay", "--repeat", "3", schedule)
    t.equal((r.status, r.shown == 3 * wrote), (134, True), "what is replayed", r)
    t.check("gatectl: 3 of 3 runs agreed\n" in r.err, "they agree", r)


def test_order_of_streams(t):
    """Both streams come in the order in which they were written."""
    text = PRINTS.replace('printf("saw %d\\n", seen);', 'dprintf(1, "out\\n");\n\tdprintf(2, "err\\n");')
    schedule = recorded(t, ["--stdout=tty"], program=compile_text("both.c", text))
    for redirect in ("2>&1", "2>&1 | cat"):
        r = t.run(["bash", "-c", '"$@" ' + redirect, "bash", t.gatectl, "replay", schedule], pty=True)
        with open(schedule) as f:
            order = [line for line in f.read().splitlines() if re.search(r" block .*\(add, dprintf\)", line)]
        lines = {"both.c:9": "out", "both.c:10": "err"}
        wrote = [lines[re.search(r"both\.c:\d+", line).group()] for line in order]
        t.equal([line for line in r.stdout.split() if line in ("out", "err")], wrote, "the order", r)


# Fails at a terminal alone.
ASKS = PRINTS.replace("#include <stdlib.h>", "#include <stdlib.h>\n#include <unistd.h>").replace("if (on_stack.money != 2)", "if (on_stack.money != 2 && isatty(1))")


def test_script_gets_the_kind(t):
    """A script is verified with the kind of the schedule that it forces."""
    r = test_explore.explore(t, "-j", "1", "--points", "memory", "--stdout=tty", "--verify", "5", compile_text("asks.c", ASKS))
    t.equal(r.status, 116, "status", r)
    t.check(re.search(r"the script has forced it in (\d+) of \1 runs", r.err), "verified", r)
    r = test_explore.explore(t, "-j", "1", "--points", "memory", "--stdout=pipe", "--runs", "100", compile_text("asks.c", ASKS))
    t.equal(r.status, 0, "status in a pipe", r)


def test_repl(t):
    """In the REPL, too: what the program has written by a step is there when it rests."""
    schedule = recorded(t, ["--stdout=tty"])
    with open(schedule) as f:
        step = int(re.search(r"^ *(\d+) +add#\d +block .*printf", f.read(), re.M).group(1))
    r = t.gate("repl", "--replay", schedule, stdin=("step %d\nrun\n" % (step + 1)).encode())
    t.equal(r.status, 134, "status", r)
    t.check(re.match(r"saw 0\nstep \d+ of \d+: ", r.stdout), "what was written by then", r)


@params("stdin", "stdout")
def test_closed(t, which):
    """A stream that was closed is so again."""
    program = compile_text("prints.c", PRINTS)
    shut = {"stdin": "<&-", "stdout": ">&-"}[which]
    r = t.run(["bash", "-c", '"$@" ' + shut, "bash", t.gatectl, "explore", "-j", "1", "--points", "memory", "-o", t.path("found"), program])
    t.equal(r.status, 116, "status", r)
    schedule = t.path("found/1/schedule")
    with open(schedule) as f:
        t.check("\n%s: closed\n" % which in f.read(), "the kind", r)
    told(t, replays(t, schedule))


def test_input_is_missing(t):
    """A schedule whose program read a file, and gets none."""
    text = PRINTS.replace("int main(void)\n{", "int main(void)\n{\n\tif (getchar() != 'x')\n\t\treturn 0;")
    program, given = compile_text("reads.c", text), t.file("given", "x")
    r = t.run(["bash", "-c", '"${@:2}" <"$1"', "bash", given, t.gatectl, "explore", "-j", "1", "--points", "memory", "-o", t.path("found"), program])
    t.equal(r.status, 116, "status", r)
    r = t.run(["bash", "-c", '"${@:2}" <"$1"', "bash", given, t.gatectl, "replay", t.path("found/1/schedule")])
    t.equal(r.status, 134, "with the file", r)
    r = t.gate("replay", t.path("found/1/schedule"))
    t.equal(r.status, 117, "without", r)
    t.check("try: the schedule was recorded with a file as standard input" in r.err, "what to do", r)


WAITS = """#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *work(void *x) { return x; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, work, 0);
	pthread_join(t, 0);
	puts("waits");
	return pause();
}
"""


def test_children_of_two_waiters(t):
    """Of two threads that wait for any child the steps say which one gets it, and not the kernel."""
    with open(os.path.join(ROOT, "tests", "explore", "replay", "waits.c")) as f:
        program = compile_text("waits.c", f.read(), "-g -O1")
    r = test_explore.explore(t, "-j", "1", "--runs", "1", "--strategy", "random", "--points", "memory", program)
    t.equal(r.status, 116, "status of the search", r)
    with open(os.path.join(r.found, "1", "schedule")) as f:
        recorded = int(re.search(r"(?m)^status: (\d+)", f.read())[1])
    for _ in range(4):
        again = t.gate("replay", os.path.join(r.found, "1", "schedule"))
        t.equal(again.status, recorded, "status of a replay", again)


# The first of two waits, or the second one, gets a signal; and then a child ends.
SIGNALLED = """
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static int reaped;
static void handler(int number) { (void)number; }
static void *reap(void *p)
{
	int status;
	__atomic_add_fetch(&reaped, wait(&status) > 0, 5);
	return p;
}
int main(int argc, char **argv)
{
	const struct sigaction action = {.sa_handler = handler};
	pthread_t t[2];
	int ends[2];
	char byte;
	sigaction(SIGUSR1, &action, 0);
	if (pipe(ends) < 0)
		return 2;
	if (fork() == 0)
		_exit((int)read(ends[0], &byte, 1));
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, reap, 0);
	usleep(1000000);
	if (argc > 1) {
		pthread_kill(t[argv[1][0] == '2'], SIGUSR1);
		usleep(1000000);
		write(ends[1], "x", 1);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return reaped != 1;
}
"""


def test_two_waiters_wait(t):
    """A signal ends the wait of one thread, and the other has the child; without a child that ends both wait."""
    program = compile_text("signalled.c", SIGNALLED)
    for which in ("1", "2"):
        r = test_explore.explore(t, "-j", "1", "--runs", "60", program, which)
        t.equal(r.status, 0, "status, signal for %s" % which, r)
    r = test_explore.explore(t, "-j", "1", "--runs", "5", program)
    t.equal(r.status, 116, "status of a deadlock", r)
    for name in ("reap#1", "reap#2"):
        t.check(name + " waits for a child process (p1/main), in reap at signalled.c:" in r.err, "what it waits for", r)


def test_ended_at_terminal(t):
    """Ctrl-C at the terminal ends a replay whose program has a terminal of its own; what it wrote is there."""
    r = test_explore.explore(t, "-j", "1", "--hang", "1", "--stdout=tty", compile_text("waits.c", WAITS))
    t.equal(r.status, 116, "status of the search", r)
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(t.gatectl, [t.gatectl, "replay", os.path.join(r.found, "1", "schedule")], t.env)
    shown = b""
    while b"waits" not in shown:
        shown += os.read(terminal, 4096)
    os.write(terminal, b"\x03")
    t.equal(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 130, "status")
    os.close(terminal)


# ---- what is told ------------------------------------------------------------------------------------------

def test_told(t):
    """Which command runs, and how many steps agree; with another outcome, what was recorded."""
    schedule = recorded(t)
    r = replays(t, schedule)
    t.equal(told(t, r), compile_text("prints.c", PRINTS), "the command", r)
    t.check("replayed:" not in t.gate("replay", "-q", schedule).err, "not with -q")
    with open(schedule) as f:
        other = t.file("other", re.sub(r"(?m)^status: 134$", "status: 139", f.read()))
    r = t.gate("replay", other)
    t.check("steps agree); recorded was SIGABRT" in r.err, "the outcome is another one", r)


def test_other_library(t):
    """A library that is another file is named, with both build-ids."""
    lib = "int one(int x) { %s return x + 1; }\n"
    text = "int one(int);\n" + PRINTS.replace("on_stack.money != 2", "on_stack.money != one(1)").replace("a->money = seen + 1", "a->money = one(seen)")
    here = t.path("lib")
    os.mkdir(here)
    def build(change):
        with open(t.path("one.c"), "w") as f:
            f.write(lib % change)
        t.run(["gcc", "-g", "-shared", "-fPIC", "-o", here + "/libone.so", t.path("one.c")])
        notes = t.run(["readelf", "-n", here + "/libone.so"]).stdout
        return re.search(r"Build ID: (\w+)", notes).group(1)
    was = build("")
    with open(t.path("uses.c"), "w") as f:
        f.write(text)
    t.run(["gcc", "-g", "-pthread", "-o", t.path("uses"), t.path("uses.c"), "-L" + here, "-lone", "-Wl,-rpath," + here])
    schedule = recorded(t, program=t.path("uses"))
    now = build('extern int printf(const char *, ...); extern int fflush(void *); printf("x"); fflush(0);')
    r = t.gate("replay", schedule)
    t.equal(r.status, 117, "status", r)
    t.check("try: libone.so is not the file" in r.err and was in r.err and now in r.err, "both build-ids", r)
