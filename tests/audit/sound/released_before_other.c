/* A callee gives the caller's lock back before it takes another one, and takes it again without that. */
#include <pthread.h>

static pthread_mutex_t ports_lock = PTHREAD_MUTEX_INITIALIZER, flush_lock = PTHREAD_MUTEX_INITIALIZER;
static int ports, flushes;

static void flush(void)
{
	pthread_mutex_unlock(&ports_lock);
	pthread_mutex_lock(&flush_lock);
	flushes++;
	pthread_mutex_lock(&ports_lock);
	ports--;
	pthread_mutex_unlock(&flush_lock);
}

void port_remove(void)
{
	pthread_mutex_lock(&ports_lock);
	if (ports)
		flush();
	pthread_mutex_unlock(&ports_lock);
}

void port_add(void)
{
	pthread_mutex_lock(&ports_lock);
	ports++;
	pthread_mutex_unlock(&ports_lock);
}
