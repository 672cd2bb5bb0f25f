/* exec by a thread that is not the leader: it takes the leader's id, the leader dies unheard. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_long beats;
static char *self;

static void *hammer(void *arg)
{
	for (;;)
		atomic_fetch_add(&beats, 1); /* gate: here */
	return arg;
}

static void *execer(void *arg)
{
	while (atomic_load(&beats) < 100)
		usleep(1000);
	char pid[16];
	snprintf(pid, sizeof pid, "%d", getpid());
	execl("/proc/self/exe", self, pid, (char *)NULL);
	return arg;
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		printf("second image, same pid: %s\n", atoi(argv[1]) == getpid() ? "yes" : "no");
		return 8;
	}
	self = argv[0];
	pthread_t t;
	for (int i = 0; i < 2; i++)
		pthread_create(&t, NULL, hammer, NULL);
	pthread_create(&t, NULL, execer, NULL);
	hammer(NULL);
	return 99;
}
