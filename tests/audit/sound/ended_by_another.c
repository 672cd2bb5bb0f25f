/* A page that is asked for stays locked, if there is room, until what was asked for is written. */
#include <pthread.h>

struct page {
	pthread_mutex_t lock;
	int used, size;
};

int page_ask(struct page *page, int bytes)
{
	pthread_mutex_lock(&page->lock);
	if (page->used + bytes <= page->size)
		return 0;
	pthread_mutex_unlock(&page->lock);
	return -1;
}

/* Only after page_ask() has given 0. */
void page_write(struct page *page, int bytes)
{
	page->used += bytes;
	pthread_mutex_unlock(&page->lock);
}

int page_room(struct page *page)
{
	pthread_mutex_lock(&page->lock);
	int room = page->size - page->used;
	pthread_mutex_unlock(&page->lock);
	return room;
}
