/* A station that makes its cameras one after the other: what is set in a round is of the new one, which no thread has yet. */
#include <pthread.h>
#include <stdlib.h>

struct camera {
	pthread_mutex_t lock;
	int is_high;
};

struct station {
	struct camera *camera;
	pthread_t thread;
};

static void *watch(void *of)
{
	struct camera *camera = of;
	return camera->is_high ? of : NULL;
}

static struct camera *camera_new(void)
{
	struct camera *camera = calloc(1, sizeof(*camera));
	if (camera)
		pthread_mutex_init(&camera->lock, NULL);
	return camera;
}

int station_start(struct station *station)
{
	for (int i = 0; i < 2; i++) {
		station->camera = camera_new();
		if (!station->camera)
			return -1;
		station->camera->is_high = i;
		pthread_create(&station->thread, NULL, watch, station->camera);
	}
	return 0;
}
