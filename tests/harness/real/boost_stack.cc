/* boost: lockfree::stack. */
#include <boost/lockfree/stack.hpp>

struct subject {
	boost::lockfree::stack<int> stack{8};
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
	return o->stack.push(value);
}

bool object_pop(struct subject *o, int *value)
{
	return o->stack.pop(*value);
}

bool object_empty(struct subject *o)
{
	return o->stack.empty();
}
}
