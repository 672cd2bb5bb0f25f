/* Between near_miss.c, the traps at the function, and near_miss_copies.c, those at copies of the line. */
#ifndef GATECTL_FEATURES_NEAR_MISS_NEAR_MISS_INTERNAL_H
#define GATECTL_FEATURES_NEAR_MISS_NEAR_MISS_INTERNAL_H

#include "tracer/features/near_miss/near_miss.h"
#include "tracer/run/places/sites.h"

/* Where traps are set. */
struct near_miss_watch {
	struct run *run;
	struct run_process *process;
	struct tracee_thread *thread;
	struct place *place;
	const struct image *images; /* that are searched */
	size_t count;
};
enum near_miss_trap {
	NEAR_MISS_IN, /* at an entry of the place's function */
	NEAR_MISS_OUT,
	NEAR_MISS_COPY,
};
struct near_misses *near_miss_to_note(const struct place *place); /* near_miss_of() */
/* False: the trap cannot be set. */
bool near_miss_put(const struct near_miss_watch *w, enum near_miss_trap kind,
		   const struct source_site *info);
struct source_sites *near_miss_new_sites(struct place *place); /* owned by the place */
void near_miss_watch_copies(const struct near_miss_watch *w);
void near_miss_see_copy(const struct run_thread *t, const struct act *a);
bool near_miss_copy_seen(const struct act *a);

#endif
