/* Two locks of the file, reached by pointers and taken by a function of the module: both orders. */
#include <pthread.h>

static pthread_mutex_t rooms_store = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t guests_store = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *rooms_lock = &rooms_store;
static pthread_mutex_t *guests_lock = &guests_store;
static int rooms, guests;

static int enter(pthread_mutex_t *lock)
{
	int result = -1;

	result = pthread_mutex_lock(lock);
	return result;
}

static int leave(pthread_mutex_t *lock)
{
	return pthread_mutex_unlock(lock);
}

void hotel_check_in(void)
{
	enter(rooms_lock);
	enter(guests_lock);
	rooms--;
	guests++;
	leave(guests_lock);
	leave(rooms_lock);
}

void hotel_check_out(void)
{
	enter(guests_lock);
	enter(rooms_lock); /* finding: lock-order rooms_lock guests_lock */
	rooms++;
	guests--;
	leave(rooms_lock);
	leave(guests_lock);
}
