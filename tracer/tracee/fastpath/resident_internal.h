/* Declarations shared by the files of the fast path: resident.c, granted.c, moved.c, stub.c. */
#ifndef GATECTL_TRACEE_FASTPATH_RESIDENT_INTERNAL_H
#define GATECTL_TRACEE_FASTPATH_RESIDENT_INTERNAL_H

#include "tracer/tracee/tracee_internal.h"

/* resident.c */
/* Maps AREA_SIZE of new memory near `addr`, shared with the program. Returns its address here and
   sets *base to the one there, or returns NULL. */
void *shared_map(struct tracee *t, struct tracee_process *process, struct thread *helper,
		 uint64_t addr, int prot, uint64_t *base);
/* Makes a stub and the jump to it. Returns false if there is no memory for it. */
typedef bool stub_maker(struct tracee *t, struct tracee_process *process, struct thread *helper,
			struct site *site, const void *ctx);
/* Replaces the site's trap by a jump to the stub of `make`. Returns NULL, also if a jump is there
   already, or the reason why not. `helper` may be NULL if `make` maps no memory. */
const char *resident_put(struct tracee *t, struct tracee_process *process, struct thread *helper,
			 struct site *site, unsigned span, stub_maker *make, const void *ctx);
/* Variant of resident_put() for a stub with a count. Returns the count, or NULL with *why set. */
struct resident_count *stub_at(struct tracee *t, struct tracee_process *process,
			       struct tracee_thread *helper, struct tracee_site *pub, unsigned span,
			       stub_maker *make, const void *ctx, const char **why);
/* Adds the slot at `at` and writes the jump to it, while all threads are
   stopped. Returns 0 or -1. */
int stub_put(struct tracee *t, struct tracee_space *space, struct site *site, uint64_t at,
	     const struct slot *slot);
/* Returns a new count near the site and sets *there to its address in the
   program; NULL: no memory. */
struct resident_count *count_near(struct tracee *t, struct tracee_process *process,
				  struct thread *helper, uint64_t addr, uint64_t *there);
/* Restores the program's own bytes, or the trap. Returns false, and the jump stays, if a
   thread cannot be stopped. */
bool resident_end(struct tracee *t, struct tracee_space *space, struct site *site, bool trap);
/* Removes the jump over `addr` for good: the program may go to that address unseen. */
void resident_expose(struct tracee *t, struct tracee_space *space, uint64_t addr);
void resident_copy(struct tracee_process *child, const struct tracee_space *from);
void resident_free(struct tracee *t);

/* slot.c */
/* Returns AREA_SIZE of addresses within reach that the program's mappings
   hardly ever get; 0: none. */
uint64_t slot_reserve_far(struct tracee_process *process, struct thread *helper, uint64_t addr);

/* granted.c */
/* Reports passed arrivals of a lease, and keeps the wait status for later.
   Returns false if there are none. */
bool granted_tell(struct tracee *t, pid_t tid, int status);
/* Answers the report of an arrival: the next one is reported, or the thread really runs. Returns
   false if the thread is not at one. */
bool granted_go_on(struct thread *th);
void granted_drop(struct tracee *t);
/* Restores the registers read before the reports, when the real status is handled. */
void granted_regs(struct thread *th);
void granted_free(struct tracee *t);
/* Records which mappings of struct granted the child has; some may be younger than its fork. */
void granted_copy(struct tracee_process *child, const struct tracee_space *from);

/* moved.c: several instructions that one jump covers */
/* Makes copies of all instructions in `span` bytes from the site on, while all threads are stopped.
   Returns 0, or -1 if that is impossible. */
int moved_make(struct tracee *t, struct tracee_process *process, struct thread *helper,
	       struct site *site, unsigned span);
/* Joins the first copy to the original code again, while all threads are
   stopped or cannot come there. */
void moved_end(struct tracee *t, struct tracee_space *space, struct site *site);
/* Returns the copy of the instruction at `addr` if a jump covers it, but
   does not begin there; else 0. */
uint64_t moved_copy(const struct tracee_space *space, uint64_t addr);

/* stub.c */
/* Returns the site whose jump has this address in its middle, or NULL. */
struct site *stub_over(const struct tracee_space *space, uint64_t addr);
/* Returns the site whose trap is at this address, in the code or in its stub; or NULL. */
struct site *stub_site(const struct tracee_space *space, uint64_t trap);
/* Takes a thread that has stopped in a stub to the site, or to its copy. Returns the site if
   nothing was decided yet, else NULL. */
struct site *stub_leave(struct thread *th);

#endif
