/* ck: two words under a sequence lock. */
#include <ck_sequence.h>
#include <pthread.h>
#include <stdlib.h>

struct subject {
	pthread_mutex_t lock;
	ck_sequence_t sequence;
	int a, b;
};

struct subject *object_new(void)
{
	struct subject *o = calloc(1, sizeof(*o));

	pthread_mutex_init(&o->lock, NULL);
	ck_sequence_init(&o->sequence);
	return o;
}

void object_set(struct subject *o, int value)
{
	pthread_mutex_lock(&o->lock);
	ck_sequence_write_begin(&o->sequence);
	ck_pr_store_int(&o->a, value);
	ck_pr_store_int(&o->b, value);
	ck_sequence_write_end(&o->sequence);
	pthread_mutex_unlock(&o->lock);
}

int object_get(struct subject *o)
{
	unsigned version;
	int a, b;

	do {
		version = ck_sequence_read_begin(&o->sequence);
		a = ck_pr_load_int(&o->a);
		b = ck_pr_load_int(&o->b);
#ifdef PLANTED
		version = ck_pr_load_uint(&o->sequence.sequence);
#endif
	} while (ck_sequence_read_retry(&o->sequence, version));
	return 10 * a + b;
}
