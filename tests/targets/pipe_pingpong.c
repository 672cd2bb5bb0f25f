/* Two processes throw a byte to and fro through pipes; each waits for the other all the time. */
// arrivals: 400
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int play(int in, int out, int serve)
{
	char c = 0;
	int sum = 0;
	if (serve && write(out, "\1", 1) != 1)
		return -1;
	for (int i = 0; i < 200; i++) {
		if (read(in, &c, 1) != 1) /* gate: here */
			break;
		sum += c;
		if ((i < 199 || !serve) && write(out, &c, 1) != 1)
			break;
	}
	return sum;
}

int main(void)
{
	int a[2], b[2], status;
	if (pipe(a) || pipe(b))
		return 1;
	pid_t pid = fork();
	if (pid == 0)
		_exit(play(a[0], b[1], 0));
	int sum = play(b[0], a[1], 1);
	waitpid(pid, &status, 0);
	printf("sums %d %d\n", sum, WEXITSTATUS(status));
	return 0;
}
