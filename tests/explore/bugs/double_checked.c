/* Double-checked initialisation that publishes too early: the pointer is stored before what it points to is filled.
 * Another thread takes the fast path between the two stores and reads a size of 0. */
#include "bug.h"

static struct config {
	volatile int size;
} storage;
static struct config *_Atomic config;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void create(void)
{
	if (!FIXED)
		config = &storage;
	storage.size = 8;
	if (FIXED)
		config = &storage;
}

static void *use(void *arg)
{
	if (!config) {
		pthread_mutex_lock(&lock);
		if (!config)
			create();
		pthread_mutex_unlock(&lock);
	}
	check(config->size == 8, "used before it was filled");
	return arg;
}

int main(void)
{
	start(use, NULL);
	start(use, NULL);
	join_all();
	return 0;
}
