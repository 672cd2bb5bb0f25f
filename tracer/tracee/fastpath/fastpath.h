/* Sites whose arrivals are decided inside the program, by stubs (tracer/resident/). */
#ifndef GATECTL_TRACEE_FASTPATH_FASTPATH_H
#define GATECTL_TRACEE_FASTPATH_FASTPATH_H

#include "tracer/resident/resident.h"
#include "tracer/tracee/tracee.h"

/*
 * The site is reported only when its count is used up: see tracer/resident/resident.h. `helper` is a
 * stopped thread of the process. The count is the tracee's; a forked child shares it. Where the
 * first instruction is too short, those in `span` bytes move along (source_movable()). NULL: it
 * stays a trap, *why is the reason.
 */
struct resident_count *tracee_site_resident(struct tracee *t, struct tracee_process *process,
					    struct tracee_thread *helper, struct tracee_site *site,
					    unsigned span, const char **why);
/*
 * The same, but that one thread is always reported there: `only`; NULL: it does not exist yet.
 * tracee_is_only() sets it later, to a stopped thread (a new one before it begins). -1: its pointer
 * to itself is not known.
 */
struct resident_count *tracee_site_for_others(struct tracee *t, struct tracee_process *process,
					      struct tracee_thread *helper,
					      struct tracee_site *site, unsigned span,
					      struct tracee_thread *only, const char **why);
int tracee_is_only(struct tracee_thread *thread, struct resident_count *count);
/*
 * The same for all threads, but variables are compared first: the result of the first test leads to
 * the next one, and at last the arrival takes from the count, or is reported.
 */
enum { TRACEE_TAKES = -1, TRACEE_REPORTS = -2, TRACEE_COMPARISONS = 16 };
struct tracee_comparison {
	struct resident_comparison test;
	int yes, no; /* index of a later one, or one of these */
};
struct resident_count *tracee_site_compared(struct tracee *t, struct tracee_process *process,
					    struct tracee_thread *helper, struct tracee_site *site,
					    unsigned span, const struct tracee_comparison *tests,
					    size_t count, const char **why);

/*
 * Granted arrivals, see tracer/resident/resident.h: for a program of which one thread runs at a time.
 * _open: maps memory for them near `addr`, by a stopped thread; false: there is none. _granted:
 * arrivals at the site can be granted from now on. NULL, or why not.
 */
enum tracee_granted {
	TRACEE_GRANTED_OWN,	  /* an own place; its object is its instruction's memory */
	TRACEE_GRANTED_ELSEWHERE, /* another place */
	TRACEE_GRANTED_FUNCTION,  /* another place; a function begins there: its first argument */
};
bool tracee_grants_open(struct tracee *t, struct tracee_thread *helper, uint64_t addr);
const char *tracee_site_granted(struct tracee *t, struct tracee_process *process,
				struct tracee_site *site, unsigned span, enum tracee_granted what);
/*
 * The thread runs next, alone, and does not stop at its next n arrivals, unless it is about to
 * touch one of `others` (GRANTED_OTHERS at most), or has been at more than `elsewhere` places that
 * are not own. They are reported before its next event, as if it had stopped; a thread so reported
 * has to be resumed, though it has gone on already.
 */
void tracee_grant(struct tracee_thread *thread, unsigned n, const uint64_t *others, size_t count,
		  size_t elsewhere);
/* The paused thread takes no more of its grant. False: it has taken some that is not reported. */
bool tracee_grants_end(struct tracee_thread *thread);
/* The word at its stack pointer when the thread came to where it is, or is reported to be. */
int tracee_top(struct tracee_thread *thread, uint64_t *top);
struct tracee_thread *tracee_told(const struct tracee *t); /* that is reported so; or NULL */

#endif
