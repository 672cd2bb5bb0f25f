/* A configuration that is written with both of its locks held, so that either is enough to read it. */
#include <pthread.h>
#include <stdlib.h>

struct settings {
	pthread_mutex_t network_lock;
	pthread_mutex_t screen_lock;
	int language;
};

struct settings *settings_new(void)
{
	struct settings *settings = calloc(1, sizeof(*settings));
	if (!settings)
		return NULL;
	pthread_mutex_init(&settings->network_lock, NULL);
	pthread_mutex_init(&settings->screen_lock, NULL);
	return settings;
}

void settings_set_language(struct settings *settings, int language)
{
	pthread_mutex_lock(&settings->network_lock);
	pthread_mutex_lock(&settings->screen_lock);
	settings->language = language;
	pthread_mutex_unlock(&settings->screen_lock);
	pthread_mutex_unlock(&settings->network_lock);
}

int settings_language_to_send(struct settings *settings)
{
	pthread_mutex_lock(&settings->network_lock);
	int language = settings->language;
	pthread_mutex_unlock(&settings->network_lock);
	return language;
}

int settings_language_to_show(struct settings *settings)
{
	pthread_mutex_lock(&settings->screen_lock);
	int language = settings->language;
	pthread_mutex_unlock(&settings->screen_lock);
	return language;
}
