/* A reference count whose release counts down and looks at the rest in two steps: two threads may both see none
   left, or neither. */
#include <stdatomic.h>
#include <stdlib.h>

struct shared {
	atomic_int count;
};

/* Two hold it. */
struct shared *shared_new(void)
{
	struct shared *s = calloc(1, sizeof(*s));

	atomic_store(&s->count, 2);
	return s;
}

int shared_hold(struct shared *s)
{
	return atomic_fetch_add(&s->count, 1) + 1;
}

/* 1 for the last one, who would free it. */
int shared_let_go(struct shared *s)
{
	atomic_fetch_sub(&s->count, 1);
	return atomic_load(&s->count) == 0;
}
