/* The first thread ends by the bare exit call: its id stays a zombie, another one ends the process. */
// arrivals: 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int steps;

static void *other(void *arg)
{
	char state = 0, path[64];
	snprintf(path, sizeof path, "/proc/self/task/%d/stat", getpid());
	while (state != 'Z') {
		FILE *f = fopen(path, "re");
		if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			state = 'Z';
		if (f)
			fclose(f);
		usleep(1000);
	}
	steps++; /* gate: here */
	printf("main is a zombie\n");
	exit(6);
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, other, NULL);
	syscall(SYS_exit, 77);
	return 99;
}
