/* exec by the main thread while others hammer: they vanish in the middle of their traps. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_long beats;

static void *hammer(void *arg)
{
	for (;;)
		atomic_fetch_add(&beats, 1); /* gate: here */
	return arg;
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		printf("second image, same pid: %s\n", atoi(argv[1]) == getpid() ? "yes" : "no");
		return 7;
	}
	pthread_t t;
	for (int i = 0; i < 3; i++)
		pthread_create(&t, NULL, hammer, NULL);
	while (atomic_load(&beats) < 100)
		usleep(1000);
	char pid[16];
	snprintf(pid, sizeof pid, "%d", getpid());
	printf("first image\n");
	fflush(stdout);
	execl("/proc/self/exe", argv[0], pid, (char *)NULL);
	return 99;
}
