/* An atomic_flag as a lock, given back on each way out. */
#include <stdatomic.h>

struct cell {
	atomic_flag busy;
	int voltage, charge;
};

int cell_charge(struct cell *cell, int amount)
{
	while (atomic_flag_test_and_set_explicit(&cell->busy, memory_order_acquire))
		;
	if (cell->voltage > 4)
		goto out;
	cell->charge += amount;
out:
	atomic_flag_clear_explicit(&cell->busy, memory_order_release);
	return 0;
}

int cell_left(struct cell *cell)
{
	int charge;

	while (atomic_flag_test_and_set(&cell->busy))
		;
	charge = cell->charge;
	atomic_flag_clear(&cell->busy);
	return charge;
}
