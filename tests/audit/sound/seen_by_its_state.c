/* A job is given its page under its own lock; the worker waits there for the state to change, and counts the page under the lock of
   the office. */
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

	pthread_mutex_lock(&job->lock);
	while (!job->state)
		pthread_cond_wait(&job->changed, &job->lock);
	pthread_mutex_unlock(&job->lock);
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
	job->page = page;
	job->state = 1;
	pthread_cond_signal(&job->changed);
	pthread_mutex_unlock(&job->lock);
}
