/* Job control: a child stops its parent by SIGSTOP, sees it stopped, and lets it go on. */
// arrivals: 1
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int steps;

static char state_of(pid_t pid)
{
	char path[64], state = '?';
	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	FILE *f = fopen(path, "re");
	if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = '?';
	if (f)
		fclose(f);
	return state;
}

int main(void)
{
	pid_t pid = fork();
	if (pid == 0) {
		pid_t parent = getppid();
		kill(parent, SIGSTOP);
		for (char s = 0; s != 'T' && s != 't'; usleep(1000))
			s = state_of(parent);
		steps++; /* gate: here */
		kill(parent, SIGCONT);
		_exit(31);
	}
	int status;
	pid_t got = waitpid(pid, &status, 0);
	printf("parent goes on: %d, exit %d\n", got == pid, WEXITSTATUS(status));
	return 0;
}
