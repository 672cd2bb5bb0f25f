/* A histogram whose caller says whether to lock: without it the bin is written beside those who hold the lock. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct histogram {
	pthread_mutex_t lock;
	long outliers;
};

struct histogram *histogram_new(void)
{
	struct histogram *histogram = calloc(1, sizeof(*histogram));
	if (!histogram)
		return NULL;
	pthread_mutex_init(&histogram->lock, NULL);
	return histogram;
}

void histogram_add(struct histogram *histogram, bool shared)
{
	if (shared)
		pthread_mutex_lock(&histogram->lock);
	histogram->outliers++; /* finding: P3 outliers */
	if (shared)
		pthread_mutex_unlock(&histogram->lock);
}

void histogram_clear(struct histogram *histogram)
{
	pthread_mutex_lock(&histogram->lock);
	histogram->outliers = 0;
	pthread_mutex_unlock(&histogram->lock);
}

long histogram_outliers(struct histogram *histogram)
{
	pthread_mutex_lock(&histogram->lock);
	long outliers = histogram->outliers;
	pthread_mutex_unlock(&histogram->lock);
	return outliers;
}

#ifdef DRIVER
static void *careful(void *histogram)
{
	histogram_add(histogram, true);
	histogram_add(histogram, true);
	return NULL;
}

static void *careless(void *histogram)
{
	histogram_add(histogram, false);
	histogram_add(histogram, false);
	return NULL;
}

int main(void)
{
	struct histogram *histogram = histogram_new();
	pthread_t one, two;
	histogram_clear(histogram);
	pthread_create(&one, NULL, careful, histogram);
	pthread_create(&two, NULL, careless, histogram);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return histogram_outliers(histogram) != 4;
}
#endif
