/* The thread resets what others count, before it makes a thread of its own: its creator has the object already. */
#include <pthread.h>
#include <stdlib.h>
struct player {
	pthread_mutex_t lock;
	pthread_cond_t more;
	pthread_t thread;
	int refresh;
	int running;
};

void player_refresh(struct player *p)
{
	pthread_mutex_lock(&p->lock);
	p->refresh++;
	pthread_cond_broadcast(&p->more);
	pthread_mutex_unlock(&p->lock);
}

static void *video_thread(void *arg)
{
	struct player *p = arg;

	while (p->running)
		;
	return NULL;
}

static void *player_thread(void *arg)
{
	struct player *p = arg;
	pthread_t video;

	p->refresh = 0; /* finding: P3 refresh */
	pthread_create(&video, NULL, video_thread, p);
	while (p->running) {
		pthread_mutex_lock(&p->lock);
		while (p->refresh <= 0)
			pthread_cond_wait(&p->more, &p->lock);
		p->refresh--;
		pthread_mutex_unlock(&p->lock);
	}
	return NULL;
}

int player_start(struct player *p)
{
	return pthread_create(&p->thread, NULL, player_thread, p);
}

struct player *player_new(void)
{
	struct player *p = calloc(1, sizeof(*p));

	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->more, NULL);
	return p;
}
