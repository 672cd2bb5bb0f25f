/* A download that gives out its progress as a struct of plain values, copied one by one under the lock. */
#include <pthread.h>
#include <stdlib.h>

struct progress {
	long done;
	long total;
};

struct download {
	pthread_mutex_t lock;
	long done;
	long total;
};

struct download *download_new(long total)
{
	struct download *download = calloc(1, sizeof(*download));
	if (!download)
		return NULL;
	pthread_mutex_init(&download->lock, NULL);
	download->total = total;
	return download;
}

void download_received(struct download *download, long bytes)
{
	pthread_mutex_lock(&download->lock);
	download->done += bytes;
	if (download->done > download->total)
		download->total = download->done;
	pthread_mutex_unlock(&download->lock);
}

struct progress download_progress(struct download *download)
{
	struct progress progress;
	pthread_mutex_lock(&download->lock);
	progress.done = download->done;
	progress.total = download->total;
	pthread_mutex_unlock(&download->lock);
	return progress;
}
