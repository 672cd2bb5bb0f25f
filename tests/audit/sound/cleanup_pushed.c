/* The lock is released by what pthread_cleanup_push() was given before it is taken. */
#include <pthread.h>

struct lamp {
	pthread_mutex_t lock;
	void (*switched)(void);
	int level;
};

static void lamp_unlock(void *arg)
{
	struct lamp *lamp = arg;
	void (*switched)(void) = lamp->switched;

	pthread_mutex_unlock(&lamp->lock);
	if (switched)
		switched();
}

void lamp_dim(struct lamp *lamp)
{
	pthread_cleanup_push(lamp_unlock, lamp);
	pthread_mutex_lock(&lamp->lock);
	lamp->level--;
	pthread_testcancel();
	pthread_cleanup_pop(1);
}

void lamp_watch(struct lamp *lamp, void (*switched)(void))
{
	pthread_mutex_lock(&lamp->lock);
	lamp->switched = switched;
	pthread_mutex_unlock(&lamp->lock);
}

void lamp_set(struct lamp *lamp, int level)
{
	pthread_cleanup_push(lamp_unlock, lamp);
	pthread_mutex_lock(&lamp->lock);
	lamp->level = level;
	pthread_cleanup_pop(1);
}
