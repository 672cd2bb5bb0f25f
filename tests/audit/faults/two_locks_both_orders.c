/* A ledger with two locks, taken in one order to book and in the other to sum up. */
#include <pthread.h>
#include <stdlib.h>

struct ledger {
	pthread_mutex_t e_lock;
	pthread_mutex_t t_lock;
	int entries;
	long total;
};

struct ledger *ledger_new(void)
{
	struct ledger *ledger = calloc(1, sizeof(*ledger));
	if (!ledger)
		return NULL;
	pthread_mutex_init(&ledger->e_lock, NULL);
	pthread_mutex_init(&ledger->t_lock, NULL);
	return ledger;
}

void ledger_book(struct ledger *ledger, long amount)
{
	pthread_mutex_lock(&ledger->e_lock);
	pthread_mutex_lock(&ledger->t_lock); /* finding: lock-order e_lock t_lock (or the other) */
	ledger->entries++;
	ledger->total += amount;
	pthread_mutex_unlock(&ledger->t_lock);
	pthread_mutex_unlock(&ledger->e_lock);
}

long ledger_average(struct ledger *ledger)
{
	pthread_mutex_lock(&ledger->t_lock);
	pthread_mutex_lock(&ledger->e_lock); /* finding: lock-order t_lock e_lock (or the other) */
	long average = ledger->entries ? ledger->total / ledger->entries : 0;
	pthread_mutex_unlock(&ledger->e_lock);
	pthread_mutex_unlock(&ledger->t_lock);
	return average;
}

#ifdef DRIVER
static void *book(void *ledger)
{
	ledger_book(ledger, 10);
	ledger_book(ledger, 10);
	return NULL;
}

static void *look(void *ledger)
{
	ledger_average(ledger);
	ledger_average(ledger);
	return NULL;
}

int main(void)
{
	struct ledger *ledger = ledger_new();
	pthread_t one, two;
	pthread_create(&one, NULL, book, ledger);
	pthread_create(&two, NULL, look, ledger);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return ledger_average(ledger) != 10;
}
#endif
