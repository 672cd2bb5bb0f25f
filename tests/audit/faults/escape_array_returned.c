/* A login table: the name is looked up under the lock, but what is returned points into the guarded array. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SEATS 8

struct logins {
	pthread_mutex_t lock;
	char names[SEATS][32];
};

struct logins *logins_new(void)
{
	struct logins *logins = calloc(1, sizeof(*logins));
	if (!logins)
		return NULL;
	pthread_mutex_init(&logins->lock, NULL);
	return logins;
}

void logins_set(struct logins *logins, unsigned seat, const char *name)
{
	pthread_mutex_lock(&logins->lock);
	snprintf(logins->names[seat % SEATS], sizeof(logins->names[0]), "%s", name);
	pthread_mutex_unlock(&logins->lock);
}

const char *logins_name(struct logins *logins, unsigned seat)
{
	pthread_mutex_lock(&logins->lock);
	const char *name = logins->names[seat % SEATS];
	pthread_mutex_unlock(&logins->lock);
	return name; /* finding: P1 names */
}
