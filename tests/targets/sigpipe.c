/* EPIPE with SIGPIPE ignored, then death by SIGPIPE with its default. */
// arrivals: 2
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void put(int fd)
{
	ssize_t n = write(fd, "x", 1); /* gate: here */
	printf("write %zd EPIPE %d\n", n, errno == EPIPE);
	fflush(stdout);
}

int main(void)
{
	int fd[2];
	if (pipe(fd))
		return 1;
	close(fd[0]);
	signal(SIGPIPE, SIG_IGN);
	put(fd[1]);
	signal(SIGPIPE, SIG_DFL);
	put(fd[1]);
	return 0;
}
