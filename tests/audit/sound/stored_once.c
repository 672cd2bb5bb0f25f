/* Who waits for the flag has the lock, who sets it stores it as one, by a volatile lvalue between barriers. */
#include <pthread.h>
#include <stdbool.h>

#define WRITE_ONCE(x, value) (*(volatile __typeof__(x) *)&(x) = (value))

struct turn {
	pthread_mutex_t lock;
	int is_done, waits;
};

void turn_done(struct turn *turn)
{
	__sync_synchronize();
	WRITE_ONCE(turn->is_done, 1);
	__sync_synchronize();
}

void turn_begin(struct turn *turn)
{
	pthread_mutex_lock(&turn->lock);
	turn->is_done = 0;
	turn->waits++;
	pthread_mutex_unlock(&turn->lock);
}

bool turn_is_done(struct turn *turn)
{
	pthread_mutex_lock(&turn->lock);
	bool is = turn->is_done;
	pthread_mutex_unlock(&turn->lock);
	return is;
}
