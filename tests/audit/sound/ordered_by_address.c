/* Wallets: of the two locks the one at the lower address is taken first, whichever way the money goes. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

struct wallet {
	pthread_mutex_t lock;
	long money;
};

struct wallet *wallet_new(long money)
{
	struct wallet *wallet = malloc(sizeof(*wallet));
	if (!wallet)
		return NULL;
	pthread_mutex_init(&wallet->lock, NULL);
	wallet->money = money;
	return wallet;
}

void wallet_pay(struct wallet *from, struct wallet *to, long money)
{
	if (from == to)
		return;
	struct wallet *first = (uintptr_t)from < (uintptr_t)to ? from : to;
	struct wallet *second = first == from ? to : from;
	pthread_mutex_lock(&first->lock);
	pthread_mutex_lock(&second->lock);
	from->money -= money;
	to->money += money;
	pthread_mutex_unlock(&second->lock);
	pthread_mutex_unlock(&first->lock);
}

long wallet_money(struct wallet *wallet)
{
	pthread_mutex_lock(&wallet->lock);
	long money = wallet->money;
	pthread_mutex_unlock(&wallet->lock);
	return money;
}
