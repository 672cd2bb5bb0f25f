/* A progress that one thread alone moves on, in two steps, and others read. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct progress {
	pthread_mutex_t lock;
	atomic_int done;
};

static struct progress progress = {PTHREAD_MUTEX_INITIALIZER, 0};

static void *show(void *unused)
{
	return atomic_load(&progress.done) > 1 ? NULL : unused;
}

static void step(void)
{
	int done = atomic_load(&progress.done);
	atomic_store(&progress.done, done + 1);
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, show, NULL);
	step();
	pthread_join(thread, NULL);
	return 0;
}
