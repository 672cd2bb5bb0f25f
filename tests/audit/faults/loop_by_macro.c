/* Levels that a macro with a loop resets: the code behind the loop runs, and sets one of them without the lock. */
#include <pthread.h>

struct levels {
	pthread_mutex_t lock;
	int all[8];
	int peak;
};

#define FOR_EACH(of, count) for (int i = 0; i < count; i++) { of[i] = 0; }

void levels_peak(struct levels *levels, int peak)
{
	pthread_mutex_lock(&levels->lock);
	if (peak > levels->peak)
		levels->peak = peak;
	pthread_mutex_unlock(&levels->lock);
}

void levels_reset(struct levels *levels)
{
	pthread_mutex_lock(&levels->lock);
	FOR_EACH(levels->all, 8)
	pthread_mutex_unlock(&levels->lock);
	levels->peak = 0; /* finding: P3 peak */
}
