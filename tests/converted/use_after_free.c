/* Shows a use after free: the sleep is longer than it takes to free. The outcome is a signal. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct connection {
	char name[32];
	void (*on_close)(struct connection *);
};

static struct connection *current;

static void closed(struct connection *c)
{
	c->name[0] = 0;
}

static void *reaper(void *arg)
{
	memset(current, 0, sizeof(*current));
	free(current);
	return arg;
}

static void *user(void *arg)
{
	struct connection *c = current;

	usleep(200000);
	c->on_close(c);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	current = calloc(1, sizeof(*current));
	current->on_close = closed;
	pthread_create(&a, NULL, user, NULL);
	usleep(100000);
	pthread_create(&b, NULL, reaper, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
