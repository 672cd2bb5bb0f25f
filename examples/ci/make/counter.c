/* Two threads count, one count each. Nothing makes looking and storing one step. */
#include <pthread.h>
#include <stdio.h>

static _Atomic int counter;

static void *count(void *arg)
{
	int seen = counter;

	counter = seen + 1;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, count, NULL);
	pthread_create(&b, NULL, count, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", counter);
	return counter == 2 ? 0 : 1;
}
