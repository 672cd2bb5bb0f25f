/* A volume control that stores the address of its guarded level in the view it is asked for. */
#include <pthread.h>
#include <stdlib.h>

struct level_view {
	const char *title;
	const int *value;
};

struct mixer {
	pthread_mutex_t lock;
	int level;
};

struct mixer *mixer_new(void)
{
	struct mixer *mixer = calloc(1, sizeof(*mixer));
	if (!mixer)
		return NULL;
	pthread_mutex_init(&mixer->lock, NULL);
	return mixer;
}

int mixer_change(struct mixer *mixer, int by)
{
	pthread_mutex_lock(&mixer->lock);
	mixer->level += by;
	int level = mixer->level;
	pthread_mutex_unlock(&mixer->lock);
	return level;
}

void mixer_view(struct mixer *mixer, struct level_view *view)
{
	view->title = "level";
	view->value = &mixer->level; /* finding: P1 level */
}
