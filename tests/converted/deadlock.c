/* Shows a deadlock: each has one lock when it asks for the other, for both have slept meanwhile. */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

static void *a_then_b(void *arg)
{
	pthread_mutex_lock(&a);
	usleep(100000);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return arg;
}

static void *b_then_a(void *arg)
{
	pthread_mutex_lock(&b);
	usleep(100000);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return arg;
}

int main(void)
{
	pthread_t first, second;

	pthread_create(&first, NULL, a_then_b, NULL);
	pthread_create(&second, NULL, b_then_a, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	return 0;
}
