/*
 * memcached 1.6.18, logger.c: a line that finds no room is counted when the lock was given back already, and the
 * logger's thread takes the count and sets it to 0 under the lock. Such a line is counted twice, or not at all.
 *
 * cc -g -pthread -DHAVE_CONFIG_H -I... memcached_dropped.c logger.c bipbuffer.c; ends with 1 when the count is wrong.
 */
#include "memcached.h"

#include <unistd.h>

enum { LINES = 3 };

/* ---- what logger.c takes from the rest of memcached -------------------------------------------------------- */

struct settings settings = {.logger_buf_size = 600, .logger_watcher_buf_size = 1024};
struct stats stats;
struct stats_state stats_state;
volatile rel_time_t current_time;
static pthread_mutex_t stats_lock = PTHREAD_MUTEX_INITIALIZER;

void STATS_LOCK(void)
{
	pthread_mutex_lock(&stats_lock);
}

void STATS_UNLOCK(void)
{
	pthread_mutex_unlock(&stats_lock);
}

void thread_setname(pthread_t thread, const char *name)
{
	(void)thread, (void)name;
}

void sidethread_conn_close(conn *c)
{
	(void)c;
}

bool uriencode(const char *src, char *dst, const size_t srclen, const size_t dstlen)
{
	(void)src, (void)dst, (void)srclen, (void)dstlen;
	return false;
}

/* ---- a worker: its buffer has room for one line -------------------------------------------------------------- */

static logger *own;
static uint64_t dropped;

/* A client that watches, and takes all that it is sent. */
static ssize_t take(conn *c, void *buf, size_t count)
{
	(void)c, (void)buf;
	return (ssize_t)count;
}

static void *worker(void *arg)
{
	for (int i = 0; i < LINES; i++)
		dropped += logger_log(own, LOGGER_SLAB_MOVE, NULL, i, i) == LOGGER_RET_NOSPACE;
	return arg;
}

int main(void)
{
	conn watcher = {.write = take};
	pthread_t thread;
	int ends[2];

	if (pipe(ends) < 0)
		return 2;
	logger_init();
	own = logger_create();
	logger_add_watcher(&watcher, ends[1], LOG_SYSEVENTS);
	pthread_create(&thread, NULL, worker, NULL);
	pthread_join(thread, NULL);
	logger_stop();
	return stats.log_worker_dropped + own->dropped != dropped;
}
