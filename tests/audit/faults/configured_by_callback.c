/* As the sound one, but the function is also an interface, which is called when there are threads. */
#include <pthread.h>
#include <stdlib.h>


struct device {
	pthread_mutex_t lock;
	int value;
};

static struct device *device;

int device_configure(const char *value)
{
	struct device *made = malloc(sizeof(*made));

	if (!made)
		return -1;
	pthread_mutex_init(&made->lock, NULL);
	made->value = atoi(value);
	device = made; /* finding: P2 device */
	return 0;
}

int device_read(void)
{
	int value;

	if (!device)
		return 0;
	pthread_mutex_lock(&device->lock);
	value = device->value++;
	pthread_mutex_unlock(&device->lock);
	return value;
}
