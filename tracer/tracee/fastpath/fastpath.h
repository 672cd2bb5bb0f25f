/* Sites whose arrivals are decided inside the program, by stubs (tracer/resident/). */
#ifndef GATECTL_TRACEE_FASTPATH_FASTPATH_H
#define GATECTL_TRACEE_FASTPATH_FASTPATH_H

#include "tracer/resident/resident.h"
#include "tracer/tracee/tracee.h"

/*
 * Replaces the site's trap by a jump to a stub that reports an arrival only when its count is used
 * up. `helper` is a stopped thread of the process. Instructions in `span` bytes move along with a
 * short first one (source_movable()). Returns the count, owned by the tracee and shared with forked
 * children; or NULL with *why set, and the trap stays.
 */
struct resident_count *tracee_site_resident(struct tracee *t, struct tracee_process *process,
					    struct tracee_thread *helper, struct tracee_site *site,
					    unsigned span, const char **why);
/*
 * Variant of tracee_site_resident() that always reports the thread `only`; NULL: no thread yet.
 * Returns NULL with *why set, also if the threads have no pointers to themselves.
 */
struct resident_count *tracee_site_for_others(struct tracee *t, struct tracee_process *process,
					      struct tracee_thread *helper,
					      struct tracee_site *site, unsigned span,
					      struct tracee_thread *only, const char **why);
/* Sets the thread that is always reported: a stopped one, a new one before it begins. Returns 0, or
   -1 if its pointer to itself is not known. */
int tracee_is_only(struct tracee_thread *thread, struct resident_count *count);
/* Next steps of a test besides another test's index: take from the count, or report the arrival. */
enum { TRACEE_TAKES = -1, TRACEE_REPORTS = -2, TRACEE_COMPARISONS = 16 };
struct tracee_comparison {
	struct resident_comparison test;
	int yes, no; /* index of a later test, TRACEE_TAKES or TRACEE_REPORTS */
};
/* Variant of tracee_site_resident() whose stub compares variables first. The result of test 0 leads
   to a later test, and at last the arrival takes from the count or is reported. */
struct resident_count *tracee_site_compared(struct tracee *t, struct tracee_process *process,
					    struct tracee_thread *helper, struct tracee_site *site,
					    unsigned span, const struct tracee_comparison *tests,
					    size_t count, const char **why);

/*
 * Kinds of places in a lease: arrivals that tracee_grant() lets a thread pass without a stop. The
 * object of an arrival is the memory that the thread is about to touch.
 */
enum tracee_granted {
	/* a place that `elsewhere` does not limit; object: its instruction's memory */
	TRACEE_GRANTED_OWN,
	TRACEE_GRANTED_ELSEWHERE, /* another place; object: its instruction's memory */
	/* another place, a function's entry; object: the first argument */
	TRACEE_GRANTED_FUNCTION,
};
/* Maps memory for leases near `addr`, by the stopped thread `helper`.
   Returns false if there is none. */
bool tracee_grants_open(struct tracee *t, struct tracee_thread *helper, uint64_t addr);
/* Replaces the site's trap by a jump to a stub for leases. Returns NULL, or the reason why not. */
const char *tracee_site_granted(struct tracee *t, struct tracee_process *process,
				struct tracee_site *site, unsigned span, enum tracee_granted what);
/*
 * Gives the thread, which runs next and alone, a lease: it passes its next n arrivals, unless it is
 * about to touch one of `others` (GRANTED_OTHERS at most) or has passed `elsewhere` other places.
 * The arrivals are reported before its next event; each has to be answered by tracee_resume().
 */
void tracee_grant(struct tracee_thread *thread, unsigned n, const uint64_t *others, size_t count,
		  size_t elsewhere);
/* Ends the lease of a paused thread. Returns false if arrivals that it
   has passed are not reported. */
bool tracee_grants_end(struct tracee_thread *thread);
/* Reads the word at the stack pointer as it was at the thread's arrival. Returns 0 or -1. */
int tracee_top(struct tracee_thread *thread, uint64_t *top);
/* Returns the thread that is reported at an arrival of its lease, or NULL. */
struct tracee_thread *tracee_told(const struct tracee *t);

#endif
