/* A signal is sent when the child surely waits for it; a sooner one is blocked and would be merged. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t count;

static void on_usr1(int signal)
{
	(void)signal;
	count++;
}

static void child(void)
{
	signal(SIGUSR1, on_usr1);
	pause();
	pause();
	_exit(count == 2 ? 0 : 1);
}

int main(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		child();
	sleep(1);
	kill(pid, SIGUSR1);
	usleep(200000);
	kill(pid, SIGUSR1);
	waitpid(pid, &status, 0);
	printf("%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	return status != 0;
}
