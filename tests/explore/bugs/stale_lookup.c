/* A reference is taken on an object whose last reference is being dropped.
 * The lookup reads the pointer, the owner drops and frees the object, the lookup counts itself in.
 * (A block of this size is unmapped at once.) */
#include <stdatomic.h>
#include <stdlib.h>
#include "bug.h"

static struct object {
	_Atomic int users;
	char data[400000];
} * _Atomic cached;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void drop(struct object *object)
{
	if (atomic_fetch_sub(&object->users, 1) == 1)
		free(object);
}

static void *look_up(void *arg)
{
	struct object *object;

	if (FIXED)
		pthread_mutex_lock(&lock);
	object = cached;
	if (object)
		atomic_fetch_add(&object->users, 1);
	if (FIXED)
		pthread_mutex_unlock(&lock);
	if (object)
		drop(object);
	return arg;
}

static void *evict(void *arg)
{
	struct object *object;

	pthread_mutex_lock(&lock);
	object = cached;
	cached = NULL;
	pthread_mutex_unlock(&lock);
	drop(object);
	return arg;
}

int main(void)
{
	cached = malloc(sizeof(struct object));
	cached->users = 1;
	start(look_up, NULL);
	start(evict, NULL);
	join_all();
	return 0;
}
