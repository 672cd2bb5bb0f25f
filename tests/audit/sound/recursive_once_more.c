/* A recursive lock is taken outside, and once more inside of another one: who holds it waits for no one. */
#include <pthread.h>

static pthread_mutex_t state, guest;
static long lines, guests;

void log_init(void)
{
	pthread_mutexattr_t recursive;

	pthread_mutexattr_init(&recursive);
	pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&state, &recursive);
	pthread_mutex_init(&guest, NULL);
}

static void count_line(void)
{
	pthread_mutex_lock(&state);
	lines++;
	pthread_mutex_unlock(&state);
}

static void log_to_guest(void)
{
	pthread_mutex_lock(&guest);
	guests++;
	count_line();
	pthread_mutex_unlock(&guest);
}

void log_text(void)
{
	pthread_mutex_lock(&state);
	log_to_guest();
	pthread_mutex_unlock(&state);
}

long log_lines(void)
{
	long n;

	pthread_mutex_lock(&state);
	n = lines;
	pthread_mutex_unlock(&state);
	return n;
}
