/* What the files of resident sites give the others: resident.c, moved.c, stub.c. */
#ifndef GATECTL_TRACEE_FASTPATH_RESIDENT_INTERNAL_H
#define GATECTL_TRACEE_FASTPATH_RESIDENT_INTERNAL_H

#include "tracer/tracee/tracee_internal.h"

/* resident.c */
/* New memory of AREA_SIZE that is shared with the program, near `addr`: its address here, NULL: it cannot be; and there. */
void *shared_map(struct tracee *t, struct tracee_process *process, struct thread *helper,
		 uint64_t addr, int prot, uint64_t *base);
/* A jump in place of the site's trap, to a stub that `make` makes (false: there is no memory for it). NULL, also where
   a jump stands already; or why there is none. `helper` may be NULL, where no memory is to be mapped. */
typedef bool stub_maker(struct tracee *t, struct tracee_process *process, struct thread *helper,
			struct site *site, const void *ctx);
const char *resident_put(struct tracee *t, struct tracee_process *process, struct thread *helper,
			 struct site *site, unsigned span, stub_maker *make, const void *ctx);
/* The same for a stub that takes from a count: which; NULL: *why says for what reason there is none. */
struct resident_count *stub_at(struct tracee *t, struct tracee_process *process,
			       struct tracee_thread *helper, struct tracee_site *pub, unsigned span,
			       stub_maker *make, const void *ctx, const char **why);
/* The jump to what stands in the slot. All stand still. -1: there is no memory for it. */
int stub_put(struct tracee *t, struct tracee_space *space, struct site *site, uint64_t at,
	     const struct slot *slot);
/* A count near the site: here, and its address in the program; NULL: there is no memory for it. */
struct resident_count *count_near(struct tracee *t, struct tracee_process *process,
				  struct thread *helper, uint64_t addr, uint64_t *there);
/* The program's own bytes again, or a trap. False: a thread cannot be stopped, and so the jump stays. */
bool resident_end(struct tracee *t, struct tracee_space *space, struct site *site, bool trap);
/* The program may go to this address, unseen: no jump is to stand over it again, from now on. */
void resident_expose(struct tracee *t, struct tracee_space *space, uint64_t addr);
void resident_copy(struct tracee_process *child, const struct tracee_space *from);
void resident_free(struct tracee *t);

/* slot.c */
/* AREA_SIZE of addresses within reach where the program's mappings will hardly come; 0: there are none. */
uint64_t slot_reserve_far(struct tracee_process *process, struct thread *helper, uint64_t addr);

/* granted.c */
/* Before a status is dealt with: what was granted until then is told first. False: there is nothing. */
bool granted_tell(struct tracee *t, pid_t tid, int status);
/* The thread goes on, from an arrival that is only told. False: it is not at one. */
bool granted_go_on(struct thread *th);
void granted_drop(struct tracee *t);
/* The registers of a thread whose status has waited until all was told: they were read then. */
void granted_regs(struct thread *th);
void granted_free(struct tracee *t);
/* What it is a copy of had it at the same places, if it was there then. */
void granted_copy(struct tracee_process *child, const struct tracee_space *from);

/* moved.c: several instructions that one jump stands over */
/* Copies of all instructions in `span` bytes from the site on; 0, or -1: it cannot be. All stand still. */
int moved_make(struct tracee *t, struct tracee_process *process, struct thread *helper,
	       struct site *site, unsigned span);
/* The first copy goes on in the original again. All stand still, or nobody comes there any more. */
void moved_end(struct tracee *t, struct tracee_space *space, struct site *site);
/* The copy of the instruction at `addr`, if a jump stands over it, but not at it; else 0. */
uint64_t moved_copy(const struct tracee_space *space, uint64_t addr);

/* stub.c */
/* The site whose jump this address is in the middle of, or NULL. */
struct site *stub_over(const struct tracee_space *space, uint64_t addr);
/* The site that has its trap at this address, itself or in its stub; or NULL. */
struct site *stub_site(const struct tracee_space *space, uint64_t trap);
/* A thread that has stopped in a stub stands where it would be without it, or before the copy. The site, if nothing was
   decided there yet; else NULL. */
struct site *stub_leave(struct thread *th);

#endif
