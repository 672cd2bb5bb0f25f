/* Each item is made anew in each round of a loop, filled, then queued. */
#include <pthread.h>
#include <stdlib.h>
struct item { pthread_mutex_t lock; struct item *next; int off, done; };
struct th { pthread_mutex_t lock; pthread_cond_t cond; struct item *head; };
static void queue_item(struct th *t, struct item *w)
{
	pthread_mutex_lock(&t->lock);
	w->next = t->head;
	t->head = w;
	pthread_mutex_unlock(&t->lock);
	pthread_cond_signal(&t->cond);
}
static void *reader(void *arg)
{
	struct th *t = arg;
	for (;;) {
		pthread_mutex_lock(&t->lock);
		while (!t->head)
			pthread_cond_wait(&t->cond, &t->lock);
		struct item *w = t->head;
		t->head = w->next;
		pthread_mutex_unlock(&t->lock);
		if (w->off < 0)
			return NULL;
		pthread_mutex_lock(&w->lock);
		w->done = 1;
		pthread_mutex_unlock(&w->lock);
	}
}
int main(void)
{
	struct th *t = calloc(1, sizeof(*t));
	pthread_t id;
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->cond, NULL);
	pthread_create(&id, NULL, reader, t);
	for (int i = 0; i < 10; i++) {
		struct item *w = calloc(1, sizeof(*w));
		w->off = i;
		pthread_mutex_init(&w->lock, NULL);
		queue_item(t, w);
	}
	pthread_join(id, NULL);
}
