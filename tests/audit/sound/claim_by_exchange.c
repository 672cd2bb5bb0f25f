/* A seat that is claimed by an exchange: of two who come at once one gets the old value, and the seat. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct seat {
	atomic_int taken;
	int row;
};

struct seat *seat_new(int row)
{
	struct seat *seat = malloc(sizeof(*seat));
	if (!seat)
		return NULL;
	atomic_init(&seat->taken, 0);
	seat->row = row;
	return seat;
}

bool seat_claim(struct seat *seat)
{
	if (atomic_exchange(&seat->taken, 1) == 0)
		return true;
	return false;
}

void seat_leave(struct seat *seat)
{
	atomic_store(&seat->taken, 0);
}

int seat_row(const struct seat *seat)
{
	return seat->row;
}
