/* A saturating counter: load and store are one compare-and-swap, which is repeated when another came in between. */
#include <stdatomic.h>
#include <stdlib.h>

struct saturating {
	atomic_int value;
	int most;
};

struct saturating *saturating_new(int most)
{
	struct saturating *saturating = malloc(sizeof(*saturating));
	if (!saturating)
		return NULL;
	atomic_init(&saturating->value, 0);
	saturating->most = most;
	return saturating;
}

int saturating_add(struct saturating *saturating, int amount)
{
	int old = atomic_load(&saturating->value);
	int fresh;
	do {
		fresh = old + amount;
		if (fresh > saturating->most)
			fresh = saturating->most;
	} while (!atomic_compare_exchange_weak(&saturating->value, &old, fresh));
	return fresh;
}

int saturating_value(struct saturating *saturating)
{
	return atomic_load(&saturating->value);
}
