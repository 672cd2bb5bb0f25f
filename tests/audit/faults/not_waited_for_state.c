/* As seen_by_its_state.c, and the worker waits for nothing. */
#include <pthread.h>
#include <stddef.h>

struct office {
	pthread_mutex_t lock;
	int pages, last;
};

struct job {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	struct office *office;
	int state, page;
};

static void *work(void *arg)
{
	struct job *job = arg;

	pthread_mutex_lock(&job->office->lock);
	job->office->pages++;
	if (job->page > 1)
		job->office->last = job->page;
	job->office->pages += job->page;
	pthread_mutex_unlock(&job->office->lock);
	return NULL;
}

void job_start(struct job *job)
{
	pthread_create(&job->thread, NULL, work, job);
}

void job_give(struct job *job, int page)
{
	pthread_mutex_lock(&job->lock);
	job->page = page; /* finding: P3 page */
	job->state = 1;
	pthread_cond_signal(&job->changed);
	pthread_mutex_unlock(&job->lock);
}
