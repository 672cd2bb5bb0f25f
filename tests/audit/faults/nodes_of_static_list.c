/* The list and the fields of its nodes have a lock of the file: one function changes a node without. */
#include <pthread.h>
#include <stddef.h>

struct route {
	struct route *next;
	int target, cost, uses;
};

static pthread_mutex_t routes_lock = PTHREAD_MUTEX_INITIALIZER;
static struct route *routes;

void routes_add(struct route *route)
{
	pthread_mutex_lock(&routes_lock);
	route->next = routes;
	routes = route;
	pthread_mutex_unlock(&routes_lock);
}

struct route *routes_use(int target)
{
	struct route *at;

	pthread_mutex_lock(&routes_lock);
	for (at = routes; at && at->target != target; at = at->next)
		;
	if (at)
		at->uses++;
	pthread_mutex_unlock(&routes_lock);
	return at;
}

void routes_age(void)
{
	pthread_mutex_lock(&routes_lock);
	for (struct route *at = routes; at; at = at->next)
		at->uses /= 2;
	pthread_mutex_unlock(&routes_lock);
}

int routes_uses(void)
{
	int sum = 0;

	pthread_mutex_lock(&routes_lock);
	for (struct route *at = routes; at; at = at->next)
		sum += at->uses;
	pthread_mutex_unlock(&routes_lock);
	return sum;
}

int routes_is_idle(const struct route *route)
{
	int idle;

	pthread_mutex_lock(&routes_lock);
	idle = route->uses == 0;
	pthread_mutex_unlock(&routes_lock);
	return idle;
}

void routes_release(struct route *route)
{
	route->uses--; /* finding: P3 uses */
}
