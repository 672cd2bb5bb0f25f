/* A parent that polls with WNOHANG: it must see "not yet", then the one true status, then ECHILD. */
// arrivals: 1
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	int fd[2], status = 0;
	if (pipe(fd))
		return 1;
	pid_t pid = fork();
	if (pid == 0) {
		char c;
		_exit(read(fd[0], &c, 1) == 1 ? c : 99);
	}
	pid_t early = waitpid(pid, &status, WNOHANG);
	if (write(fd[1], "!", 1) != 1) /* gate: here */
		return 2;
	pid_t got;
	while ((got = waitpid(pid, &status, WNOHANG)) == 0)
		usleep(500);
	pid_t late = waitpid(pid, NULL, WNOHANG);
	printf("early %d, same %d, exit %d, late %d %d\n", early, got == pid, WEXITSTATUS(status),
	       late, errno == ECHILD);
	return 0;
}
