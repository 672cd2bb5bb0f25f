/* The working directory and the program's own file vanish while it runs. */
// arrivals: 10
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int n;

int main(void)
{
	char dir[] = "/tmp/gatectl-cwd-XXXXXX", buf[512];
	if (!mkdtemp(dir) || chdir(dir) || rmdir(dir))
		return 1;
	for (int i = 0; i < 10; i++) {
		n++; /* gate: here */
		if (fork() == 0)
			_exit(0);
		wait(NULL);
	}
	printf("n %d cwd %s\n", n, getcwd(buf, sizeof buf) ? "there" : "gone");
	return 0;
}
