/* A list that is linked through its items: the address of its head is only used with the lock, or on a new one. */
#include <pthread.h>
#include <stdlib.h>

struct link {
	struct link *next, *prev;
};

static inline void link_between(struct link *new, struct link *prev, struct link *next)
{
	next->prev = new;
	new->next = next;
	new->prev = prev;
	prev->next = new;
}

static inline void link_add(struct link *new, struct link *head)
{
	link_between(new, head, head->next);
}

static inline int link_is_empty(const struct link *head)
{
	return head->next == head;
}

struct shelf {
	pthread_mutex_t lock;
	struct link books;
	int count;
};

struct book {
	struct link link;
	int pages;
};

struct shelf *shelf_new(void)
{
	struct shelf *shelf = malloc(sizeof(*shelf));

	if (!shelf)
		return NULL;
	pthread_mutex_init(&shelf->lock, NULL);
	shelf->books.next = shelf->books.prev = &shelf->books;
	shelf->count = 0;
	return shelf;
}

void shelf_put(struct shelf *shelf, struct book *book)
{
	pthread_mutex_lock(&shelf->lock);
	link_add(&book->link, &shelf->books);
	shelf->count++;
	pthread_mutex_unlock(&shelf->lock);
}

int shelf_is_empty(struct shelf *shelf)
{
	int is_empty;

	pthread_mutex_lock(&shelf->lock);
	is_empty = link_is_empty(&shelf->books);
	pthread_mutex_unlock(&shelf->lock);
	return is_empty;
}

void shelf_return(struct shelf *shelf, struct book *book)
{
	pthread_mutex_lock(&shelf->lock);
	link_add(&book->link, &shelf->books);
	shelf->count++;
	pthread_mutex_unlock(&shelf->lock);
}

struct shelf *shelf_with(struct book *book)
{
	struct shelf *shelf = shelf_new();

	if (!shelf)
		return NULL;
	shelf->count = 1;
	link_add(&book->link, &shelf->books);
	return shelf;
}
