/* Which of three modes it is does not change on the way: what takes the lock in one of them releases it in that one. */
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
	if (mode == MODE_SHARED)
		horn->blown++;
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

void horn_keep(struct horn *horn, int n)
{
	int kept;

	pthread_mutex_lock(&horn->lock);
	kept = horn->kept;
	if (kept != 0 && kept != 2) {
		pthread_mutex_unlock(&horn->lock);
		if (kept == 0 || kept == 2)
			horn->kept = n;
		return;
	}
	horn->kept = n;
	pthread_mutex_unlock(&horn->lock);
}
