/* A spin lock of the module, made of an atomic, taken everywhere. A counter that is changed by compare-and-swap is none. */
#include <stdatomic.h>

struct spin {
	atomic_int taken;
};

struct meter {
	struct spin spin;
	int volts, reads;
};

static void spin_lock(struct spin *spin)
{
	while (atomic_exchange(&spin->taken, 1))
		while (atomic_load(&spin->taken))
			;
}

static void spin_unlock(struct spin *spin)
{
	atomic_store(&spin->taken, 0);
}

void meter_set(struct meter *meter, int volts)
{
	spin_lock(&meter->spin);
	meter->volts = volts;
	spin_unlock(&meter->spin);
}

int meter_get(struct meter *meter)
{
	int volts;

	spin_lock(&meter->spin);
	meter->reads++;
	volts = meter->volts;
	spin_unlock(&meter->spin);
	return volts;
}

void meter_reset(struct meter *meter)
{
	spin_lock(&meter->spin);
	meter->volts = 0;
	spin_unlock(&meter->spin);
}

struct tally {
	atomic_int highest;
};

void tally_note(struct tally *tally, int value)
{
	int known = atomic_load(&tally->highest);

	while (value > known && !atomic_compare_exchange_weak(&tally->highest, &known, value))
		;
}

void tally_clear(struct tally *tally)
{
	atomic_store(&tally->highest, 0);
}
