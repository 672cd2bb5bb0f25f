/* Signals read as data from a signalfd, with the sender's pid in them. */
// arrivals: 5
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	sigset_t set;
	int good = 0;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	int fd = signalfd(-1, &set, SFD_CLOEXEC);
	for (int i = 0; i < 5; i++) {
		pid_t pid = fork();
		if (pid == 0)
			_exit(kill(getppid(), SIGUSR1) ? 1 : 0);
		struct signalfd_siginfo si;
		ssize_t n = read(fd, &si, sizeof si); /* gate: here */
		good += n == sizeof si && si.ssi_signo == SIGUSR1 && si.ssi_pid == (uint32_t)pid;
		waitpid(pid, NULL, 0);
	}
	printf("good %d\n", good);
	return 0;
}
