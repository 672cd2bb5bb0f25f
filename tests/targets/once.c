/* pthread_once from eight threads: one does it, the rest wait for it. */
// arrivals: 1
#include <pthread.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static volatile int done;

static void init(void)
{
	done++; /* gate: here */
}

static void *body(void *arg)
{
	pthread_once(&once, init);
	return done == 1 ? arg : (void *)1;
}

int main(void)
{
	pthread_t t[8];
	int bad = 0;
	for (int i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, body, NULL);
	for (int i = 0; i < 8; i++) {
		void *r;
		pthread_join(t[i], &r);
		bad += r != NULL;
	}
	printf("done %d bad %d\n", done, bad);
	return 0;
}
