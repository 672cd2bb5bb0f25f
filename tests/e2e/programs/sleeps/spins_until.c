#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int tries;

static void *spinner(void *arg)
{
	for (;;) {
		tries++;
		if (pthread_mutex_trylock(&m) == 0)
			break;
	}
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_mutex_lock(&m);
	pthread_create(&t, NULL, spinner, NULL);
	usleep(250000); /* the spinner shall have tried in vain */
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	puts(tries > 1 ? "tried" : "not tried");
	return tries <= 1;
}
