/* Pages and their statistics, each with a lock; all of it is set up by whoever comes first, under a third one. */
#include <pthread.h>
#include <stdbool.h>

static struct pages {
	pthread_mutex_t page_lock, hit_lock;
	int free, hits;
} pages = {.page_lock = PTHREAD_MUTEX_INITIALIZER, .hit_lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_ready;

static void set_up(void)
{
	pages.free = 100;
	pages.hits = 0;
	is_ready = true;
}

void pages_open(void)
{
	pthread_mutex_lock(&first_lock);
	if (!is_ready)
		set_up();
	pthread_mutex_unlock(&first_lock);
}

int pages_take(void)
{
	pthread_mutex_lock(&pages.page_lock);
	int page = pages.free > 0 ? pages.free-- : 0;
	pthread_mutex_unlock(&pages.page_lock);
	return page;
}

void pages_give(void)
{
	pthread_mutex_lock(&pages.page_lock);
	pages.free++;
	pthread_mutex_unlock(&pages.page_lock);
}

void pages_hit(void)
{
	pthread_mutex_lock(&pages.hit_lock);
	pages.hits++;
	pthread_mutex_unlock(&pages.hit_lock);
}

int pages_hits(void)
{
	pthread_mutex_lock(&pages.hit_lock);
	int hits = pages.hits;
	pthread_mutex_unlock(&pages.hit_lock);
	return hits;
}
