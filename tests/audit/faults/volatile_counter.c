/* A meter of requests: volatile is taken for atomic where a request is taken back without the lock. */
#include <pthread.h>
#include <stdlib.h>

struct meter {
	pthread_mutex_t lock;
	volatile long requests;
	long bytes;
};

struct meter *meter_new(void)
{
	struct meter *meter = calloc(1, sizeof(*meter));
	if (!meter)
		return NULL;
	pthread_mutex_init(&meter->lock, NULL);
	return meter;
}

void meter_request(struct meter *meter, long bytes)
{
	pthread_mutex_lock(&meter->lock);
	meter->requests++;
	meter->bytes += bytes;
	pthread_mutex_unlock(&meter->lock);
}

long meter_average(struct meter *meter)
{
	pthread_mutex_lock(&meter->lock);
	long average = meter->requests > 0 ? meter->bytes / meter->requests : 0;
	pthread_mutex_unlock(&meter->lock);
	return average;
}

void meter_take_back(struct meter *meter)
{
	meter->requests--; /* finding: P3 requests */
}

#ifdef DRIVER
static void *server(void *meter)
{
	meter_request(meter, 300);
	meter_request(meter, 300);
	return NULL;
}

static void *canceller(void *meter)
{
	meter_take_back(meter);
	meter_take_back(meter);
	return NULL;
}

int main(void)
{
	struct meter *meter = meter_new();
	pthread_t one, two;
	meter_request(meter, 300);
	meter_request(meter, 300);
	pthread_create(&one, NULL, server, meter);
	pthread_create(&two, NULL, canceller, meter);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return meter_average(meter) != 600;
}
#endif
