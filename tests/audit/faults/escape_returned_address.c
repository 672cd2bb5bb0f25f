/* Statistics: the address of a guarded field is returned, and whoever has it reads and writes without the lock. */
#include <pthread.h>
#include <stdlib.h>

struct stats {
	pthread_mutex_t lock;
	long hits;
	long misses;
};

struct stats *stats_new(void)
{
	struct stats *stats = calloc(1, sizeof(*stats));
	if (!stats)
		return NULL;
	pthread_mutex_init(&stats->lock, NULL);
	return stats;
}

void stats_count(struct stats *stats, int hit)
{
	pthread_mutex_lock(&stats->lock);
	if (hit)
		stats->hits++;
	else
		stats->misses++;
	pthread_mutex_unlock(&stats->lock);
}

long stats_misses(struct stats *stats)
{
	pthread_mutex_lock(&stats->lock);
	long misses = stats->misses;
	pthread_mutex_unlock(&stats->lock);
	return misses;
}

long *stats_hits(struct stats *stats)
{
	return &stats->hits; /* finding: P1 hits */
}
