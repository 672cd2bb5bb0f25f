/* Statically linked, fixed addresses: no interpreter, no link map, no libc to find. */
// flags: -static
// arrivals: 100
#include <pthread.h>
#include <stdio.h>

static volatile int n;

static void *body(void *arg)
{
	for (int i = 0; i < 100; i++)
		n++; /* gate: here */
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, body, NULL);
	pthread_join(t, NULL);
	printf("n %d\n", n);
	return 0;
}
