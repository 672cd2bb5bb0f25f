/* Worker 1 sets the multiplier, worker 2 multiplies; nothing says who is first. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static _Atomic int multiplier = 1, result;

static void *worker1(void *value)
{
	multiplier = *(int *)value;
	return NULL;
}

static void *worker2(void *value)
{
	int factor = multiplier;

	result = factor * *(int *)value;
	return NULL;
}

int main(int argc, char **argv)
{
	int value = argc > 1 ? atoi(argv[1]) : 6, seven = 7;
	pthread_t first, second;

	pthread_create(&first, NULL, worker1, &seven);
	pthread_create(&second, NULL, worker2, &value);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	printf("%d\n", result);
	return 0;
}
