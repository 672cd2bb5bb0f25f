/* The main thread takes both orders of its two locks; the worker takes one of them alone. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int in_a, in_b;

static void *worker(void *unused)
{
	pthread_mutex_lock(&a);
	in_a++;
	pthread_mutex_unlock(&a);
	pthread_mutex_lock(&b);
	in_b++;
	pthread_mutex_unlock(&b);
	return unused;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	in_a = in_b;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	in_b = in_a;
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return pthread_join(t, NULL);
}
