/* The host gets the functions and calls the first one while it reads its configuration, before its threads. */
#include <pthread.h>
#include <stdlib.h>

struct host {
	int (*configure)(const char *value);
	int (*read)(void);
};

struct device {
	pthread_mutex_t lock;
	int value;
};

static struct device *device;

static int configure(const char *value)
{
	struct device *made = malloc(sizeof(*made));

	if (!made)
		return -1;
	pthread_mutex_init(&made->lock, NULL);
	made->value = atoi(value);
	device = made;
	return 0;
}

static int read_value(void)
{
	int value;

	if (!device)
		return 0;
	pthread_mutex_lock(&device->lock);
	value = device->value++;
	pthread_mutex_unlock(&device->lock);
	return value;
}

void plugin(struct host *host)
{
	host->configure = configure;
	host->read = read_value;
}
