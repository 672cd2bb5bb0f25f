/* APR: a counter of the library's atomic operations. */
#include <apr_atomic.h>
#include <stdlib.h>

struct subject {
	volatile apr_uint32_t count;
};

struct subject *object_new(void)
{
	return calloc(1, sizeof(struct subject));
}

int object_add(struct subject *o, int number)
{
	return (int)apr_atomic_add32(&o->count, (apr_uint32_t)number);
}

int object_exchange(struct subject *o, int number)
{
	return (int)apr_atomic_xchg32(&o->count, (apr_uint32_t)number);
}

int object_replace(struct subject *o, int old, int number)
{
	return apr_atomic_cas32(&o->count, (apr_uint32_t)number, (apr_uint32_t)old) ==
	       (apr_uint32_t)old;
}

int object_read(struct subject *o)
{
	return (int)apr_atomic_read32(&o->count);
}
