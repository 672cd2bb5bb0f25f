/* A host name that is copied into the caller's buffer under the lock: the library sees the field's address, nobody keeps it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct host {
	pthread_mutex_t lock;
	char name[64];
};

struct host *host_new(void)
{
	struct host *host = calloc(1, sizeof(*host));
	if (!host)
		return NULL;
	pthread_mutex_init(&host->lock, NULL);
	return host;
}

void host_rename(struct host *host, const char *name)
{
	pthread_mutex_lock(&host->lock);
	snprintf(host->name, sizeof(host->name), "%s", name);
	pthread_mutex_unlock(&host->lock);
}

void host_name(struct host *host, char *buffer, size_t size)
{
	pthread_mutex_lock(&host->lock);
	size_t length = strnlen(host->name, sizeof(host->name) - 1);
	if (length >= size)
		length = size - 1;
	memcpy(buffer, host->name, length);
	buffer[length] = '\0';
	pthread_mutex_unlock(&host->lock);
}
