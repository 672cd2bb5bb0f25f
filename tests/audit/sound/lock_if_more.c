/* Conditions that decide about a lock twice: a number that is greater, a bit, a result that is kept. */
#include <pthread.h>
#include <stdlib.h>

enum { SHARED = 4 };

struct store {
	pthread_mutex_t *lock;
	int flags, count, bytes;
};

extern int threads;
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static int listed;
extern void note(const char *what);
extern int fill(struct store *s);

static int store_lock(struct store *s)
{
	return pthread_mutex_lock(s->lock) == 0;
}

static int store_unlock(struct store *s)
{
	return pthread_mutex_unlock(s->lock) == 0;
}

void list_add(void)
{
	if (threads > 1)
		pthread_mutex_lock(&list_lock);
	note("add");
	listed++;
	if (threads >= 2)
		pthread_mutex_unlock(&list_lock);
	note("added");
	if (threads > 1)
		pthread_mutex_lock(&list_lock);
	listed--;
	if (threads > 1)
		pthread_mutex_unlock(&list_lock);
}

void store_add(struct store *s, int bytes)
{
	if (s->flags & SHARED)
		pthread_mutex_lock(s->lock);
	note("store");
	s->bytes += bytes;
	if (s->flags & SHARED)
		pthread_mutex_unlock(s->lock);
	note("stored");
	if (s->flags & SHARED)
		pthread_mutex_lock(s->lock);
	s->count++;
	if (s->flags & SHARED)
		pthread_mutex_unlock(s->lock);
}

int store_fill(struct store *s)
{
	int locked = s->lock ? store_lock(s) : 1, filled = 0;

	if (locked && fill(s))
		filled = 1;
	if (locked)
		(void)(s->lock ? store_unlock(s) : 1);
	return filled;
}

int store_fill_all(struct store *s, int n)
{
	for (int i = 0; i < n; i++)
		if (!store_fill(s + i))
			return 0;
	return 1;
}
