/* A table of functions: what one of them locks, a caller of the pointer has the other way round. */
#include <pthread.h>

static pthread_mutex_t menu_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t stock_lock = PTHREAD_MUTEX_INITIALIZER;
static int dishes, goods;

struct kitchen {
	int (*cook)(int count);
	int (*clean)(void);
};

static int cook_soup(int count)
{
	pthread_mutex_lock(&stock_lock);
	goods -= count;
	pthread_mutex_unlock(&stock_lock);
	return count;
}

static int clean_nothing(void)
{
	return 0;
}

static const struct kitchen soup = {.cook = cook_soup, .clean = clean_nothing};
static const struct kitchen *kitchen = &soup;

void menu_order(int count)
{
	pthread_mutex_lock(&menu_lock);
	dishes += kitchen->cook(count);
	pthread_mutex_unlock(&menu_lock);
}

void stock_deliver(int count)
{
	pthread_mutex_lock(&stock_lock);
	goods += count;
	pthread_mutex_lock(&menu_lock); /* finding: lock-order menu_lock stock_lock */
	dishes = 0;
	pthread_mutex_unlock(&menu_lock);
	pthread_mutex_unlock(&stock_lock);
}
