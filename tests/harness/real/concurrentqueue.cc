/* moodycamel's ConcurrentQueue: items of one producer are in order, those of several are not. */
#include <concurrentqueue/concurrentqueue.h>

struct subject {
	moodycamel::ConcurrentQueue<int> queue;
};

extern "C" {

struct subject *object_new(void)
{
	return new subject;
}

bool object_push(struct subject *o, int value)
{
	return o->queue.enqueue(value);
}

bool object_pop(struct subject *o, int *value)
{
	return o->queue.try_dequeue(*value);
}

int object_size(struct subject *o)
{
	return (int)o->queue.size_approx();
}
}
