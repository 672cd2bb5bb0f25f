/* One flag decides whether the list's lock is taken and released, and nothing changes it between
   the two. */
#include <pthread.h>
#include <stddef.h>

struct job {
	struct job *next;
	int done;
};

extern int threaded;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *jobs;
static int count;
extern void job_log(const char *what, int count);
extern int job_run(struct job *j);

void jobs_add(struct job *j)
{
	if (threaded)
		pthread_mutex_lock(&lock);
	job_log("add", count);
	j->next = jobs;
	jobs = j;
	count++;
	if (threaded)
		pthread_mutex_unlock(&lock);
}

int jobs_work(void)
{
	struct job *j;
	int done;

	if (threaded)
		pthread_mutex_lock(&lock);
	job_log("work", count);
	j = jobs;
	if (!j) {
		if (threaded)
			pthread_mutex_unlock(&lock);
		return 0;
	}
	jobs = j->next;
	count--;
	if (threaded)
		pthread_mutex_unlock(&lock);
	done = job_run(j);
	if (threaded)
		pthread_mutex_lock(&lock);
	count++;
	job_log("done", count);
	if (threaded)
		pthread_mutex_unlock(&lock);
	return done;
}
