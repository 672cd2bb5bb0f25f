/* A routing table under an rwlock: what reads holds the read side, what writes the write side. */
#include <pthread.h>
#include <stdlib.h>

struct routing {
	pthread_rwlock_t lock;
	int next_hop[64];
	int changes;
};

struct routing *routing_new(void)
{
	struct routing *routing = calloc(1, sizeof(*routing));
	if (!routing)
		return NULL;
	pthread_rwlock_init(&routing->lock, NULL);
	return routing;
}

int routing_hop(struct routing *routing, unsigned network)
{
	pthread_rwlock_rdlock(&routing->lock);
	int hop = routing->next_hop[network % 64];
	pthread_rwlock_unlock(&routing->lock);
	return hop;
}

int routing_changes(struct routing *routing)
{
	pthread_rwlock_rdlock(&routing->lock);
	int changes = routing->changes;
	pthread_rwlock_unlock(&routing->lock);
	return changes;
}

void routing_set(struct routing *routing, unsigned network, int hop)
{
	pthread_rwlock_wrlock(&routing->lock);
	if (routing->next_hop[network % 64] != hop) {
		routing->next_hop[network % 64] = hop;
		routing->changes++;
	}
	pthread_rwlock_unlock(&routing->lock);
}
