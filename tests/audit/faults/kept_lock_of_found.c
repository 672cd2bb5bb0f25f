/* The lock of an object that was looked up is kept where it is busy. */
#include <errno.h>
#include <pthread.h>

struct user {
	struct entry *entry;
	int pending;
};

struct entry {
	pthread_mutex_t lock;
	int closed, reads;
};

extern struct user *user_find(int id);

int entry_read(int id)
{
	struct user *u = user_find(id);
	struct entry *e = u->entry;

	pthread_mutex_lock(&e->lock);
	if (e->closed) {
		pthread_mutex_unlock(&e->lock);
		return -EBADF;
	}
	if (u->pending)
		return -EBUSY; /* finding: return-with-lock lock */
	e->reads++;
	pthread_mutex_unlock(&e->lock);
	return 0;
}

int entry_close(int id)
{
	struct entry *e = user_find(id)->entry;

	pthread_mutex_lock(&e->lock);
	e->closed = 1;
	pthread_mutex_unlock(&e->lock);
	return 0;
}
