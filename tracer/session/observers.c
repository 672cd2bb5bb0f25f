#include "tracer/session/observers.h"

#include <assert.h>
#include <string.h>

/* Has it a function there? All of them are pointers of one size, and NULL is all zeros. */
static bool has(const struct observer *o, size_t function)
{
	void (*pointer)(void);

	memcpy(&pointer, (const char *)o + function * sizeof(pointer), sizeof(pointer));
	return pointer;
}

void observers_set(struct observers *out, const struct observer *const *list)
{
	*out = (struct observers){0};
	for (size_t function = 0; function < OBSERVER_FUNCTIONS; function++) {
		size_t n = 0;

		for (const struct observer *const *o = list; *o; o++) {
			if (!has(*o, function))
				continue;
			assert(n < OBSERVERS_MOST);
			out->of[function][n++] = *o;
		}
	}
}
