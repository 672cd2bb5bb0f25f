/* Two bit-fields with a lock each, in two words: one of width 0 is between them. */
#include <pthread.h>

struct lamp {
	pthread_mutex_t power_lock, colour_lock;
	unsigned is_on : 1;
	unsigned : 0;
	unsigned colour : 7;
	int switched;
};

void lamp_switch(struct lamp *lamp)
{
	pthread_mutex_lock(&lamp->power_lock);
	lamp->is_on = !lamp->is_on;
	lamp->switched++;
	pthread_mutex_unlock(&lamp->power_lock);
}

int lamp_is_on(struct lamp *lamp)
{
	int is_on;

	pthread_mutex_lock(&lamp->power_lock);
	is_on = lamp->is_on;
	pthread_mutex_unlock(&lamp->power_lock);
	return is_on;
}

void lamp_paint(struct lamp *lamp, int colour)
{
	pthread_mutex_lock(&lamp->colour_lock);
	lamp->colour = colour;
	pthread_mutex_unlock(&lamp->colour_lock);
}

int lamp_colour(struct lamp *lamp)
{
	int colour;

	pthread_mutex_lock(&lamp->colour_lock);
	colour = lamp->colour;
	pthread_mutex_unlock(&lamp->colour_lock);
	return colour;
}
