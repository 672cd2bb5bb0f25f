/* A press is opened once more when its thread has been waited for: nobody but who opens it uses it then. */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct press {
	pthread_mutex_t lock;
	pthread_t thread;
	int pages, left;
	bool ends, runs;
};

static void *print(void *arg)
{
	struct press *press = arg;

	pthread_mutex_lock(&press->lock);
	while (!press->ends && press->left) {
		press->left--;
		press->pages++;
	}
	pthread_mutex_unlock(&press->lock);
	return NULL;
}

static void press_stop(struct press *press)
{
	pthread_mutex_lock(&press->lock);
	press->ends = true;
	pthread_mutex_unlock(&press->lock);
	pthread_join(press->thread, NULL);
	press->pages = 0;
}

void press_start(struct press *press, int pages)
{
	if (press->runs)
		press_stop(press);
	press->left = pages;
	press->ends = false;
	press->runs = pthread_create(&press->thread, NULL, print, press) == 0;
}

int press_pages(struct press *press)
{
	pthread_mutex_lock(&press->lock);
	int pages = press->pages + press->left;
	pthread_mutex_unlock(&press->lock);
	return pages;
}
