/* The highest temperature seen, by __atomic builtins: a higher one may come between the comparison and the store. */
#include <stdlib.h>
#ifdef DRIVER
#include <pthread.h>
#endif

/* @thread_safe */
struct record {
	int high;
};

struct record *record_new(void)
{
	return calloc(1, sizeof(struct record));
}

void record_measured(struct record *top, int value)
{
	if (value > __atomic_load_n(&top->high, __ATOMIC_ACQUIRE))
		__atomic_store_n(&top->high, value, __ATOMIC_RELEASE); /* finding: compound high */
}

int record_highest(struct record *top)
{
	return __atomic_load_n(&top->high, __ATOMIC_ACQUIRE);
}

#ifdef DRIVER
static void *mild(void *record)
{
	record_measured(record, 20);
	return NULL;
}

static void *hot(void *record)
{
	record_measured(record, 35);
	return NULL;
}

int main(void)
{
	struct record *record = record_new();
	pthread_t one, two;
	pthread_create(&one, NULL, mild, record);
	pthread_create(&two, NULL, hot, record);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return record_highest(record) != 35;
}
#endif
