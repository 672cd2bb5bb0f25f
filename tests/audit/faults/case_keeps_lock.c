/* A traffic light: the lock is taken before the switch and let go in each case, but not in the last. */
#include <pthread.h>
#include <stdlib.h>

enum light { RED, GREEN, AMBER };

struct crossing {
	pthread_spinlock_t lock;
	enum light light;
	int cars;
};

struct crossing *crossing_new(void)
{
	struct crossing *crossing = calloc(1, sizeof(*crossing));
	if (!crossing)
		return NULL;
	pthread_spin_init(&crossing->lock, PTHREAD_PROCESS_PRIVATE);
	return crossing;
}

void crossing_step(struct crossing *crossing)
{
	pthread_spin_lock(&crossing->lock);
	switch (crossing->light) {
	case RED:
		crossing->light = GREEN;
		pthread_spin_unlock(&crossing->lock);
		break;
	case GREEN:
		crossing->light = AMBER;
		crossing->cars = 0;
		pthread_spin_unlock(&crossing->lock);
		break;
	case AMBER:
		crossing->light = RED;
		break;
	}
} /* finding: return-with-lock lock */

void crossing_car(struct crossing *crossing)
{
	pthread_spin_lock(&crossing->lock);
	crossing->cars++;
	pthread_spin_unlock(&crossing->lock);
}
