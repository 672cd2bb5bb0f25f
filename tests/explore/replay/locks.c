/* Semaphores, barriers, readers and writers, once; and two locks on a stack in two orders, which may be a deadlock. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

struct all {
	pthread_mutex_t a, b;
	pthread_rwlock_t shared;
	pthread_barrier_t barrier;
	sem_t sem;
	int n;
};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void begin(void)
{
	printf("once\n");
}

static void both(struct all *x, pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_once(&once, begin);
	pthread_barrier_wait(&x->barrier);
	sem_wait(&x->sem);
	pthread_rwlock_wrlock(&x->shared);
	x->n++;
	pthread_rwlock_unlock(&x->shared);
	sem_post(&x->sem);
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}

static void *forwards(void *p)
{
	struct all *x = p;

	both(x, &x->a, &x->b);
	return 0;
}

static void *backwards(void *p)
{
	struct all *x = p;

	both(x, &x->b, &x->a);
	return 0;
}

int main(void)
{
	struct all x = {.a = PTHREAD_MUTEX_INITIALIZER,
			.b = PTHREAD_MUTEX_INITIALIZER,
			.shared = PTHREAD_RWLOCK_INITIALIZER};
	pthread_t t, u;

	pthread_barrier_init(&x.barrier, 0, 2);
	sem_init(&x.sem, 0, 1);
	pthread_create(&t, 0, forwards, &x);
	pthread_create(&u, 0, backwards, &x);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 7;
}
