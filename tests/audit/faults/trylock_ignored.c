/* Samples: the trylock is there to not wait, but the sample is counted even when the lock was not got. */
#include <pthread.h>
#include <stdlib.h>

struct sampler {
	pthread_mutex_t lock;
	long samples;
	long sum;
};

struct sampler *sampler_new(void)
{
	struct sampler *sampler = calloc(1, sizeof(*sampler));
	if (!sampler)
		return NULL;
	pthread_mutex_init(&sampler->lock, NULL);
	return sampler;
}

void sampler_add(struct sampler *sampler, long value)
{
	pthread_mutex_lock(&sampler->lock);
	sampler->samples++;
	sampler->sum += value;
	pthread_mutex_unlock(&sampler->lock);
}

void sampler_count_quickly(struct sampler *sampler)
{
	int failed = pthread_mutex_trylock(&sampler->lock);
	sampler->samples++; /* finding: P3 samples */
	if (!failed)
		pthread_mutex_unlock(&sampler->lock);
}

long sampler_mean(struct sampler *sampler)
{
	pthread_mutex_lock(&sampler->lock);
	long mean = sampler->samples ? sampler->sum / sampler->samples : 0;
	pthread_mutex_unlock(&sampler->lock);
	return mean;
}

#ifdef DRIVER
static void *adder(void *sampler)
{
	sampler_add(sampler, 600);
	sampler_add(sampler, 600);
	return NULL;
}

static void *counter(void *sampler)
{
	sampler_count_quickly(sampler);
	sampler_count_quickly(sampler);
	return NULL;
}

int main(void)
{
	struct sampler *sampler = sampler_new();
	pthread_t one, two;
	pthread_create(&one, NULL, adder, sampler);
	pthread_create(&two, NULL, counter, sampler);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return sampler_mean(sampler) != 300;
}
#endif
