/* A recursive lock that a function of the file initializes, by its address. */
#include <pthread.h>
#include <stdlib.h>

struct screen {
	pthread_mutex_t lock;
	int current;
	int frames;
};

static inline int recursive_init(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attributes;
	int error;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	error = pthread_mutex_init(lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
	return error;
}

struct screen *screen_new(void)
{
	struct screen *screen = calloc(1, sizeof(*screen));
	if (screen)
		recursive_init(&screen->lock);
	return screen;
}

void screen_select(struct screen *screen, int current)
{
	pthread_mutex_lock(&screen->lock);
	screen->current = current;
	pthread_mutex_unlock(&screen->lock);
}

void screen_draw(struct screen *screen)
{
	pthread_mutex_lock(&screen->lock);
	screen_select(screen, 1);
	screen->frames++;
	pthread_mutex_unlock(&screen->lock);
}
