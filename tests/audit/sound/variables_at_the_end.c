/* A trace whose last function sets all of its variables back, when no other thread is left. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *lines;
static int size, first, next;

void trace_size(int wanted)
{
	pthread_mutex_lock(&lock);
	lines = realloc(lines, (size_t)wanted);
	size = wanted;
	pthread_mutex_unlock(&lock);
}

void trace_add(char line)
{
	pthread_mutex_lock(&lock);
	lines[next] = line;
	next = (next + 1) % size;
	if (first == next)
		first = (first + 1) % size;
	pthread_mutex_unlock(&lock);
}

char trace_first(void)
{
	char line;

	pthread_mutex_lock(&lock);
	line = lines[first];
	pthread_mutex_unlock(&lock);
	return line;
}

void trace_end(void)
{
	free(lines);
	lines = NULL;
	size = 0;
	first = 0;
	next = 0;
}
