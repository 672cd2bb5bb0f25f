/* A function that locks only for one value of its parameter is called with that value by one that
   has the lock. */
#include <pthread.h>

enum event { EVENT_STATE, EVENT_TITLE, EVENT_ERROR };

struct song {
	pthread_mutex_t lock;
	int title;
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
	return note(s, event);
}

void song_set(struct song *s, int title)
{
	pthread_mutex_lock(&s->lock);
	s->title = title;
	pass_on(s, EVENT_TITLE); /* finding: double-lock lock */
	pthread_mutex_unlock(&s->lock);
}
