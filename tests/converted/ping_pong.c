/* Two threads take turns: each sleeps as long as the other's turn lasts. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char moves[16];

static void *pong(void *arg)
{
	usleep(100000);
	for (int i = 0; i < 3; i++) {
		strcat(moves, "o");
		usleep(200000);
	}
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, pong, NULL);
	for (int i = 0; i < 3; i++) {
		strcat(moves, "i");
		usleep(200000);
	}
	pthread_join(thread, NULL);
	puts(moves);
	return strcmp(moves, "ioioio") != 0;
}
