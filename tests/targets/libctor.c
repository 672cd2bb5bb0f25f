/* Its constructor makes a thread and waits for what that does; used by dlopen_ctor_thread. */
#include <pthread.h>
#include <semaphore.h>

int ctor_value(void);

static volatile int value;
static sem_t ready;

static void *in_ctor(void *arg)
{
	value = 41; /* gate: born */
	sem_post(&ready);
	return arg;
}

__attribute__((constructor)) static void begin(void)
{
	pthread_t t;
	sem_init(&ready, 0, 0);
	pthread_create(&t, NULL, in_ctor, NULL);
	pthread_detach(t);
	while (sem_wait(&ready))
		;
	value++;
}

int ctor_value(void)
{
	return value;
}
