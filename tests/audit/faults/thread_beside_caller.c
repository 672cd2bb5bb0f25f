/* An oven's thread looks at the heat without the lock, while others set it: more places have it than not,
   and one of the two is a thread. */
#include <pthread.h>
#include <stdbool.h>

struct oven {
	pthread_mutex_t lock;
	pthread_t thread;
	int heat, used;
	bool stops;
};

static bool oven_stops(struct oven *oven)
{
	pthread_mutex_lock(&oven->lock);
	bool stops = oven->stops;
	pthread_mutex_unlock(&oven->lock);
	return stops;
}

static void *oven_run(void *arg)
{
	struct oven *oven = arg;

	while (!oven_stops(oven))
		oven->used += oven->heat; /* finding: P3 heat */
	return NULL;
}

int oven_start(struct oven *oven)
{
	oven->heat = 50;
	return pthread_create(&oven->thread, NULL, oven_run, oven);
}

void oven_heat(struct oven *oven, int heat)
{
	pthread_mutex_lock(&oven->lock);
	oven->heat = heat;
	pthread_mutex_unlock(&oven->lock);
}

int oven_is_cold(struct oven *oven)
{
	pthread_mutex_lock(&oven->lock);
	int is_cold = oven->heat < 20;
	pthread_mutex_unlock(&oven->lock);
	return is_cold;
}

int oven_is_hot(struct oven *oven)
{
	pthread_mutex_lock(&oven->lock);
	int is_hot = oven->heat > 60;
	pthread_mutex_unlock(&oven->lock);
	return is_hot;
}

void oven_stop(struct oven *oven)
{
	pthread_mutex_lock(&oven->lock);
	oven->stops = true;
	pthread_mutex_unlock(&oven->lock);
	pthread_join(oven->thread, NULL);
}
