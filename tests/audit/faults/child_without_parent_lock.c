/* Channels of a hub are guarded by the hub's lock, reached as channel->hub->lock; muting one forgets it. */
#include <pthread.h>
#include <stdlib.h>

struct hub {
	pthread_mutex_t lock;
	int messages;
};

/* @thread_safe */
struct channel {
	struct hub *hub;
	int volume;
};

struct hub *hub_new(void)
{
	struct hub *hub = calloc(1, sizeof(*hub));
	if (!hub)
		return NULL;
	pthread_mutex_init(&hub->lock, NULL);
	return hub;
}

struct channel *channel_new(struct hub *hub)
{
	struct channel *channel = malloc(sizeof(*channel));
	if (!channel)
		return NULL;
	channel->hub = hub;
	channel->volume = 10;
	return channel;
}

void channel_louder(struct channel *channel, int by)
{
	pthread_mutex_lock(&channel->hub->lock);
	channel->volume += by;
	channel->hub->messages++;
	pthread_mutex_unlock(&channel->hub->lock);
}

void channel_softer(struct channel *channel, int by)
{
	channel->volume -= by; /* finding: P3 volume */
}

int channel_volume(struct channel *channel)
{
	pthread_mutex_lock(&channel->hub->lock);
	int volume = channel->volume;
	pthread_mutex_unlock(&channel->hub->lock);
	return volume;
}

#ifdef DRIVER
static void *up(void *channel)
{
	channel_louder(channel, 2);
	channel_louder(channel, 2);
	return NULL;
}

static void *down(void *channel)
{
	channel_softer(channel, 2);
	channel_softer(channel, 2);
	return NULL;
}

int main(void)
{
	struct channel *channel = channel_new(hub_new());
	pthread_t one, two;
	pthread_create(&one, NULL, up, channel);
	pthread_create(&two, NULL, down, channel);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return channel_volume(channel) != 10;
}
#endif
