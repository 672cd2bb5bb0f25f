/* Jobs that are moved to a list on the stack, to be done without the lock: its items point to its head. */
#include <pthread.h>
#include <stdlib.h>

struct job {
	struct job *next, **prev;
};

struct job_list {
	struct job *first, **last;
};

struct jobs {
	pthread_mutex_t lock;
	struct job_list list;
	int count;
};

static void jobs_move(struct jobs *to, struct jobs *from)
{
	to->list.first = from->list.first;
	to->list.last = from->list.last;
	to->count = from->count;
	if (to->list.first)
		to->list.first->prev = &to->list.first;
	from->list.first = NULL;
	from->list.last = &from->list.first;
	from->count = 0;
}

void jobs_add(struct jobs *jobs, struct job *job)
{
	pthread_mutex_lock(&jobs->lock);
	job->next = NULL;
	job->prev = jobs->list.last;
	*jobs->list.last = job;
	jobs->list.last = &job->next;
	jobs->count++;
	pthread_mutex_unlock(&jobs->lock);
}

int jobs_count(struct jobs *jobs)
{
	pthread_mutex_lock(&jobs->lock);
	int count = jobs->count;
	pthread_mutex_unlock(&jobs->lock);
	return count;
}

int jobs_do(struct jobs *jobs)
{
	struct jobs mine;
	struct job *job;
	int done = 0;
	pthread_mutex_lock(&jobs->lock);
	jobs_move(&mine, jobs);
	pthread_mutex_unlock(&jobs->lock);
	while ((job = mine.list.first)) {
		mine.list.first = job->next;
		mine.count--;
		free(job);
		done++;
	}
	return done + mine.count;
}
