/* fork called in a signal handler, on the way out of a trapped line. */
// arrivals: 6
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int steps, forks, exits;

static void on_usr1(int sig)
{
	(void)sig;
	pid_t pid = fork();
	if (pid == 0)
		_exit(1);
	int status;
	waitpid(pid, &status, 0);
	exits += WEXITSTATUS(status);
	forks++;
}

int main(void)
{
	signal(SIGUSR1, on_usr1);
	for (int i = 0; i < 6; i++) {
		steps++; /* gate: here */
		raise(SIGUSR1);
	}
	printf("steps %d forks %d exits %d\n", steps, forks, exits);
	return 0;
}
