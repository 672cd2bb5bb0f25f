/* A file that begins with #!: the kernel runs the interpreter, the name given is an argument. */
// arrivals: 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	char path[] = "/tmp/gatectl-script-XXXXXX";
	int fd = mkstemp(path);
	const char text[] = "#!/bin/sh -e\necho \"script got $# $1\"\nexit 13\n";
	if (write(fd, text, strlen(text)) < 0)
		return 1;
	fchmod(fd, 0700);
	close(fd);
	pid_t pid = fork(); /* gate: here */
	if (pid == 0) {
		execl(path, path, "a b", (char *)NULL);
		_exit(99);
	}
	int status;
	waitpid(pid, &status, 0);
	unlink(path);
	printf("exit %d\n", WEXITSTATUS(status));
	return 0;
}
