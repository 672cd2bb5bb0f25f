#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *copier(void *arg)
{
	char buffer[20] = "text";
	int *ends = arg;

	for (;;) {
		if (write(ends[1], buffer, sizeof(buffer)) < 0)
			break;
		if (read(ends[0], buffer, sizeof(buffer)) < 0)
			break;
		pthread_testcancel();
	}
	return NULL;
}

static void *killer(void *arg)
{
	sleep(1); /* the copier shall be at work */
	pthread_cancel(*(pthread_t *)arg);
	return NULL;
}

int main(void)
{
	pthread_t c, k;
	int ends[2];

	if (pipe(ends) != 0)
		return 1;
	pthread_create(&c, NULL, copier, ends);
	pthread_create(&k, NULL, killer, &c);
	pthread_join(c, NULL);
	pthread_join(k, NULL);
	puts("cancelled");
	return 0;
}
