"""The run is over when the program is: what it leaves behind is ended, let go or waited for, and named."""

import os
import re
import signal
import time

from harness import compile_text, params, processes_with, wait_until

# A daemon: main ends with status 3 while the child waits for the file argv[1], and then writes argv[2].
DAEMON = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
static volatile int n;
static void *beats(void *path)
{
	do
		usleep(1000 + n % 2); /* gate: beat */
	while (access(path, F_OK));
	n++; /* gate: late */
	return NULL;
}
int main(int argc, char **argv)
{
	int ready[2];
	char c;
	pipe(ready);
	if (fork() == 0) {
		pthread_t t;
		setsid();
		prctl(PR_SET_NAME, "my-daemon");
		for (int fd = 0; fd < 3; fd++)
			close(fd);
		pthread_create(&t, NULL, beats, argv[1]);
		write(ready[1], "", 1);
		pthread_join(t, NULL);
		close(creat(argv[2], 0600));
		_exit(0);
	}
	read(ready[0], &c, 1);
	puts("main ends");
	return argc > 3 ? argv[3][0] - '0' : 3;
}
"""
SCRIPTS = {
    "plain": None,
    "gated": 'at("//beat"):run(function() end)\nat("//late", {optional = true}):run(function() end)\n',
}
LINE = r"^gatectl: left behind: my-daemon \(pid \d+\), %s$"


def run(t, options=(), script=None, args=("3",)):
    program = compile_text("daemon.c", DAEMON)
    go, done = t.path("go"), t.path("done")
    for path in (go, done):
        if os.path.exists(path):
            os.unlink(path)
    text = t.file("gates.lua", script) if script else None
    command = ["run", *options] + (["-g", text] if text else [])
    return t.gate(*command, "--", program, go, done, *args, leftover=False), go, done


def named(t, r, how):
    t.check(re.search(LINE % how, r.err, re.M), "it is not named", r)


def goes_on(t, go, done):
    """It is alive, its code is its own, and it comes to its end."""
    open(go, "w").close()
    wait_until(lambda: os.path.exists(done), "the daemon's end")
    wait_until(lambda: not processes_with(t.marker), "nobody is left")


@params(*[(script, options) for script in SCRIPTS for options in ("", "--leftover=leave")])
def test_leave(t, case):
    script, option = case
    for _ in range(20 if t.full else 2):
        r, go, done = run(t, [option] if option else [], SCRIPTS[script])
        t.equal((r.status, r.out), (3, b"main ends\n"), "status and output", r)
        named(t, r, "let go")
        t.equal(len(r.err.splitlines()), 1, "lines on stderr", r)
        goes_on(t, go, done)


@params(*SCRIPTS)
def test_kill(t, script):
    for _ in range(20 if t.full else 2):
        r, go, done = run(t, ["--leftover", "kill"], SCRIPTS[script])
        t.equal(processes_with(t.marker), [], "processes that are left", r)
        t.equal((r.status, r.out), (3, b"main ends\n"), "status and output", r)
        named(t, r, "ended")


@params(*SCRIPTS)
def test_wait(t, script):
    """Gates act in it to its end; the status is the program's."""
    go, done = t.path("go"), t.path("done")
    program = compile_text("daemon.c", DAEMON)
    started = time.monotonic()
    opener = os.fork()
    if opener == 0:
        time.sleep(2)
        open(go, "w").close()
        os._exit(0)
    text = SCRIPTS[script]
    if text:
        text = text.replace(', {optional = true}', '')
    r = t.run_gated(program, script=text, args=(go, done), options=["--leftover=wait"])
    os.waitpid(opener, 0)
    t.equal(r.status, 3, "status", r)
    t.check(os.path.exists(done) and time.monotonic() - started > 2, "it was not waited for", r)
    named(t, r, "waited for")


def test_quiet(t):
    r, go, done = run(t, ["-q"])
    t.equal((r.status, r.err), (3, ""), "status and stderr", r)
    goes_on(t, go, done)


def test_expect_kills(t):
    """With expect nobody is left, unless that is asked for."""
    script = SCRIPTS["gated"] + 'expect { exit = 3, stdout = "main ends" }\n'
    r, go, done = run(t, [], script)
    t.equal(processes_with(t.marker), [], "processes that are left", r)
    t.equal((r.status, r.out), (0, b"main ends\n"), "status and output", r)
    named(t, r, "ended")
    r, go, done = run(t, ["--leftover=leave"], script)
    t.equal(r.status, 0, "status", r)
    named(t, r, "let go")
    goes_on(t, go, done)


def test_verdict_kills(t):
    """Whoever gets a verdict finds nothing left, and the verdict comes first."""
    for script, status in ((SCRIPTS["gated"].replace(", {optional = true}", ""), 120),
                           ('at("//beat"):wait(SimpleGate "never")\n', 121),
                           (SCRIPTS["gated"] + "expect { exit = 4 }\n", 119),
                           ('expect(function(run) print("asked") return run.status == 4 end, "four")\n', 119)):
        r, go, done = run(t, ["--leftover=leave"], script)
        t.equal(processes_with(t.marker), [], "processes that are left", r)
        t.verdict(r, status)
        t.check("left behind: my-daemon (pid " in r.err, "it is not named", r)
        t.check(r.err.count("asked") <= 1, "it was asked twice", r)


@params("//late", "beats%return")
def test_was_still_to_come(t, place):
    """A place that was not reached because who was still to come there was ended: `wait` is the advice."""
    script = 'at("%s", { thread = "%%s" }):log("it came")\n' % place.replace("%", "%%")
    advice = r"^try: --leftover=wait: my-daemon \(pid \d+\), which gatectl ended after the program, might have reached the place"
    r, go, done = run(t, [], script % "*")
    t.verdict(r, 120)
    t.check(re.search(advice, r.err, re.M), "the advice", r)
    r, go, done = run(t, [], script % "main")
    t.verdict(r, 120)
    t.check("--leftover" not in r.err, "main is not left behind", r)


def test_many_runs(t):
    r, go, done = run(t, ["--repeat", "3", "--leftover=kill"], SCRIPTS["gated"], args=("0",))
    t.check("gatectl: 3 of 3 runs agreed" in r.err, "runs that agreed", r)
    t.equal(r.err.count("left behind"), 3, "times that it is named", r)
    t.equal(processes_with(t.marker), [], "processes that are left", r)


def test_ends_with_the_program(t):
    """Who ends because the program does is not left behind."""
    program = compile_text("reader.c", r"""
#include <unistd.h>
int main(void)
{
	int fds[2];
	char c;
	pipe(fds);
	for (int i = 0; i < 4; i++)
		if (fork() == 0) {
			close(fds[1]);
			read(fds[0], &c, 1);
			for (volatile int n = 0; n < 1000000; n++)
				;
			_exit(0);
		}
	return 0;
}
""")
    for _ in range(20 if t.full else 3):
        r = t.clean(t.run_gated(program, report=False))
        t.equal(r.err, "", "stderr", r)


def state(pid):
    with open("/proc/%d/stat" % pid) as f:
        return f.read().rsplit(")")[-1].split()[0]


def test_stopped_and_vfork(t):
    """One that is stopped by job control stays so; a parent in vfork is let go when its child execs."""
    program = compile_text("stopped.c", r"""
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		for (int fd = 0; fd < 3; fd++)
			close(fd);
		setsid();
		raise(SIGSTOP);
		if (vfork() == 0) {
			usleep(50000);
			execl("/bin/touch", "touch", argv[1], (char *)NULL);
			_exit(1);
		}
		wait(NULL);
		_exit(0);
	}
	waitpid(pid, &status, WUNTRACED);
	if (argc > 2) {
		kill(pid, SIGCONT);
		usleep(20000);
	}
	printf("%d\n", pid);
	return 0;
}
""")
    done = t.path("done")
    for stays in (True, False):
        r = t.gate("run", program, done, *([] if stays else ["continue"]), leftover=False)
        t.equal(r.status, 0, "status", r)
        if stays:
            pid = int(r.out)
            wait_until(lambda: state(pid) == "T", "it is stopped")
            os.kill(pid, signal.SIGCONT)
        wait_until(lambda: os.path.exists(done), "it goes on")
        wait_until(lambda: not processes_with(t.marker), "nobody is left")
        os.unlink(done)


def test_words(t):
    t.error(t.gate("run", "--leftover=maybe", "true"), where="none of kill, leave and wait")
    t.error(t.gate("attach", "--leftover=kill", "--order", "a -> b", str(os.getpid())), where="gatectl never ends a process that it has attached to")
