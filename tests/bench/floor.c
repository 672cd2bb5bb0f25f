/*
 * The floor: the least that a tracer can do. floor hit PROG ARG...: int3, waitpid, continue.
 * floor open PROG ARG...: a thread at an int3 stays there until another one has come to its own.
 */
#include <stdio.h>
#include <string.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int open = argc > 2 && strcmp(argv[1], "open") == 0, status, held = 0;
	pid_t child = fork(), tid;

	if (argc < 3)
		return 2;
	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		execv(argv[2], argv + 2);
		_exit(127);
	}
	waitpid(child, &status, 0);
	ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
	ptrace(PTRACE_CONT, child, 0, 0);
	while ((tid = waitpid(-1, &status, __WALL)) > 0) {
		if (!WIFSTOPPED(status))
			continue;
		if (open && WSTOPSIG(status) == SIGTRAP && !(status >> 16)) {
			if (!held) {
				held = tid;
				continue;
			}
			ptrace(PTRACE_CONT, held, 0, 0);
			held = 0;
		}
		ptrace(PTRACE_CONT, tid, 0, 0);
	}
	return 0;
}
