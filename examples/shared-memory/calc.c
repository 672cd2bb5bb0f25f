#include <pthread.h>
#include <stdio.h>
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

/*
 * A calculation in two steps, each in a thread of its own: worker 1 sets the multiplier, worker 2
 * multiplies. Nothing makes worker 2 wait for worker 1. It is only started a moment later, when
 * worker 1 is long done, and so the result is right on every ordinary day.
 *
 * usage: calc [VALUE [MULTIPLIER]]
 */
#define MOMENT_MS 15

static int start(pthread_t *thread, void *(*worker)(void *), int *value)
{
	int error = pthread_create(thread, NULL, worker, value);

	if (error != 0)
		fprintf(stderr, "calc: cannot start a thread, error %d\n", error);
	return error;
}

static void moment(void)
{
	struct timespec t = {.tv_nsec = MOMENT_MS * 1000000L};

	nanosleep(&t, NULL);
}

/* The number in argv[index], or `otherwise` where there is none. */
static int argument(int argc, char **argv, int index, int otherwise)
{
	int value = otherwise;

	if (index < argc && sscanf(argv[index], "%d", &value) != 1)
		fprintf(stderr, "calc: not a number: %s\n", argv[index]);
	return value;
}

int main(int argc, char **argv)
{
	int value = argument(argc, argv, 1, 6);
	int factor = argument(argc, argv, 2, 7);
	pthread_t first, second;

	if (start(&first, worker1, &factor) != 0)
		return 2;
	moment();
	if (start(&second, worker2, &value) != 0)
		return 2;
	pthread_join(first, NULL);
	pthread_join(second, NULL);

	printf("%d * %d = %d\n", value, factor, result);
	return result == value * factor ? 0 : 1;
}
