/* Accounts: a move holds the lock of the account it takes from, not that of the one it gives to. */
#include <pthread.h>
#include <stdlib.h>

struct account {
	pthread_mutex_t lock;
	long balance;
};

struct account *account_open(long balance)
{
	struct account *account = malloc(sizeof(*account));
	if (!account)
		return NULL;
	pthread_mutex_init(&account->lock, NULL);
	account->balance = balance;
	return account;
}

void account_pay_in(struct account *account, long amount)
{
	pthread_mutex_lock(&account->lock);
	account->balance += amount;
	pthread_mutex_unlock(&account->lock);
}

long account_balance(struct account *account)
{
	pthread_mutex_lock(&account->lock);
	long balance = account->balance;
	pthread_mutex_unlock(&account->lock);
	return balance;
}

void account_move(struct account *from, struct account *to, long amount)
{
	pthread_mutex_lock(&from->lock);
	from->balance -= amount;
	to->balance += amount; /* finding: P3 balance */
	pthread_mutex_unlock(&from->lock);
}

#ifdef DRIVER
static struct account *rent, *food;

static void *mover(void *unused)
{
	account_move(rent, food, 10);
	account_move(rent, food, 10);
	return unused;
}

static void *payer(void *unused)
{
	account_pay_in(food, 1);
	account_pay_in(food, 1);
	return unused;
}

int main(void)
{
	pthread_t one, two;
	rent = account_open(100);
	food = account_open(100);
	pthread_create(&one, NULL, mover, NULL);
	pthread_create(&two, NULL, payer, NULL);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return account_balance(food) != 122;
}
#endif
