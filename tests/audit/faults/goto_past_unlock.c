/* An upload: of the two labels at the end the goto takes the one behind the unlock. */
#include <pthread.h>
#include <stdlib.h>

struct upload {
	pthread_mutex_t lock;
	long expected;
	long received;
};

struct upload *upload_new(long expected)
{
	struct upload *upload = calloc(1, sizeof(*upload));
	if (!upload)
		return NULL;
	pthread_mutex_init(&upload->lock, NULL);
	upload->expected = expected;
	return upload;
}

int upload_part(struct upload *upload, long bytes)
{
	int result = -1;
	if (bytes < 0)
		goto out;
	pthread_mutex_lock(&upload->lock);
	if (upload->received + bytes > upload->expected)
		goto out;
	upload->received += bytes;
	result = upload->received == upload->expected;
	pthread_mutex_unlock(&upload->lock);
out:
	return result; /* finding: return-with-lock lock */
}

void upload_restart(struct upload *upload)
{
	pthread_mutex_lock(&upload->lock);
	upload->received = 0;
	pthread_mutex_unlock(&upload->lock);
}
