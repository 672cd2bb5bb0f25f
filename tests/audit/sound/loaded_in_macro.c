/* A macro loads the variable by an atomic builtin; one thread makes the value, and it does not change then. */
#include <pthread.h>
#include <stddef.h>

int once_enter(void *place);
void once_leave(void *place, size_t value);
size_t make_type(void);

#define LOADED(place) __extension__({ __typeof__(*(place)) loaded; __atomic_load(place, &loaded, __ATOMIC_SEQ_CST); loaded; })
#define ONCE(place) (!LOADED(place) && once_enter(place))

size_t type(void)
{
	static size_t value;

	if (ONCE(&value))
		once_leave(&value, make_type());
	return value;
}

static pthread_mutex_t calls_lock = PTHREAD_MUTEX_INITIALIZER;
static int calls;

void count(void)
{
	pthread_mutex_lock(&calls_lock);
	calls++;
	pthread_mutex_unlock(&calls_lock);
}
