/* si_pid, si_uid and si_code of a delivered signal are the sender's, not the tracer's. */
// arrivals: 1
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile pid_t from;
static volatile uid_t who;
static volatile int code;

static void on_usr1(int sig, siginfo_t *si, void *context)
{
	(void)sig;
	(void)context;
	who = si->si_uid;
	code = si->si_code;
	from = si->si_pid; /* gate: here */
}

int main(void)
{
	struct sigaction sa = {.sa_sigaction = on_usr1, .sa_flags = SA_SIGINFO | SA_RESTART};
	sigaction(SIGUSR1, &sa, NULL);
	pid_t pid = fork();
	if (pid == 0)
		_exit(kill(getppid(), SIGUSR1) ? 1 : 0);
	int status;
	waitpid(pid, &status, 0);
	while (!from)
		pause();
	printf("pid %d uid %d code %d\n", from == pid, who == getuid(), code == SI_USER);
	return 0;
}
