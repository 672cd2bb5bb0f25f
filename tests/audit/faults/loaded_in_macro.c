/* As the sound one, but the macro stores by an atomic builtin what others read without. */
#include <pthread.h>
#include <stddef.h>

size_t make_type(void);

#define STORE(place, value) __extension__({ __typeof__(*(place)) stored = (value); __atomic_store(place, &stored, __ATOMIC_SEQ_CST); })

static size_t value;

void type_set(void)
{
	STORE(&value, make_type());
}

size_t type(void)
{
	return value; /* finding: P3 value */
}

static pthread_mutex_t calls_lock = PTHREAD_MUTEX_INITIALIZER;
static int calls;

void count(void)
{
	pthread_mutex_lock(&calls_lock);
	calls++;
	pthread_mutex_unlock(&calls_lock);
}
