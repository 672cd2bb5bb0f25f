/* A statistics page that is not worth waiting for: a function of its own tries the lock and tells if it was got. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct page {
	pthread_mutex_t lock;
	long views;
	long skipped;
};

static bool page_try(struct page *page)
{
	return pthread_mutex_trylock(&page->lock) == 0;
}

struct page *page_new(void)
{
	struct page *page = calloc(1, sizeof(*page));
	if (!page)
		return NULL;
	pthread_mutex_init(&page->lock, NULL);
	return page;
}

bool page_view(struct page *page)
{
	if (!page_try(page))
		return false;
	page->views++;
	pthread_mutex_unlock(&page->lock);
	return true;
}

long page_skip(struct page *page)
{
	pthread_mutex_lock(&page->lock);
	page->skipped++;
	long all = page->views + page->skipped;
	pthread_mutex_unlock(&page->lock);
	return all;
}
