/*
 * A queue of jobs and one worker. The main thread puts jobs into the queue, closes it, and waits
 * until the worker has done what was left.
 *
 * queue_take() has a bug: it waits once for "something changed" and then takes a job without
 * looking again. A worker that is already waiting when the queue is closed takes a job that is not
 * there. A worker that is still busy at that moment, which is the usual case, finds the queue
 * closed.
 *
 * usage: jobs [TEXT...]
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#define SLOTS	   16
#define PRINTER_MS 8

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	const char *job[SLOTS];
	int first, count;
	bool closed;
};

static bool queue_put(struct queue *q, const char *job)
{
	bool room;

	pthread_mutex_lock(&q->lock);
	room = q->count < SLOTS && !q->closed;
	if (room) {
		q->job[(q->first + q->count) % SLOTS] = job;
		q->count++;
		pthread_cond_signal(&q->changed);
	}
	pthread_mutex_unlock(&q->lock);
	return room;
}

/* The next job, or NULL when there is none and the queue has been closed. */
static const char *queue_take(struct queue *q)
{
	const char *job = NULL;

	pthread_mutex_lock(&q->lock);
	if (q->count > 0 || !q->closed) {
		if (q->count == 0) /* the bug: `while`, and look at `closed` again */
			pthread_cond_wait(&q->changed, &q->lock);
		assert(q->count > 0);
		job = q->job[q->first];
		q->first = (q->first + 1) % SLOTS;
		q->count--;
	}
	pthread_mutex_unlock(&q->lock);
	return job;
}

/* No more jobs will come: whoever waits for one is told. */
static void queue_close(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->closed = true;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
}

/* What is done with a job: a label is printed, and the printer is slow. */
static void print_label(const char *job)
{
	struct timespec t = {.tv_nsec = PRINTER_MS * 1000000L};

	nanosleep(&t, NULL);
	printf("printed %s\n", job);
}

static void *worker(void *arg)
{
	struct queue *q = arg;
	const char *job;

	while ((job = queue_take(q)) != NULL)
		print_label(job);
	return NULL;
}

int main(int argc, char **argv)
{
	static const char *const usual[] = {"north", "east", "south", "west"};
	static struct queue q = {.lock = PTHREAD_MUTEX_INITIALIZER,
				 .changed = PTHREAD_COND_INITIALIZER};
	const char *const *jobs = argc > 1 ? (const char *const *)argv + 1 : usual;
	int count = argc > 1 ? argc - 1 : 4;
	pthread_t thread;

	for (int i = 0; i < count; i++) {
		if (!queue_put(&q, jobs[i])) {
			fprintf(stderr, "jobs: the queue is full\n");
			return 2;
		}
	}
	if (pthread_create(&thread, NULL, worker, &q) != 0) {
		fprintf(stderr, "jobs: cannot start the worker\n");
		return 2;
	}
	queue_close(&q);
	pthread_join(thread, NULL);
	printf("%d jobs done\n", count);
	return 0;
}
