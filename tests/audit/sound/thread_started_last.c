/* A worker that is told all it has to know before its thread is started; the result is read after the join. */
#include <pthread.h>
#include <stdlib.h>

/* @thread_safe */
struct task {
	pthread_t thread;
	const int *numbers;
	int size;
	long sum;
};

static void *add_up(void *arg)
{
	struct task *task = arg;
	long sum = 0;
	for (int i = 0; i < task->size; i++)
		sum += task->numbers[i];
	task->sum = sum;
	return NULL;
}

struct task *task_start(const int *numbers, int size)
{
	struct task *task = calloc(1, sizeof(*task));
	if (!task)
		return NULL;
	task->numbers = numbers;
	task->size = size;
	if (pthread_create(&task->thread, NULL, add_up, task) != 0) {
		free(task);
		return NULL;
	}
	return task;
}

long task_finish(struct task *task)
{
	pthread_join(task->thread, NULL);
	long sum = task->sum;
	free(task);
	return sum;
}
