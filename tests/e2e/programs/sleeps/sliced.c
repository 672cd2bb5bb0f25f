/* One call of a library sleeps several times: it is one sleep of the test. */
#include <pthread.h>

void library_sleep(unsigned ms);

static int value;

static void *set(void *arg)
{
	library_sleep(60);
	value = 1;
	return arg;
}

int main(void)
{
	pthread_t setter;
	int seen;

	pthread_create(&setter, NULL, set, NULL);
	library_sleep(400); /* the value shall be there */
	seen = value;
	pthread_join(setter, NULL);
	return seen == 1 ? 0 : 1;
}
