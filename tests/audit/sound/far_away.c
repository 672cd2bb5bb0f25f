/* A lock that is far from where the way to it begins: it is taken all the same. */
#include <pthread.h>

struct shelf {
	pthread_mutex_t lock;
	int books;
};

struct board { struct shelf *shelf; };
struct wall { struct board *board; };
struct room { struct wall *wall; };
struct floor { struct room *room; };
struct house { struct floor *floor; };
struct street { struct house *house; };
struct town { struct street *street; };

/* @thread_safe */
struct book {
	int times_read;
};

static void book_count(struct book *book)
{
	book->times_read++;
}

static void read_at(struct shelf *shelf, struct book *book)
{
	pthread_mutex_lock(&shelf->lock);
	book_count(book);
	pthread_mutex_unlock(&shelf->lock);
}

int times_read(struct shelf *shelf, const struct book *book)
{
	int times;

	pthread_mutex_lock(&shelf->lock);
	times = book->times_read;
	pthread_mutex_unlock(&shelf->lock);
	return times;
}

void read_in(struct town *town, struct book *book)
{
	read_at(town->street->house->floor->room->wall->board->shelf, book);
}
