/* A thread dies with a robust mutex locked: the kernel walks its robust list at its exit. */
// arrivals: 5
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock;
static volatile int deaths;

static void *dies(void *arg)
{
	pthread_mutex_lock(&lock);
	deaths++; /* gate: here */
	return arg;
}

int main(void)
{
	pthread_mutexattr_t attr;
	int dead = 0;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&lock, &attr);
	for (int i = 0; i < 5; i++) {
		pthread_t t;
		pthread_create(&t, NULL, dies, NULL);
		pthread_join(t, NULL);
		dead += pthread_mutex_lock(&lock) == EOWNERDEAD;
		pthread_mutex_consistent(&lock);
		pthread_mutex_unlock(&lock);
	}
	printf("owner dead %d\n", dead);
	return 0;
}
