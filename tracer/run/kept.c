/* Per-feature data: a list with one block for each keeper. */
#include "tracer/run/kept.h"

void *kept_of(const struct kept_list *list, const struct keeper *keeper)
{
	array_each(const struct kept, k, list)
		if (k->keeper == keeper)
			return k->what;
	return NULL;
}

void *kept_make(const struct kept_list *list, const struct keeper *keeper)
{
	void *what = kept_of(list, keeper);

	if (what)
		return what;
	what = base_alloc(1, keeper->size);
	*array_add((struct kept_list *)list) = (struct kept){keeper, what};
	return what;
}

void kept_fini(struct kept_list *list)
{
	array_each(const struct kept, k, list) {
		if (k->keeper->fini)
			k->keeper->fini(k->what);
		base_free(k->what);
	}
	array_fini(list);
}
