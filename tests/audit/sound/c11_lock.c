/* A waiting list under a C11 lock, whose condition is a C11 one, too. */
#include <stdlib.h>
#include <threads.h>

struct waiting {
	mtx_t lock;
	cnd_t served;
	int next;
	int serving;
};

struct waiting *waiting_new(void)
{
	struct waiting *waiting = calloc(1, sizeof(*waiting));
	if (!waiting)
		return NULL;
	if (mtx_init(&waiting->lock, mtx_plain) != thrd_success) {
		free(waiting);
		return NULL;
	}
	if (cnd_init(&waiting->served) != thrd_success) {
		mtx_destroy(&waiting->lock);
		free(waiting);
		return NULL;
	}
	return waiting;
}

int waiting_queue(struct waiting *waiting)
{
	mtx_lock(&waiting->lock);
	int number = waiting->next++;
	while (waiting->serving < number)
		cnd_wait(&waiting->served, &waiting->lock);
	mtx_unlock(&waiting->lock);
	return number;
}

void waiting_serve(struct waiting *waiting)
{
	mtx_lock(&waiting->lock);
	waiting->serving++;
	cnd_broadcast(&waiting->served);
	mtx_unlock(&waiting->lock);
}
