/* A node is found and its domain locked; the caller gets the domain from the node: where it is NULL, nothing is locked. */
#include <pthread.h>
#include <stdlib.h>

struct domain {
	pthread_mutex_t lock;
	int id, uses;
};

struct node {
	struct node *next;
	void *data;
};

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static struct node *nodes;

static struct node *get_node(int id)
{
	struct node *n;
	struct domain *d;

	pthread_mutex_lock(&table);
	for (n = nodes; n && ((struct domain *)n->data)->id != id; n = n->next)
		;
	if (!n) {
		pthread_mutex_unlock(&table);
		return NULL;
	}
	d = n->data;
	pthread_mutex_unlock(&table);
	pthread_mutex_lock(&d->lock);
	return n;
}

static struct domain *get_domain(int id)
{
	struct node *n = get_node(id);

	if (!n)
		return NULL;
	return n->data;
}

static void release_domain(struct domain *d)
{
	pthread_mutex_unlock(&d->lock);
}

int domain_use(int id)
{
	struct domain *d;

	if (!(d = get_domain(id)))
		return -1;
	d->uses++;
	release_domain(d);
	return 0;
}

int domain_uses(int id)
{
	struct domain *d = get_domain(id);
	int uses;

	if (!d)
		return -1;
	uses = d->uses;
	release_domain(d);
	return uses;
}
