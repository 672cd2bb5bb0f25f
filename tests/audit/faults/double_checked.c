/* A table that is made at its first use: the first look is without the lock, and may see one that is not filled yet. */
#include <pthread.h>
#include <stdlib.h>

#define POWERS 16

struct powers {
	pthread_mutex_t lock;
	int *table;
};

static struct powers powers = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void fill(int *table)
{
	table[0] = 1;
	for (int i = 1; i < POWERS; i++)
		table[i] = 2 * table[i - 1];
}

int powers_of_two(int exponent)
{
	int *table = powers.table; /* finding: P3 table */
	if (!table) {
		pthread_mutex_lock(&powers.lock);
		if (!powers.table) {
			powers.table = calloc(POWERS, sizeof(*table));
			if (powers.table)
				fill(powers.table);
		}
		table = powers.table;
		pthread_mutex_unlock(&powers.lock);
	}
	return table ? table[exponent] : -1;
}

void powers_forget(void)
{
	pthread_mutex_lock(&powers.lock);
	powers.table = NULL;
	pthread_mutex_unlock(&powers.lock);
}

#ifdef DRIVER
static void *ask(void *broken)
{
	if (powers_of_two(15) != 32768)
		*(int *)broken = 1;
	return NULL;
}

int main(void)
{
	pthread_t one, two;
	int broken[2] = {0, 0};
	pthread_create(&one, NULL, ask, &broken[0]);
	pthread_create(&two, NULL, ask, &broken[1]);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	powers_forget();
	return broken[0] || broken[1];
}
#endif
