/* The writer of another module copies the name while the lock is held. */
#include <pthread.h>
#include <string.h>

struct task {
	pthread_mutex_t lock;
	char name[16];
	long runs;
};

void writer_write(void *writer, const char *format, ...);

void task_name(struct task *task, const char *name)
{
	pthread_mutex_lock(&task->lock);
	strncpy(task->name, name, sizeof(task->name) - 1);
	pthread_mutex_unlock(&task->lock);
}

void task_run(struct task *task)
{
	pthread_mutex_lock(&task->lock);
	task->runs++;
	pthread_mutex_unlock(&task->lock);
}

void task_write(struct task *task, void *writer)
{
	pthread_mutex_lock(&task->lock);
	writer_write(writer, "%s: %ld", task->name, task->runs);
	pthread_mutex_unlock(&task->lock);
}
