/* Load of a processor in an ordinary int that is touched by the __atomic builtins only. */
#include <stdlib.h>

/* @thread_safe */
struct load {
	int running;
	int peak;
};

struct load *load_new(void)
{
	return calloc(1, sizeof(struct load));
}

void load_begin(struct load *load)
{
	int now = __atomic_add_fetch(&load->running, 1, __ATOMIC_RELAXED);
	int peak = __atomic_load_n(&load->peak, __ATOMIC_RELAXED);
	while (now > peak && !__atomic_compare_exchange_n(&load->peak, &peak, now, 0,
							  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void load_end(struct load *load)
{
	__atomic_sub_fetch(&load->running, 1, __ATOMIC_RELAXED);
}

int load_peak(struct load *load)
{
	return __atomic_load_n(&load->peak, __ATOMIC_RELAXED);
}
