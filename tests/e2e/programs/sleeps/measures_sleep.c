#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int short_of_time;

static void *sleeper(void *arg)
{
	struct timespec a, b;
	long us;

	clock_gettime(CLOCK_MONOTONIC, &a);
	usleep(500); /* what is tested: that it sleeps for so long */
	clock_gettime(CLOCK_MONOTONIC, &b);
	us = (b.tv_sec - a.tv_sec) * 1000000L + (b.tv_nsec - a.tv_nsec) / 1000;
	short_of_time = us < 500;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, sleeper, NULL);
	pthread_join(t, NULL);
	puts(short_of_time ? "too short" : "long enough");
	return short_of_time;
}
