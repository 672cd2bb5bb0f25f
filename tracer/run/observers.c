/* Tables of the observers that implement each function of struct observer. */
#include "tracer/run/run_internal.h"

#include <assert.h>
#include <string.h>

/* True if the observer implements the function. All functions are pointers of one size, and NULL is
   all zeros. */
static bool observers_has(const struct observer *o, size_t function)
{
	void (*pointer)(void);

	memcpy(&pointer, (const char *)o + function * sizeof(pointer), sizeof(pointer));
	return pointer;
}

int observe_modules(struct run *s, enum modules_stage stage, struct run_process *p,
		    struct tracee_thread *t, struct error *err)
{
	const struct modules_seen seen = {.stage = stage, .process = p, .thread = t};
	int failed = 0;

	observe_until(failed, modules, s, &seen, err);
	return failed;
}

const struct observer *const *run_observers(const struct run *s, size_t function)
{
	return s->observers.of[function];
}

void observers_set(struct run *s, const struct features *features)
{
	s->observers = (struct observers){0};
	s->placers = features ? features->placers : NULL;
	for (size_t function = 0; features && function < OBSERVER_FUNCTIONS; function++) {
		size_t n = 0;

		for (const struct observer *const *o = features->observers; *o; o++) {
			if (!observers_has(*o, function))
				continue;
			assert(n < OBSERVERS_MOST);
			s->observers.of[function][n++] = *o;
		}
	}
}
