/* Children with threads of their own, that write to a pipe and to standard output. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *tell(void *p)
{
	char c = (char)(long)p;

	pthread_mutex_lock(&lock);
	if (write(ends[1], &c, 1) != 1)
		abort();
	pthread_mutex_unlock(&lock);
	printf("told %c\n", c);
	return 0;
}

static void *child(void *p)
{
	pthread_t t[2];
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		for (long i = 0; i < 2; i++)
			pthread_create(&t[i], 0, tell, (void *)('a' + i + 2 * (long)p));
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], 0);
		exit(0);
	}
	waitpid(pid, &status, 0);
	return 0;
}

int main(void)
{
	pthread_t t[2];
	int sum = 0;
	char c;

	if (pipe(ends) < 0)
		abort();
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], 0, child, (void *)i);
	for (int i = 0; i < 4; i++)
		if (read(ends[0], &c, 1) == 1)
			sum = sum * 5 + c - 'a' + 1;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 7 + sum % 100;
}
