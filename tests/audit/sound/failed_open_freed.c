/* A spool file: what fails while it is made is destroyed and freed again, and nobody has seen it yet. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct spool {
	pthread_mutex_t lock;
	FILE *file;
	long lines;
};

static pthread_mutex_t spool_lock = PTHREAD_MUTEX_INITIALIZER;
static struct spool *spool;

int spool_open(const char *path)
{
	struct spool *fresh = calloc(1, sizeof(*fresh));
	if (!fresh)
		return -1;
	pthread_mutex_init(&fresh->lock, NULL);
	fresh->file = fopen(path, "a");
	if (!fresh->file)
		goto failed;
	pthread_mutex_lock(&spool_lock);
	if (spool) {
		pthread_mutex_unlock(&spool_lock);
		fclose(fresh->file);
		goto failed;
	}
	spool = fresh;
	pthread_mutex_unlock(&spool_lock);
	return 0;
failed:
	pthread_mutex_destroy(&fresh->lock);
	free(fresh);
	return -1;
}

void spool_line(const char *line)
{
	pthread_mutex_lock(&spool_lock);
	struct spool *at = spool;
	pthread_mutex_unlock(&spool_lock);
	if (!at)
		return;
	pthread_mutex_lock(&at->lock);
	fprintf(at->file, "%ld %s\n", ++at->lines, line);
	pthread_mutex_unlock(&at->lock);
}
