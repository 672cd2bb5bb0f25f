/* A counter whose increment reads and writes, each atomically and relaxed, but not both at once. */
#include <stdatomic.h>

struct counter {
	atomic_long n;
};

void counter_init(struct counter *c)
{
	atomic_init(&c->n, 0);
}

long counter_add(struct counter *c, int by)
{
	long n = atomic_load_explicit(&c->n, memory_order_relaxed);

	atomic_store_explicit(&c->n, n + by, memory_order_relaxed);
	return n + by;
}

long counter_get(const struct counter *c)
{
	return atomic_load_explicit(&c->n, memory_order_relaxed);
}
