/* boost: lockfree::spsc_queue, used by several producers and consumers; misuse. */
#include <boost/lockfree/spsc_queue.hpp>

struct subject {
	boost::lockfree::spsc_queue<int> queue{8};
};

extern "C" {

struct subject *object_new(void)
{
	return new subject;
}

void object_free(struct subject *o)
{
	delete o;
}

bool object_push(struct subject *o, int value)
{
	return o->queue.push(value);
}

bool object_pop(struct subject *o, int *value)
{
	return o->queue.pop(*value);
}
}
