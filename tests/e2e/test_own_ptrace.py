"""A program that traces, or wants to be traced, is told apart from one that has failed: one line says so."""

from harness import compile_text, params

PROGRAM = r"""
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int n;
int main(int argc, char **argv)
{
	long got = 0;
	int ready[2];
	pid_t pid;
	char c;
	n++; /* gate: here */
	pipe(ready);
	switch (argv[1][0]) {
	case 'm':
		for (int i = 0; i < 3; i++)
			got = ptrace(PTRACE_TRACEME, 0, 0, 0);
		break;
	case 'n':
		got = syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0);
		break;
	case 'a':
		pid = fork();
		if (pid == 0)
			for (;;)
				pause();
		got = ptrace(PTRACE_ATTACH, pid, 0, 0);
		kill(pid, SIGKILL);
		wait(NULL);
		break;
	case 'o': /* nobody's business */
		got = ptrace(PTRACE_ATTACH, 0x3fffff, 0, 0);
		ptrace(PTRACE_CONT, 0x3fffff, 0, 0);
		break;
	}
	printf("%ld\n", got);
	return 0;
}
"""
SCRIPT = 'at("//here"):run(function() end)\n'
LINE = "gatectl: note: main calls ptrace(%s), which the kernel refuses: gatectl traces it already"


@params(*[(way, flags, script) for way in ("m", "n", "a", "o") for flags in ("-g", "-g -static", "-O2 -g")
          for script in (None, SCRIPT)])
def test_refused(t, case):
    way, flags, script = case
    program = compile_text("traces.c", PROGRAM, flags=flags)
    r = t.run_gated(program, script=script, args=(way,), report=False)
    t.equal((r.status, r.out), (0, b"-1\n"), "status and output", r)
    line = LINE % ("PTRACE_ATTACH" if way == "a" else "PTRACE_TRACEME")
    expected = [] if way == "o" else [line]
    t.equal(r.err.splitlines(), expected, "stderr", r)


def test_quiet(t):
    program = compile_text("traces.c", PROGRAM)
    r = t.run_gated(program, args=("m",), options=["-q"], report=False)
    t.equal(r.err, "", "stderr", r)
