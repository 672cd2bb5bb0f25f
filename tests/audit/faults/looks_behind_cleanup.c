/* What pthread_cleanup_push() was given looks at a field once it has released the lock. */
#include <pthread.h>

struct lamp {
	pthread_mutex_t lock;
	void (*switched)(void);
	int level;
};

static void lamp_unlock(void *arg)
{
	struct lamp *lamp = arg;

	pthread_mutex_unlock(&lamp->lock);
	if (lamp->switched) /* finding: P3 switched */
		lamp->switched();
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

void lamp_forget(struct lamp *lamp)
{
	pthread_mutex_lock(&lamp->lock);
	lamp->switched = 0;
	pthread_mutex_unlock(&lamp->lock);
}

int lamp_is_watched(struct lamp *lamp)
{
	int is;

	pthread_mutex_lock(&lamp->lock);
	is = lamp->switched != 0;
	pthread_mutex_unlock(&lamp->lock);
	return is;
}

void lamp_set(struct lamp *lamp, int level)
{
	pthread_cleanup_push(lamp_unlock, lamp);
	pthread_mutex_lock(&lamp->lock);
	lamp->level = level;
	pthread_cleanup_pop(1);
}
