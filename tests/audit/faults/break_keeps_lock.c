/* A search for a free port: each turn locks and unlocks, but the turn that finds one leaves the loop in between. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#define PORTS 32

struct ports {
	pthread_mutex_t lock;
	bool taken[PORTS];
};

struct ports *ports_new(void)
{
	struct ports *ports = calloc(1, sizeof(*ports));
	if (!ports)
		return NULL;
	pthread_mutex_init(&ports->lock, NULL);
	return ports;
}

int ports_take(struct ports *ports)
{
	int port;
	for (port = 0; port < PORTS; port++) {
		pthread_mutex_lock(&ports->lock);
		if (!ports->taken[port]) {
			ports->taken[port] = true;
			break;
		}
		pthread_mutex_unlock(&ports->lock);
	}
	return port; /* finding: return-with-lock lock */
}

void ports_give(struct ports *ports, int port)
{
	pthread_mutex_lock(&ports->lock);
	ports->taken[port] = false;
	pthread_mutex_unlock(&ports->lock);
}
