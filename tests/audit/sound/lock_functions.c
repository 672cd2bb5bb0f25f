/* A shelf that is locked and unlocked by functions of its own; to whoever reads only the bodies no lock is in sight. */
#include <pthread.h>
#include <stdlib.h>

struct shelf {
	pthread_mutex_t lock;
	int books;
	int lent;
};

static void shelf_lock(struct shelf *shelf)
{
	pthread_mutex_lock(&shelf->lock);
}

static void shelf_unlock(struct shelf *shelf)
{
	pthread_mutex_unlock(&shelf->lock);
}

struct shelf *shelf_new(int books)
{
	struct shelf *shelf = calloc(1, sizeof(*shelf));
	if (!shelf)
		return NULL;
	pthread_mutex_init(&shelf->lock, NULL);
	shelf->books = books;
	return shelf;
}

int shelf_lend(struct shelf *shelf)
{
	shelf_lock(shelf);
	if (shelf->books == 0) {
		shelf_unlock(shelf);
		return -1;
	}
	shelf->books--;
	int lent = ++shelf->lent;
	shelf_unlock(shelf);
	return lent;
}

void shelf_give_back(struct shelf *shelf)
{
	shelf_lock(shelf);
	shelf->books++;
	shelf->lent--;
	shelf_unlock(shelf);
}
