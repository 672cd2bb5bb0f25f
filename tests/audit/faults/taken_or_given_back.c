/* As the sound one, and one way out does not give the lock back. */
#include <pthread.h>

struct requests {
	int waiting, sent;
};

static pthread_mutex_t requests_lock = PTHREAD_MUTEX_INITIALIZER;

static void requests_locked(int wanted)
{
	if (wanted)
		pthread_mutex_lock(&requests_lock);
	else
		pthread_mutex_unlock(&requests_lock);
}

void request_add(struct requests *all)
{
	requests_locked(1);
	all->waiting++;
	requests_locked(0);
}

int request_send(struct requests *all)
{
	requests_locked(1);
	if (!all->waiting)
		goto none;
	all->waiting--;
	requests_locked(0);
	request_add(all);
	return 1;
none:
	return 0; /* finding: return-with-lock requests_lock */
}
