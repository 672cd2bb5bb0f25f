/* Two threads take turns by a condition variable: thousands of sleeps, no lost wake-up allowed. */
// arrivals: 1000
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn, total;

static void *player(void *arg)
{
	int me = arg != NULL;
	for (int i = 0; i < 500; i++) {
		pthread_mutex_lock(&lock);
		while (turn != me)
			pthread_cond_wait(&changed, &lock);
		total++;
		turn = !me; /* gate: here */
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, player, &turn);
	player(NULL);
	pthread_join(t, NULL);
	printf("total %d\n", total);
	return 0;
}
