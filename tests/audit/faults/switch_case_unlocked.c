/* A valve that takes commands: each case of the switch locks for itself, and one does not. */
#include <pthread.h>
#include <stdlib.h>

enum command { OPEN_MORE, CLOSE_SOME, SHUT };

struct valve {
	pthread_mutex_t lock;
	int opening;
};

struct valve *valve_new(void)
{
	struct valve *valve = calloc(1, sizeof(*valve));
	if (!valve)
		return NULL;
	pthread_mutex_init(&valve->lock, NULL);
	return valve;
}

void valve_command(struct valve *valve, enum command command)
{
	switch (command) {
	case OPEN_MORE:
		pthread_mutex_lock(&valve->lock);
		valve->opening += 5;
		pthread_mutex_unlock(&valve->lock);
		break;
	case CLOSE_SOME:
		valve->opening -= 5; /* finding: P3 opening */
		break;
	case SHUT:
		pthread_mutex_lock(&valve->lock);
		valve->opening = 0;
		pthread_mutex_unlock(&valve->lock);
		break;
	}
}

int valve_opening(struct valve *valve)
{
	pthread_mutex_lock(&valve->lock);
	int opening = valve->opening;
	pthread_mutex_unlock(&valve->lock);
	return opening;
}

#ifdef DRIVER
static void *opener(void *valve)
{
	valve_command(valve, OPEN_MORE);
	valve_command(valve, OPEN_MORE);
	return NULL;
}

static void *closer(void *valve)
{
	valve_command(valve, CLOSE_SOME);
	valve_command(valve, CLOSE_SOME);
	return NULL;
}

int main(void)
{
	struct valve *valve = valve_new();
	pthread_t one, two;
	pthread_create(&one, NULL, opener, valve);
	pthread_create(&two, NULL, closer, valve);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return valve_opening(valve) != 0;
}
#endif
