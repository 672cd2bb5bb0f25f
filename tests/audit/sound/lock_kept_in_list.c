/* A list of all locks, for a listing, keeps the lock's address: the new account itself is not shared by that. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t *all_locks[64];
static unsigned locks;
static pthread_mutex_t of_all = PTHREAD_MUTEX_INITIALIZER;

struct account {
	pthread_mutex_t lock;
	long money, limit;
};

static void make_lock(pthread_mutex_t *lock)
{
	pthread_mutex_init(lock, NULL);
	pthread_mutex_lock(&of_all);
	if (locks < 64)
		all_locks[locks++] = lock;
	pthread_mutex_unlock(&of_all);
}

unsigned locks_free(void)
{
	unsigned free = 0;

	pthread_mutex_lock(&of_all);
	for (unsigned i = 0; i < locks; i++)
		if (pthread_mutex_trylock(all_locks[i]) == 0) {
			free++;
			pthread_mutex_unlock(all_locks[i]);
		}
	pthread_mutex_unlock(&of_all);
	return free;
}

struct account *account_new(long limit)
{
	struct account *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	make_lock(&a->lock);
	a->money = 0;
	a->limit = limit;
	return a;
}

int account_take(struct account *a, long money)
{
	int error = -1;

	pthread_mutex_lock(&a->lock);
	if (a->money - money >= -a->limit) {
		a->money -= money;
		error = 0;
	}
	pthread_mutex_unlock(&a->lock);
	return error;
}
