/* Cancellation at a cancellation point: unwinding runs the clean-up handlers over trapped frames. */
// arrivals: 5
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int fd[2], cleaned;
static pthread_barrier_t ready;

static void clean(void *arg)
{
	cleaned += *(int *)arg; /* gate: here */
}

static void *body(void *arg)
{
	char c;
	pthread_cleanup_push(clean, arg);
	pthread_barrier_wait(&ready);
	while (read(fd[0], &c, 1) != 1)
		;
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	int one = 1, cancelled = 0;
	if (pipe(fd))
		return 1;
	pthread_barrier_init(&ready, NULL, 2);
	for (int i = 0; i < 5; i++) {
		pthread_t t;
		void *r;
		pthread_create(&t, NULL, body, &one);
		pthread_barrier_wait(&ready);
		pthread_cancel(t);
		pthread_join(t, &r);
		cancelled += r == PTHREAD_CANCELED;
	}
	printf("cancelled %d cleaned %d\n", cancelled, cleaned);
	return 0;
}
