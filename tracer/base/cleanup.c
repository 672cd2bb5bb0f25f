/* Lists of data to free together with an object. */
#include "tracer/base/cleanup.h"

void cleanup_add(struct cleanups *c, void (*run)(void *data), void *data)
{
	*array_add(&c->all) = (struct cleanup){run, data};
}

void *cleanup_alloc(struct cleanups *c, size_t size, void (*run)(void *data))
{
	void *data = base_alloc(1, size);

	cleanup_add(c, run, data);
	return data;
}

void cleanups_run(struct cleanups *c)
{
	while (c->all.count) {
		struct cleanup last = c->all.items[--c->all.count];

		last.run(last.data);
	}
	array_fini(&c->all);
}
