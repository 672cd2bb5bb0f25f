/* Whoever takes both locks holds a third one around them. */
#include <pthread.h>

struct pair {
	pthread_mutex_t left, right;
	int in_left, in_right;
};

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

void pair_to_right(struct pair *p)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_lock(&p->left);
	pthread_mutex_lock(&p->right);
	p->in_right += p->in_left;
	pthread_mutex_unlock(&p->right);
	pthread_mutex_unlock(&p->left);
	pthread_mutex_unlock(&gate);
}

void pair_to_left(struct pair *p)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_lock(&p->right);
	pthread_mutex_lock(&p->left);
	p->in_left += p->in_right;
	pthread_mutex_unlock(&p->left);
	pthread_mutex_unlock(&p->right);
	pthread_mutex_unlock(&gate);
}
