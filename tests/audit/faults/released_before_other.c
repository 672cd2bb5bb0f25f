/* As the sound one, but the callee takes the other lock before it gives the caller's back. */
#include <pthread.h>

static pthread_mutex_t ports_lock = PTHREAD_MUTEX_INITIALIZER, flush_lock = PTHREAD_MUTEX_INITIALIZER;
static int ports, flushes;

static void flush(void)
{
	pthread_mutex_lock(&flush_lock);
	pthread_mutex_unlock(&ports_lock);
	flushes++;
	pthread_mutex_lock(&ports_lock); /* finding: lock-order ports_lock (or the other) */
	ports--;
	pthread_mutex_unlock(&flush_lock);
}

void port_remove(void)
{
	pthread_mutex_lock(&ports_lock);
	if (ports)
		flush(); /* finding: lock-order flush_lock (or the other) */
	pthread_mutex_unlock(&ports_lock);
}

void port_add(void)
{
	pthread_mutex_lock(&ports_lock);
	ports++;
	pthread_mutex_unlock(&ports_lock);
}
