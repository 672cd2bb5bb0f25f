/* Devices in a list: a new one gets its number only after it is in the list and the list's lock is let go. */
#include <pthread.h>
#include <stdlib.h>

struct device {
	struct device *next;
	pthread_mutex_t lock;
	int number;
	int opens;
};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct device *devices;

struct device *device_add(int number)
{
	struct device *device = calloc(1, sizeof(*device));
	if (!device)
		return NULL;
	pthread_mutex_init(&device->lock, NULL);
	pthread_mutex_lock(&list_lock);
	device->next = devices;
	devices = device;
	pthread_mutex_unlock(&list_lock);
	device->number = number; /* finding: P2 number */
	return device;
}

int device_newest(void)
{
	pthread_mutex_lock(&list_lock);
	int number = devices ? devices->number : -1;
	pthread_mutex_unlock(&list_lock);
	return number;
}

int device_open(struct device *device)
{
	pthread_mutex_lock(&device->lock);
	int opens = ++device->opens;
	pthread_mutex_unlock(&device->lock);
	return opens;
}

#ifdef DRIVER
static void *plug(void *unused)
{
	device_open(device_add(4));
	device_open(device_add(5));
	return unused;
}

static void *look(void *broken)
{
	for (int i = 0; i < 3; i++)
		if (device_newest() == 0)
			*(int *)broken = 1;
	return NULL;
}

int main(void)
{
	pthread_t one, two;
	int broken = 0;
	pthread_create(&one, NULL, plug, NULL);
	pthread_create(&two, NULL, look, &broken);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return broken;
}
#endif
