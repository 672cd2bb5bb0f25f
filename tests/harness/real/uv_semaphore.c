/* libuv: the semaphore; a call that would wait is a call that tries. */
#include <stdlib.h>
#include <uv.h>

struct subject {
	uv_sem_t semaphore;
};

struct subject *object_new(void)
{
	struct subject *o = calloc(1, sizeof(*o));

	uv_sem_init(&o->semaphore, 1);
	return o;
}

void object_free(struct subject *o)
{
	uv_sem_destroy(&o->semaphore);
	free(o);
}

void object_post(struct subject *o)
{
	uv_sem_post(&o->semaphore);
}

int object_trywait(struct subject *o)
{
	return uv_sem_trywait(&o->semaphore);
}
