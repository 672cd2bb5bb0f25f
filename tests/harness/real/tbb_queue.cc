/* oneTBB: concurrent_queue. */
#include <tbb/concurrent_queue.h>

struct subject {
	tbb::concurrent_queue<int> queue;
};

extern "C" {

struct subject *object_new(void)
{
	return new subject;
}

void object_push(struct subject *o, int value)
{
	o->queue.push(value);
}

bool object_pop(struct subject *o, int *value)
{
	return o->queue.try_pop(*value);
}

bool object_empty(struct subject *o)
{
	return o->queue.empty();
}
}
