/* Traps at addresses, and words whose writes are reported. */
#ifndef GATECTL_TRACEE_TRAPS_TRAPS_H
#define GATECTL_TRACEE_TRAPS_TRAPS_H

#include "tracer/tracee/tracee.h"

/*
 * Puts a trap at addr. `helper`, a stopped thread of the process, maps memory for the instruction's
 * copy; NULL: none is mapped. Returns the site, owned by the tracee, or NULL with *err set. A site
 * that exists already is returned with its own user.
 */
struct tracee_site *tracee_site_add(struct tracee *t, struct tracee_process *process,
				    struct tracee_thread *helper, uint64_t addr, void *user,
				    struct error *err);
/* Returns the site that is armed at addr, or NULL. */
struct tracee_site *tracee_site_find(struct tracee_process *process, uint64_t addr);
/* Returns the address of the instruction's copy, or 0. A thread sent there passes the site without
   a report. The copy is valid as long as the image. */
uint64_t tracee_site_unseen(const struct tracee_site *site);
/*
 * Removes the trap. A thread that has reached it goes on unreported; threads held there stay held.
 * The struct stays valid until exec and can be added again.
 */
void tracee_site_remove(struct tracee_process *process, struct tracee_site *site);
/* True if the address space has a site, removed ones included. */
bool tracee_has_sites(const struct tracee_process *process);
/* Forgets the sites in [from, to), whose pages are unmapped, without writing there. */
void tracee_forget(struct tracee_process *process, uint64_t from, uint64_t to);

/*
 * Records the program's own action of SIGTRAP: the kernel's struct sigaction, handler first; NULL
 * for the default. The action is restored after traps.
 */
void tracee_trap_action(struct tracee_thread *thread, const uint64_t action[4]);
/* Records whether the thread blocks SIGTRAP, so that the mask can be restored after traps. */
void tracee_trap_blocked(struct tracee_thread *thread, bool blocked);

/* Most words that can be watched in an address space: x86-64 has four debug registers. */
enum { TRACEE_WATCHES = 4 };
struct tracee_watch { /* `size` is 1, 2, 4 or 8 bytes, `addr` a multiple of it */
	uint64_t addr;
	unsigned size;
};
/* Watches n words in all present and future threads of the address space; 0: none. Running threads
   are paused. Returns 0, or -1 with nothing watched. Writes by the kernel, other processes, gatectl
   and tracee_call() raise no TRACEE_WATCH. */
int tracee_watch(struct tracee *t, struct tracee_process *process,
		 const struct tracee_watch *watches, size_t n);
/* Returns false if debug registers report nothing, as on some virtual machines. The test runs
   once, in a child process. */
bool tracee_watch_works(void);

#endif
