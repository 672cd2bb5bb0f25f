/* What the programs of this folder share: threads that are started and joined, and one way to fail.
 * Each program is one bug; built with -DFIXED it is its twin, which fails in no interleaving. Both accesses of a
 * bug stand on lines of their own, so that the window is there at -O2 and a gate can name it. */
#ifndef BUG_H
#define BUG_H

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#ifndef FIXED
#define FIXED 0
#endif

static pthread_t started[128];
static int how_many;

static inline void check(int holds, const char *or_else)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", or_else);
	_exit(1);
}

/* What makes a program pass nearly always, by itself: somebody else has the time to go on. */
static inline void give_time(void)
{
	usleep(2000);
}

static inline pthread_t start(void *(*routine)(void *), void *argument)
{
	check(!pthread_create(&started[how_many], NULL, routine, argument), "no thread");
	return started[how_many++];
}

static inline void join_all(void)
{
	while (how_many > 0)
		pthread_join(started[--how_many], NULL);
}

#endif
