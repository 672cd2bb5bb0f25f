/* Conditions in the macros by which compilers, and GLib, are told what is likely. */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define LIKELY(x) __builtin_expect(__extension__({ int is_true; if (x) is_true = 1; else is_true = 0; is_true; }), 1)

struct purse {
	pthread_mutex_t lock;
	int coins;
};

static void purse_take(struct purse *purse, int coins, bool locks)
{
	if (likely(locks))
		pthread_mutex_lock(&purse->lock);
	purse->coins -= coins;
	if (LIKELY(locks))
		pthread_mutex_unlock(&purse->lock);
}

int purse_coins(struct purse *purse)
{
	int coins;

	if (!LIKELY(purse != NULL))
		return 0;
	pthread_mutex_lock(&purse->lock);
	coins = purse->coins;
	pthread_mutex_unlock(&purse->lock);
	return coins;
}

void purse_pay(struct purse *purse, int coins)
{
	purse_take(purse, coins, true);
}

void purse_move(struct purse *purse, struct purse *to, int coins)
{
	pthread_mutex_lock(&purse->lock);
	purse_take(purse, coins, false);
	pthread_mutex_unlock(&purse->lock);
	pthread_mutex_lock(&to->lock);
	to->coins += coins;
	pthread_mutex_unlock(&to->lock);
}
