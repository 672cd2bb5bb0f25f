/* A checksum that is added to in a loop; each turn locks and unlocks, before it leaves the loop, too. */
#include <pthread.h>
#include <stdlib.h>

struct checksum {
	pthread_mutex_t lock;
	unsigned sum;
	int stopped;
};

struct checksum *checksum_new(void)
{
	struct checksum *checksum = calloc(1, sizeof(*checksum));
	if (!checksum)
		return NULL;
	pthread_mutex_init(&checksum->lock, NULL);
	return checksum;
}

int checksum_add(struct checksum *checksum, const unsigned char *bytes, int size)
{
	int added;
	for (added = 0; added < size; added++) {
		pthread_mutex_lock(&checksum->lock);
		if (checksum->stopped) {
			pthread_mutex_unlock(&checksum->lock);
			break;
		}
		if (bytes[added] == 0) {
			pthread_mutex_unlock(&checksum->lock);
			continue;
		}
		checksum->sum = checksum->sum * 31 + bytes[added];
		pthread_mutex_unlock(&checksum->lock);
	}
	return added;
}

unsigned checksum_stop(struct checksum *checksum)
{
	pthread_mutex_lock(&checksum->lock);
	checksum->stopped = 1;
	unsigned sum = checksum->sum;
	pthread_mutex_unlock(&checksum->lock);
	return sum;
}
