/* A backup that keeps what trylock said in a variable, and asks it before it touches and before it unlocks. */
#include <pthread.h>
#include <stdlib.h>

struct backup {
	pthread_mutex_t lock;
	int changed;
};

struct backup *backup_new(void)
{
	struct backup *backup = calloc(1, sizeof(*backup));
	if (!backup)
		return NULL;
	pthread_mutex_init(&backup->lock, NULL);
	return backup;
}

void backup_note(struct backup *backup)
{
	pthread_mutex_lock(&backup->lock);
	backup->changed++;
	pthread_mutex_unlock(&backup->lock);
}

int backup_run(struct backup *backup, int most)
{
	int saved = 0;
	int busy = pthread_mutex_trylock(&backup->lock);
	if (!busy) {
		saved = backup->changed < most ? backup->changed : most;
		backup->changed -= saved;
	}
	if (!busy)
		pthread_mutex_unlock(&backup->lock);
	return busy ? -1 : saved;
}
