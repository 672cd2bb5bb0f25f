/* A stream has a lock only where it is shared; whether it is is asked anew each time, and stays as it is. */
#include <pthread.h>
#include <stdbool.h>

struct stream {
	pthread_mutex_t lock;
	bool is_shared;
	int sent;
};

int stream_send(struct stream *stream, const int *lengths, int count)
{
	int rest = 0;

	for (int i = 0; i < count; i++) {
		if (stream->is_shared)
			pthread_mutex_lock(&stream->lock);
		if (lengths[i] == 0) {
			if (stream->is_shared)
				pthread_mutex_unlock(&stream->lock);
			continue;
		}
		stream->sent += lengths[i];
		rest = stream->sent % 8;
		if (stream->is_shared)
			pthread_mutex_unlock(&stream->lock);
	}
	return rest;
}
