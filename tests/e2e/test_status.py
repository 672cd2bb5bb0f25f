"""Exit status, first line and last words of every way a run can end."""

import os
import signal
import subprocess
import time

from harness import Process, CRASHES, FIRST_WORDS, Skip, compile_text, end_processes, params
from patience import Limit

ENDS = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct rlimit none = {0, 0};
	setrlimit(RLIMIT_CORE, &none);
	int n = atoi(argv[2]);
	printf("hello\n");
	fflush(stdout); /* gate: hello */
	if (!strcmp(argv[1], "exit"))
		return n;
	if (!strcmp(argv[1], "stderr"))
		fprintf(stderr, "its own words\n");
	else
		kill(getpid(), n);
	return 0;
}
"""

HOLDS = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile int n;
static void *worker(void *arg)
{
	n++; /* gate: hold */
	return arg;
}
static void *opener(void *arg)
{
	usleep(100000);
	n++; /* gate: open */
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t, o;
	const char *how = argv[1];
	pthread_create(&t, NULL, worker, NULL);
	usleep(100000);
	if (!strcmp(how, "exit"))
		return 3;
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGTERM);
	if (!strcmp(how, "segv"))
		*(volatile char *)0 = 1;
	if (!strcmp(how, "exec"))
		execlp("sh", "sh", "-c", "exit 5", (char *)NULL);
	if (!strcmp(how, "spin"))
		for (;;)
			n++; /* gate: spin */
	if (!strcmp(how, "sleep"))
		for (;;)
			sleep(1);
	if (!strcmp(how, "open"))
		pthread_create(&o, NULL, opener, NULL);
	pthread_join(t, NULL);
	if (!strcmp(how, "open"))
		pthread_join(o, NULL);
	return 4;
}
"""

NEVER = 'local g = SimpleGate "never"\nat "//hold":wait(g)\n'


def try_line(t, r):
    lines = [l.strip() for l in r.err.splitlines() if l.strip()]
    t.check(lines and lines[-1].startswith("try:") and len(lines[-1]) > 8, "last line begins with try:", r)
    t.equal(sum(l.startswith("try:") for l in lines), 1, "try: lines", r)


def verdict(t, r, status):
    t.verdict(r, status)
    t.check(r.first.startswith("gatectl: %s: " % FIRST_WORDS[status]), "first line", r)
    try_line(t, r)
    return r


@params(0, 1, 42, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 137, 255)
def test_own_status(t, status):
    program = compile_text("ends.c", ENDS)
    for script in (None, 'at "//hello":run(function() end)\n'):
        r = t.run_gated(program, script=script, args=("exit", str(status)))
        t.equal((r.status, r.stdout, r.err), (status, "hello\n", ""), "outcome", r)
        t.equal((r.report["verdict"], r.report["status"]), ("ok", status), "report", r)


@params("HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "PIPE",
        "ALRM", "TERM", "XCPU", "SYS", "RTMIN")
def test_own_signal(t, name):
    n = int(getattr(signal, "SIG" + name))
    program = compile_text("ends.c", ENDS)
    for script in (None, 'at "//hello":run(function() end)\n'):
        r = t.run_gated(program, script=script, args=("signal", str(n)))
        t.equal((r.status, r.stdout), (128 + n, "hello\n"), "outcome", r)
        crash = n in CRASHES
        t.equal(r.report["verdict"], "crashed" if crash else "ok", "verdict", r)
        t.check(r.first.startswith("gatectl: crashed: SIG%s in main at ends.c:" % name) if crash else not r.err,
                "what is said", r)


def test_own_stderr(t):
    r = t.run_gated(compile_text("ends.c", ENDS), args=("stderr", "0"))
    t.equal((r.status, r.err), (0, "its own words\n"), "outcome", r)


# ---- expect: 119 ---------------------------------------------------------------------------------

@params(("{exit = 7}", "exit 7", 0), ("{exit = 0}", "exit 0", 0), ("{exit = 0}", "exit 7", 119),
        ("{exit = 7}", "signal 15", 119), ('{signal = "SIGTERM"}', "signal 15", 0),
        ('{signal = "SIGKILL"}', "signal 15", 119), ('{signal = "SIGTERM"}', "exit 0", 119),
        ("{exit = 143}", "signal 15", 119),
        ('{stdout = "hello"}', "exit 0", 0), ('{stdout = "ell"}', "exit 0", 0),
        ('{stdout = "goodbye"}', "exit 0", 119), ('{stderr = "own words"}', "stderr 0", 0),
        ('{stderr = "hello"}', "stderr 0", 119), ("{deadlock = true}", "exit 0", 119),
        ('{exit = 7, stdout = "hello"}', "exit 7", 0), ('{exit = 7, stdout = "no"}', "exit 7", 119))
def test_expect(t, case):
    wanted, args, status = case
    r = t.run_gated(compile_text("ends.c", ENDS), script="expect %s\n" % wanted, args=args.split())
    t.check(r.stdout.startswith("hello\n"), "the program's output still comes out", r)
    if status:
        t.verdict(r, status)
        try_line(t, r)
    else:
        t.clean(r, 0)


def test_expect_output_untouched(t):
    """A script that looks at the output does not swallow, change or reorder it."""
    r = t.run_gated(compile_text("ends.c", ENDS), args=("stderr", "0"),
                    script='expect {stdout = "hello", stderr = "own", exit = 0}\n')
    t.equal((r.status, r.stdout, r.err), (0, "hello\n", "its own words\n"), "outcome", r)


def test_two_expects_add_up(t):
    script = 'expect {exit = 7}\nexpect {stdout = "hello"}\n'
    t.clean(t.run_gated(compile_text("ends.c", ENDS), script=script, args=("exit", "7")))
    t.verdict(t.run_gated(compile_text("ends.c", ENDS), script=script, args=("exit", "6")), 119)


# ---- never-reached: 120 ----------------------------------------------------------------------------

def test_never_reached(t):
    r = verdict(t, t.run_gated(compile_text("holds.c", HOLDS), args=("open",),
                               script='at "//spin":run(function() end)\n'), 120)
    t.check("//spin" in r.first, "which location", r)
    t.equal(t.place(r, "//spin")["arrivals"], 0, "arrivals", r)


def test_never_reached_hit(t):
    r = verdict(t, t.run_gated(compile_text("holds.c", HOLDS), args=("open",),
                               script='at("//hold", {hit = 2}):run(function() end)\n'), 120)
    t.equal(t.place(r, "//hold")["arrivals"], 1, "arrivals", r)


def test_never_reached_thread(t):
    verdict(t, t.run_gated(compile_text("holds.c", HOLDS), args=("open",),
                           script='at("//hold", {thread = "main"}):run(function() end)\n'), 120)


def test_never_loaded(t):
    verdict(t, t.run_gated(compile_text("holds.c", HOLDS), args=("open",),
                           script='at "libnever.so!some_function":run(function() end)\n'), 120)


# ---- never-opened: 121 -----------------------------------------------------------------------------

def test_never_opened_by_limit(t):
    r = verdict(t, t.run_gated(compile_text("holds.c", HOLDS), args=("sleep",), script=NEVER,
                               options=["--gate-limit", "0.5"]), 121)
    t.check(r.seconds > 0.4 and r.spent < 5, "after the limit, not much later", r)
    t.check("never" in r.err and "worker#1" in r.err and "holds.c:" in r.err, "who, where, which gate", r)
    t.check(r.report["gates"][0]["held_max_ms"] >= 400, "held_max_ms", r)


def test_never_opened_limits_of_script(t):
    r = verdict(t, t.run_gated(compile_text("holds.c", HOLDS), args=("sleep",),
                               script=NEVER + "limits { gate = 0.4 }\n"), 121)
    t.check(r.spent < 5, "the script's limit", r)


def test_command_line_wins_over_limits(t):
    r = verdict(t, t.run_gated(compile_text("holds.c", HOLDS), args=("sleep",),
                               script=NEVER + "limits { gate = 60, run = 60 }\n",
                               options=["--gate-limit=0.4"]), 121)
    t.check(r.spent < 5, "the option's limit", r)


def test_never_opened_at_exit(t):
    r = t.run_gated(compile_text("holds.c", HOLDS), args=("exit",), script=NEVER)
    verdict(t, r, 121)


def test_gate_limit_zero_is_for_ever(t):
    r = t.run_gated(compile_text("holds.c", HOLDS), args=("sleep",), script=NEVER,
                    options=["--gate-limit", "0", "--time-limit", "1.5"])
    verdict(t, r, 124)


def test_limits_that_are_alike(t):
    """Both are over in the same moment: the earlier one of the contract's list counts."""
    for _ in range(3):
        r = t.run_gated(compile_text("holds.c", HOLDS), args=("sleep",), script=NEVER, options=["--gate-limit", "0.3", "--time-limit", "0.3"])
        verdict(t, r, 124)


@params(("kill", 143), ("segv", 139), ("exec", 5))
def test_held_thread_dies_with_others(t, case):
    """Another thread execs, or a signal kills the process: no fault of the gate."""
    how, status = case
    r = t.run_gated(compile_text("holds.c", HOLDS), args=(how,), script=NEVER)
    if how == "segv":
        t.equal((r.status, r.report["verdict"]), (status, "crashed"), "its own crash", r)
    else:
        t.clean(r, status)


def test_opened_in_time(t):
    r = t.clean(t.run_gated(compile_text("holds.c", HOLDS), args=("open",),
                            script=NEVER + 'at "//open":open(g)\n'), 4)
    t.equal(r.report["gates"][0]["open"], True, "open", r)


# ---- 122, 123, 124: see test_deadlock.py too -------------------------------------------------------

def test_gate_deadlock(t):
    verdict(t, t.run_gated(compile_text("holds.c", HOLDS), args=("join",), script=NEVER), 122)


def test_deadlock(t):
    r = t.run_gated(compile_text("stuck.c", r"""
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&lock);
}
"""))
    verdict(t, r, 123)


def test_expected_deadlock(t):
    program = compile_text("stuck.c", r"""
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&lock);
}
""")
    t.clean(t.run_gated(program, script="expect { deadlock = true }\n"))
    t.verdict(t.run_gated(program, script="expect { exit = 0 }\n"), 123)


def test_time_limit(t):
    r = verdict(t, t.run_gated(compile_text("holds.c", HOLDS), args=("spin",),
                               options=["--time-limit", "0.5"]), 124)
    t.check(r.seconds > 0.4 and r.spent < 5, "at the limit", r)


def test_time_limit_of_script(t):
    r = verdict(t, t.run_gated(compile_text("holds.c", HOLDS), args=("spin",),
                               script="limits { run = 0.5 }\n"), 124)
    t.check(r.spent < 5, "at the limit", r)


def test_time_limit_with_trapped_loop(t):
    """The limit holds while a thread arrives thousands of times a second."""
    r = verdict(t, t.run_gated(compile_text("holds.c", HOLDS), args=("spin",),
                               script='at "//spin":run(function() end)\n',
                               options=["--time-limit", "0.5"]), 124)
    t.check(r.spent < 8, "at the limit", r)


# ---- precedence ------------------------------------------------------------------------------------

def test_fault_before_all(t):
    r = t.run_gated(compile_text("holds.c", HOLDS), args=("exit",),
                    script=NEVER + 'on("exit"):run(function() error "fault" end)\nexpect {exit = 0}\n')
    t.error(r)


def test_opened_before_reached(t):
    """Never-opened and never-reached and not as expected: 121."""
    t.verdict(t.run_gated(compile_text("holds.c", HOLDS), args=("exit",),
                          script=NEVER + 'at "//spin":run(function() end)\nexpect {exit = 9}\n'), 121)


def test_reached_before_expected(t):
    t.verdict(t.run_gated(compile_text("holds.c", HOLDS), args=("open",),
                          script='at "//spin":run(function() end)\nexpect {exit = 9}\n'), 120)


def test_deadlock_before_reached(t):
    t.verdict(t.run_gated(compile_text("holds.c", HOLDS), args=("join",),
                          script=NEVER + 'at "//spin":run(function() end)\n'), 122)


# ---- 118, 126, 127 ---------------------------------------------------------------------------------

NO_PTRACE = r"""
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {sizeof code / sizeof *code, code};
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		return 99;
	execv(argv[1], argv + 1);
	return 98;
}
"""


def test_cannot_trace(t):
    wrapper = compile_text("noptrace.c", NO_PTRACE)
    program = compile_text("ends.c", ENDS)
    # a gatectl built with LeakSanitizer cannot look for leaks where ptrace is refused
    r = t.run(["env", "ASAN_OPTIONS=detect_leaks=0", wrapper, t.gatectl, "run", "--", program,
               "exit", "0"])
    if r.status == 99:
        raise Skip("no seccomp here")
    t.equal(r.status, 118, "status", r)
    t.check(r.first.startswith("gatectl: cannot-trace: "), "first line", r)
    t.check("hello" not in r.stdout, "the program did not run untraced", r)
    t.check(len(r.err.strip().splitlines()) >= 2, "says what to do", r)
    t.equal(end_processes(t.marker), [], "left alive")


@params("nothing-here-by-that-name", "/no/such/dir/prog", "./absent", "")
def test_not_found(t, name):
    t.error(t.gate("run", "--", name), 127)


def test_cannot_execute(t):
    plain = t.file("plain", "just text\n")
    os.chmod(plain, 0o644)
    t.error(t.gate("run", "--", plain), 126)
    t.error(t.gate("run", "--", t.tmp), 126)
    t.error(t.gate("run", "--", "/"), 126)
    t.error(t.gate("run", "--", plain + "/x"), 126)  # as env(1): 127 is for what is not there


def test_found_in_path(t):
    r = t.gate("run", "true")
    t.equal((r.status, r.err), (0, ""), "outcome", r)
    r = t.gate("run", "--", "sh", "-c", "exit 9")
    t.equal((r.status, r.err), (9, ""), "outcome", r)


def test_options_of_the_program(t):
    """What comes after PROG is PROG's, `--` or not."""
    r = t.gate("run", "sh", "-c", 'echo "$0 $*"', "-g", "--help", "-v", "--", "-q")
    t.equal((r.status, r.stdout, r.err), (0, "-g --help -v -- -q\n", ""), "outcome", r)


# ---- help, version ---------------------------------------------------------------------------------

@params(("--help",), ("--version",), ("run", "--version"), ("audit", "--version"), ("run", "--help"), ("check", "--help"), ("lines", "--help"))
def test_help(t, args):
    r = t.gate(*args)
    t.equal((r.status, r.err), (0, ""), "outcome", r)
    t.check("gatectl" in r.stdout, "on standard output", r)
    if "--version" in args:
        t.check(r.stdout.count("\n") == 1 and any(c.isdigit() for c in r.stdout), "version", r)


# ---- signals to gatectl ----------------------------------------------------------------------------

@params("INT", "TERM", "HUP")
def test_signal_to_gatectl(t, name):
    """SIGINT, SIGTERM, SIGHUP end the run with 128+N and the tree is gone."""
    n = int(getattr(signal, "SIG" + name))
    program = compile_text("holds.c", HOLDS)
    for script in ("", NEVER, 'at "//spin":run(function() end)\n'):
        path = t.file("s.lua", script)
        p = Process([t.gatectl, "run", "--gate-limit", "0", "-g", path, "--", program,
                              "spin" if "spin" in script else "sleep"], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=t.env)
        time.sleep(0.4)
        os.kill(p.pid, n)
        limit = Limit(3)
        try:
            out, err = p.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            end_processes(t.marker)
            p.communicate()
            t.check(False, "does not end by SIG%s" % name)
        left = end_processes(t.marker)
        t.equal(left, [], "left alive")
        t.check(p.returncode in (128 + n, -n), "status %s, expected %d\n%s" % (
            p.returncode, 128 + n, err.decode()))
        t.equal(p.returncode, 128 + n, "status")
        t.check(not limit.over(), "ends at once")
