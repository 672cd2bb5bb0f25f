/* Buckets of a list whose nodes have the address of what points to them: it is stored, and used, with the bucket's lock. */
#include <pthread.h>

struct node {
	struct node *next;
	struct node **from;
};

struct bucket {
	pthread_mutex_t lock;
	struct node *first;
};

void bucket_add(struct bucket *bucket, struct node **node)
{
	pthread_mutex_lock(&bucket->lock);
	struct node *first = bucket->first;
	bucket->first = *node;
	(*node)->from = &bucket->first;
	if (first)
		first->from = &(*node)->next;
	(*node)->next = first;
	pthread_mutex_unlock(&bucket->lock);
}

int bucket_is_empty(struct bucket *bucket)
{
	pthread_mutex_lock(&bucket->lock);
	int is = !bucket->first;
	pthread_mutex_unlock(&bucket->lock);
	return is;
}
