/* A job is put in the queue, where a worker may take it, before it is given the time it is due at. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct job {
	struct job *next;
	atomic_int finished;
	long due;
};

struct queue {
	pthread_mutex_t lock;
	struct job *first;
};

static struct queue queue = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void put(struct job *job)
{
	pthread_mutex_lock(&queue.lock);
	job->next = queue.first;
	queue.first = job;
	pthread_mutex_unlock(&queue.lock);
}

int job_submit(long due)
{
	struct job *job = calloc(1, sizeof(*job));
	if (!job)
		return -1;
	put(job);
	job->due = due; /* finding: P2 due */
	return 0;
}

struct job *job_take(void)
{
	pthread_mutex_lock(&queue.lock);
	struct job *job = queue.first;
	if (job)
		queue.first = job->next;
	pthread_mutex_unlock(&queue.lock);
	return job;
}

long job_finish(struct job *job)
{
	atomic_store(&job->finished, 1);
	return job->due;
}

#ifdef DRIVER
static void *submit(void *unused)
{
	job_submit(100);
	job_submit(100);
	return unused;
}

static void *run(void *broken)
{
	for (int i = 0; i < 3; i++) {
		struct job *job = job_take();
		if (job && job_finish(job) != 100)
			*(int *)broken = 1;
	}
	return NULL;
}

int main(void)
{
	pthread_t one, two;
	int broken = 0;
	pthread_create(&one, NULL, submit, NULL);
	pthread_create(&two, NULL, run, &broken);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return broken;
}
#endif
