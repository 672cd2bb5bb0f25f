/* A spin lock of the module, made of an atomic, and one function that does not take it. */
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
	meter->volts = 0; /* finding: P3 volts */
}
