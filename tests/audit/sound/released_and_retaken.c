/* A callee releases its caller's lock for a moment and takes it again, by one-line functions. */
#include <pthread.h>
static void LK(pthread_mutex_t *m) { pthread_mutex_lock(m); }
static void UL(pthread_mutex_t *m) { pthread_mutex_unlock(m); }
struct q { pthread_mutex_t lock; int pending; void (*cb)(void *); void *arg; };
static void handle(struct q *q)
{
	UL(&q->lock);
	q->cb(q->arg);
	LK(&q->lock);
}
void q_step(struct q *q)
{
	LK(&q->lock);
	handle(q);
	UL(&q->lock);
}
void q_add(struct q *q) { LK(&q->lock); q->pending++; UL(&q->lock); }
