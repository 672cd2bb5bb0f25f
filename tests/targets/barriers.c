/* Four threads, fifty barriers: they all arrive at the trapped line at the same moment. */
// arrivals: 200
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t barrier;
static int serials[4];
static volatile int cells[4];

static void *body(void *arg)
{
	int me = (int)(long)arg;
	for (int i = 0; i < 50; i++) {
		cells[me]++; /* gate: here */
		serials[me] += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
		for (int k = 0; k < 4; k++)
			if (cells[k] != i + 1)
				return (void *)1;
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[4];
	int bad = 0, serial = 0;
	pthread_barrier_init(&barrier, NULL, 4);
	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, body, (void *)i);
	for (int i = 0; i < 4; i++) {
		void *r;
		pthread_join(t[i], &r);
		bad += r != NULL;
		serial += serials[i];
	}
	printf("bad %d serial %d\n", bad, serial);
	return 0;
}
