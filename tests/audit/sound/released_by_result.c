/* Functions that release their caller's lock: on one of two results, for a moment, or through
   functions that call others. */
#include <pthread.h>

struct queue {
	pthread_mutex_t lock;
	int pending;
	void (*done)(void *);
	void *argument;
};

static void enter(pthread_mutex_t *m)
{
	pthread_mutex_lock(m);
}

static void leave(pthread_mutex_t *m)
{
	pthread_mutex_unlock(m);
}

static void queue_enter(struct queue *q)
{
	enter(&q->lock);
}

static void queue_leave(struct queue *q)
{
	leave(&q->lock);
}

/* Runs the callback without the lock. */
static void report(struct queue *q)
{
	queue_leave(q);
	q->done(q->argument);
	queue_enter(q);
}

static void report_twice(struct queue *q)
{
	report(q);
	report(q);
}

/* Returns -1, without the lock, if the queue is empty. */
static int check(struct queue *q)
{
	if (!q->pending) {
		queue_leave(q);
		return -1;
	}
	return 0;
}

static int check_and_report(struct queue *q)
{
	int error = check(q);

	if (error)
		return error;
	report_twice(q);
	return 0;
}

int queue_step(struct queue *q)
{
	queue_enter(q);
	if (check_and_report(q) < 0)
		return -1;
	q->pending--;
	queue_leave(q);
	return 0;
}

void queue_add(struct queue *q)
{
	queue_enter(q);
	report_twice(q);
	q->pending++;
	queue_leave(q);
}
