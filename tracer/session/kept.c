#include "tracer/session/kept.h"

void *kept_of(const struct kept_list *list, const void *owner)
{
	array_each(const struct kept, k, list)
		if (k->owner == owner)
			return k->what;
	return NULL;
}

void *kept_make(struct kept_list *list, const void *owner, size_t size)
{
	void *what = kept_of(list, owner);

	if (what)
		return what;
	what = base_alloc(1, size);
	*array_add(list) = (struct kept){owner, what};
	return what;
}

void kept_fini(struct kept_list *list)
{
	array_fini(list);
}
