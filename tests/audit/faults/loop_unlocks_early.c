/* A spooler that empties in batches: in each turn of its loop the batch is subtracted after the lock is let go. */
#include <pthread.h>
#include <stdlib.h>

struct spooler {
	pthread_mutex_t lock;
	int pages;
};

struct spooler *spooler_new(int pages)
{
	struct spooler *spooler = malloc(sizeof(*spooler));
	if (!spooler)
		return NULL;
	pthread_mutex_init(&spooler->lock, NULL);
	spooler->pages = pages;
	return spooler;
}

void spooler_add(struct spooler *spooler, int pages)
{
	pthread_mutex_lock(&spooler->lock);
	spooler->pages += pages;
	pthread_mutex_unlock(&spooler->lock);
}

int spooler_print(struct spooler *spooler, int most)
{
	int printed = 0;
	while (printed < most) {
		pthread_mutex_lock(&spooler->lock);
		int batch = spooler->pages < 4 ? spooler->pages : 4;
		pthread_mutex_unlock(&spooler->lock);
		if (batch == 0)
			break;
		spooler->pages -= batch; /* finding: P3 pages */
		printed += batch;
	}
	return printed;
}

int spooler_pages(struct spooler *spooler)
{
	pthread_mutex_lock(&spooler->lock);
	int pages = spooler->pages;
	pthread_mutex_unlock(&spooler->lock);
	return pages;
}

#ifdef DRIVER
static void *printer(void *spooler)
{
	spooler_print(spooler, 8);
	return NULL;
}

static void *writer(void *spooler)
{
	spooler_add(spooler, 4);
	spooler_add(spooler, 4);
	return NULL;
}

int main(void)
{
	struct spooler *spooler = spooler_new(16);
	pthread_t one, two;
	pthread_create(&one, NULL, printer, spooler);
	pthread_create(&two, NULL, writer, spooler);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return spooler_pages(spooler) != 16;
}
#endif
