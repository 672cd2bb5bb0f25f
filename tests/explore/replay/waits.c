/* Two threads wait for any child, as by wait(2). Each child ends when both of them wait again. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 8 };
static unsigned reaped[2];

static void *reap(void *p)
{
	int status;

	while (wait(&status) > 0)
		*(unsigned *)p = *(unsigned *)p * 3 + (unsigned)WEXITSTATUS(status);
	return 0;
}

int main(void)
{
	pthread_t threads[2];
	int ends[2];
	char byte;

	if (pipe(ends) < 0)
		return 2;
	for (int i = 1; i <= CHILDREN; i++)
		if (fork() == 0)
			_exit(read(ends[0], &byte, 1) == 1 ? i : 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], 0, reap, &reaped[i]);
	for (int i = 0; i < CHILDREN; i++) {
		usleep(1000000);
		if (write(ends[1], "x", 1) != 1)
			return 2;
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], 0);
	return (int)((reaped[0] + 7 * reaped[1]) % 100) + 3;
}
