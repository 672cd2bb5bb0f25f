/* Two thousand threads with small stacks, many alive at a time. */
// arrivals: 2000
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int n;

static void *body(void *arg)
{
	atomic_fetch_add(&n, 1); /* gate: here */
	return arg;
}

int main(void)
{
	static pthread_t t[250];
	pthread_attr_t attr;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN);
	for (int round = 0; round < 8; round++) {
		for (int i = 0; i < 250; i++)
			if (pthread_create(&t[i], &attr, body, NULL))
				return 1;
		for (int i = 0; i < 250; i++)
			pthread_join(t[i], NULL);
	}
	printf("n %d\n", atomic_load(&n));
	return 0;
}
