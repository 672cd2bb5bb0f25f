/* A lift that uses a macro of the kind of 'for one turn, with the lock held'. */
#include <pthread.h>
#include <stdlib.h>

#define WITH_LOCK(mutex)                                                                           \
	for (int held = !pthread_mutex_lock(mutex); held; held = (pthread_mutex_unlock(mutex), 0))

struct lift {
	pthread_mutex_t lock;
	int floor;
	int moves;
};

struct lift *lift_new(void)
{
	struct lift *lift = calloc(1, sizeof(*lift));
	if (!lift)
		return NULL;
	pthread_mutex_init(&lift->lock, NULL);
	return lift;
}

void lift_move(struct lift *lift, int floor)
{
	WITH_LOCK(&lift->lock)
	{
		lift->moves += lift->floor != floor;
		lift->floor = floor;
	}
}

int lift_moves(struct lift *lift)
{
	int moves = 0;
	WITH_LOCK(&lift->lock)
	{
		moves = lift->moves;
	}
	return moves;
}
