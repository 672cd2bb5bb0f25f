/* libuv: two words under a lock of readers and writers. */
#include <stdlib.h>
#include <uv.h>

struct subject {
	uv_rwlock_t lock;
	int a, b;
};

struct subject *object_new(void)
{
	struct subject *o = calloc(1, sizeof(*o));

	uv_rwlock_init(&o->lock);
	return o;
}

int object_add(struct subject *o, int number)
{
	int sum;

	uv_rwlock_wrlock(&o->lock);
	o->a += number;
#ifdef PLANTED
	uv_rwlock_wrunlock(&o->lock);
	uv_rwlock_wrlock(&o->lock);
#endif
	o->b += number;
	sum = 10 * o->a + o->b;
	uv_rwlock_wrunlock(&o->lock);
	return sum;
}

int object_get(struct subject *o)
{
	int both;

	uv_rwlock_rdlock(&o->lock);
	both = 10 * o->a + o->b;
	uv_rwlock_rdunlock(&o->lock);
	return both;
}
