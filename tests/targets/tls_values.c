/* Thread-local variables in the trapped statement: fs-relative operands. */
// arrivals: 400
#include <pthread.h>
#include <stdio.h>

static __thread volatile long mine;

static void *body(void *arg)
{
	for (int i = 0; i < 100; i++)
		mine += (long)arg; /* gate: here */
	return (void *)mine;
}

int main(void)
{
	pthread_t t[4];
	long sum = 0;
	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, body, (void *)(i + 1));
	for (int i = 0; i < 4; i++) {
		void *r;
		pthread_join(t[i], &r);
		sum = sum * 1000 + (long)r;
	}
	printf("sum %ld mine %ld\n", sum, mine);
	return 0;
}
