/* A renderer that lets go of the lock while it works on its own copy, and takes it again for the result. */
#include <pthread.h>
#include <stdlib.h>

struct renderer {
	pthread_mutex_t lock;
	int waiting;
	long pixels;
};

struct renderer *renderer_new(void)
{
	struct renderer *renderer = calloc(1, sizeof(*renderer));
	if (!renderer)
		return NULL;
	pthread_mutex_init(&renderer->lock, NULL);
	return renderer;
}

void renderer_add(struct renderer *renderer)
{
	pthread_mutex_lock(&renderer->lock);
	renderer->waiting++;
	pthread_mutex_unlock(&renderer->lock);
}

static long render(int number)
{
	long pixels = 0;
	for (int i = 0; i < 100; i++)
		pixels += i % (number + 1);
	return pixels;
}

long renderer_run(struct renderer *renderer)
{
	pthread_mutex_lock(&renderer->lock);
	while (renderer->waiting > 0) {
		int number = renderer->waiting--;
		pthread_mutex_unlock(&renderer->lock);
		long pixels = render(number);
		pthread_mutex_lock(&renderer->lock);
		renderer->pixels += pixels;
	}
	long pixels = renderer->pixels;
	pthread_mutex_unlock(&renderer->lock);
	return pixels;
}
