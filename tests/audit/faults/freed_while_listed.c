/* A route is freed while the table still points to it: who looks it up before it is taken out reads freed memory. */
#include <pthread.h>
#include <stdlib.h>

/* @thread_safe */
struct route {
	long hops;
	long cost;
	long network;
};

static pthread_mutex_t routes_lock = PTHREAD_MUTEX_INITIALIZER;
static struct route *routes[4];

int route_add(unsigned network, long hops)
{
	struct route *route = calloc(1, sizeof(*route));
	if (!route)
		return -1;
	route->hops = hops;
	route->network = network;
	pthread_mutex_lock(&routes_lock);
	routes[network % 4] = route;
	pthread_mutex_unlock(&routes_lock);
	return 0;
}

long route_hops(unsigned network)
{
	pthread_mutex_lock(&routes_lock);
	struct route *route = routes[network % 4];
	long hops = route ? route->hops : 0;
	pthread_mutex_unlock(&routes_lock);
	return hops;
}

void route_remove(unsigned network)
{
	pthread_mutex_lock(&routes_lock);
	struct route *route = routes[network % 4];
	pthread_mutex_unlock(&routes_lock);
	free(route); /* finding: P2 route */
	pthread_mutex_lock(&routes_lock);
	routes[network % 4] = NULL;
	pthread_mutex_unlock(&routes_lock);
}

#ifdef DRIVER
static void *removing(void *unused)
{
	route_remove(1);
	return unused;
}

static void *look(void *broken)
{
	for (int i = 0; i < 3; i++) {
		long hops = route_hops(1);
		if (hops != 0 && hops != 7)
			*(int *)broken = 1;
	}
	return NULL;
}

int main(void)
{
	pthread_t one, two;
	int broken = 0;
	route_add(1, 7);
	pthread_create(&one, NULL, removing, NULL);
	pthread_create(&two, NULL, look, &broken);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return broken;
}
#endif
