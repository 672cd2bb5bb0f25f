/* Order by sleeping: the client sleeps "long enough" for the server to be ready.
 * The server is slower than the sleep. The twin waits for it. */
#include <semaphore.h>
#include <time.h>
#include "bug.h"

static sem_t is_ready;
static _Atomic int port;

static void *serve(void *arg)
{
	port = 8080;
	sem_post(&is_ready);
	return arg;
}

static void *connect_to_it(void *arg)
{
	const struct timespec long_enough = {0, 20000000};

	if (FIXED)
		sem_wait(&is_ready);
	else
		nanosleep(&long_enough, NULL);
	check(port == 8080, "nobody listens");
	return arg;
}

int main(void)
{
	sem_init(&is_ready, 0, 0);
	start(serve, NULL);
	start(connect_to_it, NULL);
	join_all();
	return 0;
}
