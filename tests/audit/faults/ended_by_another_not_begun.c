/* What is to be done last with a door releases its lock; one of those who come to it has not taken it. */
#include <pthread.h>

struct door {
	pthread_mutex_t lock;
	int state, visits;
};

static void door_end(struct door *door, int state)
{
	door->state = state; /* finding: P3 state */
	pthread_mutex_unlock(&door->lock);
}

void door_open(struct door *door)
{
	pthread_mutex_lock(&door->lock);
	door->visits++;
	door_end(door, 1);
}

void door_close(struct door *door)
{
	door_end(door, 0);
}

int door_state(struct door *door)
{
	pthread_mutex_lock(&door->lock);
	int state = door->visits ? door->state : -1;
	pthread_mutex_unlock(&door->lock);
	return state;
}

int door_is_open(struct door *door)
{
	pthread_mutex_lock(&door->lock);
	int is_open = door->state == 1;
	pthread_mutex_unlock(&door->lock);
	return is_open;
}
