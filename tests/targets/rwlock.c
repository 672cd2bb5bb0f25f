/* Readers and a writer under a read-write lock: the invariant must hold for every reader. */
// arrivals: 200
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static volatile long a, b;

static void *reader(void *arg)
{
	long torn = 0;
	for (int i = 0; i < 200; i++) {
		pthread_rwlock_rdlock(&lock);
		torn += a != b;
		pthread_rwlock_unlock(&lock);
	}
	return (void *)(torn + (long)arg);
}

int main(void)
{
	pthread_t t[3];
	long torn = 0;
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, reader, NULL);
	for (int i = 0; i < 200; i++) {
		pthread_rwlock_wrlock(&lock);
		a++;
		b++; /* gate: here */
		pthread_rwlock_unlock(&lock);
	}
	for (int i = 0; i < 3; i++) {
		void *r;
		pthread_join(t[i], &r);
		torn += (long)r;
	}
	printf("torn %ld a %ld b %ld\n", torn, a, b);
	return 0;
}
