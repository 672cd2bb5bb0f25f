// httrack pull request 321 (issue 297): two threads lock a mutex for the first time. Needs htsthread.c of httrack: the
// parent of de26ad88 has the bug, de26ad88 the repair.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
typedef void *htsmutex;
void hts_mutexlock(htsmutex *mutex);
void hts_mutexrelease(htsmutex *mutex);

static htsmutex mutex;
static volatile int inside;

static void *enter(void *unused)
{
	(void)unused;
	hts_mutexlock(&mutex);
	assert(!inside);
	inside = 1;
	inside = 0;
	hts_mutexrelease(&mutex);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, enter, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
