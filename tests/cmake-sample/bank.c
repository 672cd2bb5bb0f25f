/* Two transfers in opposite directions lock in opposite orders. */
#include <pthread.h>

struct account {
	pthread_mutex_t lock;
	int cents;
};
static struct account alice = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account bob = {PTHREAD_MUTEX_INITIALIZER, 100};

static void transfer(struct account *from, struct account *to)
{
	pthread_mutex_lock(&from->lock);
	pthread_mutex_lock(&to->lock);
	from->cents -= 10;
	to->cents += 10;
	pthread_mutex_unlock(&to->lock);
	pthread_mutex_unlock(&from->lock);
}

static void *there(void *arg)
{
	transfer(&alice, &bob);
	return arg;
}

static void *back(void *arg)
{
	transfer(&bob, &alice);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, there, NULL);
	pthread_create(&b, NULL, back, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
