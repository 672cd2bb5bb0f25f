/* A function that locks only for one value of its parameter, compared or switched on, is called
   with another value by those that have the lock; also through a function that passes it on. */
#include <pthread.h>

enum event { EVENT_STATE, EVENT_TITLE, EVENT_ERROR };

struct song {
	pthread_mutex_t lock;
	int title, changes, errors;
};

static int song_title(struct song *s)
{
	int title;

	pthread_mutex_lock(&s->lock);
	title = s->title;
	pthread_mutex_unlock(&s->lock);
	return title;
}

static int note(struct song *s, enum event event)
{
	if (event == EVENT_TITLE)
		return song_title(s);
	return 0;
}

static int note_by_switch(struct song *s, enum event event)
{
	switch (event) {
	case EVENT_STATE:
		return 1;
	case EVENT_TITLE:
		return song_title(s);
	default:
		return 2;
	}
}

static int pass_on(struct song *s, enum event event)
{
	return note(s, event) + note_by_switch(s, event);
}

void song_error(struct song *s)
{
	pthread_mutex_lock(&s->lock);
	s->errors++;
	pass_on(s, EVENT_ERROR);
	pthread_mutex_unlock(&s->lock);
}

void song_set(struct song *s, int title)
{
	pthread_mutex_lock(&s->lock);
	s->title = title;
	s->changes++;
	note(s, EVENT_STATE);
	pthread_mutex_unlock(&s->lock);
	pass_on(s, EVENT_TITLE);
}
