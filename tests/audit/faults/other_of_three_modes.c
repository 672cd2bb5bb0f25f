/* As one_of_three_modes.c, and it is done in another mode than that in which the lock is taken. */
#include <pthread.h>

enum mode { MODE_QUIET, MODE_SHARED, MODE_LOUD };

struct horn {
	pthread_mutex_t lock;
	int blown, kept;
};

static void horn_blow(struct horn *horn, enum mode mode)
{
	if (mode == MODE_SHARED)
		pthread_mutex_lock(&horn->lock);
	if (mode == MODE_LOUD)
		horn->blown++; /* finding: P3 blown */
	if (mode == MODE_SHARED)
		pthread_mutex_unlock(&horn->lock);
}

int horn_blown(struct horn *horn)
{
	int blown;

	horn_blow(horn, MODE_SHARED);
	pthread_mutex_lock(&horn->lock);
	blown = horn->blown + horn->kept;
	pthread_mutex_unlock(&horn->lock);
	return blown;
}

void horn_reset(struct horn *horn)
{
	pthread_mutex_lock(&horn->lock);
	horn->blown = horn->kept = 0;
	pthread_mutex_unlock(&horn->lock);
}

void horn_loud(struct horn *horn)
{
	horn_blow(horn, MODE_LOUD);
}

void horn_keep(struct horn *horn, int n)
{
	int kept;

	pthread_mutex_lock(&horn->lock);
	kept = horn->kept;
	if (kept != 0 && kept != 2) {
		pthread_mutex_unlock(&horn->lock);
		if (kept == 1 || kept == 2)
			horn->kept = n; /* finding: P3 kept */
		return;
	}
	horn->kept = n;
	pthread_mutex_unlock(&horn->lock);
}
