/* What a function is called with, at its entry: by the psABI of x86-64. */
#include "tracer/sched/sched_internal.h"
#include "tracer/run/places/sites.h"

/* DWARF's numbers. */
static const unsigned arguments[] = {5, 4, 1, 2, 8, 9}; /* rdi rsi rdx rcx r8 r9 */

uint64_t entry_argument(const struct hit *h, unsigned i)
{
	return h->regs.dwarf[arguments[i]];
}
