/* Asynchronous cancellation: the thread may be unwound from inside the trapped line. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_long beats;

static void *body(void *arg)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (;;)
		atomic_fetch_add(&beats, 1); /* gate: here */
	return arg;
}

int main(void)
{
	int cancelled = 0;
	for (int i = 0; i < 5; i++) {
		pthread_t t;
		void *r;
		long before = atomic_load(&beats);
		pthread_create(&t, NULL, body, NULL);
		while (atomic_load(&beats) < before + 20)
			usleep(100);
		pthread_cancel(t);
		pthread_join(t, &r);
		cancelled += r == PTHREAD_CANCELED;
	}
	printf("cancelled %d\n", cancelled);
	return 0;
}
