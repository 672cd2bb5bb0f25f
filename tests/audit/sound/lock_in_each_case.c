/* A robot arm that locks in each case of a switch; the case that does not lock touches nothing. */
#include <pthread.h>
#include <stdlib.h>

enum order { LEFT, RIGHT, HALT, NOTHING };

struct arm {
	pthread_mutex_t lock;
	int position;
	int halted;
};

struct arm *arm_new(void)
{
	struct arm *arm = calloc(1, sizeof(*arm));
	if (!arm)
		return NULL;
	pthread_mutex_init(&arm->lock, NULL);
	return arm;
}

void arm_order(struct arm *arm, enum order order)
{
	switch (order) {
	case LEFT:
		pthread_mutex_lock(&arm->lock);
		arm->position -= !arm->halted;
		pthread_mutex_unlock(&arm->lock);
		break;
	case RIGHT:
		pthread_mutex_lock(&arm->lock);
		arm->position += !arm->halted;
		pthread_mutex_unlock(&arm->lock);
		break;
	case HALT:
		pthread_mutex_lock(&arm->lock);
		arm->halted = 1;
		pthread_mutex_unlock(&arm->lock);
		break;
	case NOTHING:
		break;
	}
}

int arm_position(struct arm *arm)
{
	pthread_mutex_lock(&arm->lock);
	int position = arm->position;
	pthread_mutex_unlock(&arm->lock);
	return position;
}
