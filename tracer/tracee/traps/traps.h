/* Traps at addresses, and words whose writes are reported. */
#ifndef GATECTL_TRACEE_TRAPS_TRAPS_H
#define GATECTL_TRACEE_TRAPS_TRAPS_H

#include "tracer/tracee/tracee.h"

/*
 * Puts a trap at addr in this address space. `helper` is a stopped thread of the process, which
 * maps memory for the out-of-line copy if there is none near; NULL: none can be mapped. NULL with
 * *err set: unreadable, or an instruction that has no copy. Two adds at one address return the same
 * site (the second user is ignored: look at ->user first).
 */
struct tracee_site *tracee_site_add(struct tracee *t, struct tracee_process *process,
				    struct tracee_thread *helper, uint64_t addr, void *user,
				    struct error *err);
struct tracee_site *tracee_site_find(struct tracee_process *process, uint64_t addr);
/* The copy of its instruction, which goes on behind the trap, as long as the image lives: a thread
   that is sent there passes unseen. 0: none. */
uint64_t tracee_site_unseen(const struct tracee_site *site);
/*
 * Removes the trap; a thread that ran into it already is not reported any more but goes on.
 * Threads held at it stay held. The struct stays valid (and may be added again) until exec.
 */
void tracee_site_remove(struct tracee_process *process, struct tracee_site *site);
bool tracee_has_sites(const struct tracee_process *process);
/* The pages in [from, to) are unmapped: forgets the sites there without writing. */
void tracee_forget(struct tracee_process *process, uint64_t from, uint64_t to);

/*
 * The program's own use of SIGTRAP, which traps spoil and which is put back: rt_sigaction sets this
 * action (as the kernel has it: the handler first; NULL: the default); the thread blocks it.
 */
void tracee_trap_action(struct tracee_thread *thread, const uint64_t action[4]);
void tracee_trap_blocked(struct tracee_thread *thread, bool blocked);

/*
 * The words whose writes are reported (TRACEE_WATCH), in all present and future threads of this
 * address space, by debug registers; n = 0: none. Sizes are 1, 2, 4 or 8, addresses multiples of
 * them. -1: the processor or the kernel refuses, or reports nothing; then nothing is watched.
 * Running threads are stopped for a moment, as by tracee_pause(). Not reported are writes by the
 * kernel (read(2) into a watched word), by other processes, by gatectl, and inside tracee_call.
 */
enum { TRACEE_WATCHES = 4 };
struct tracee_watch {
	uint64_t addr;
	unsigned size;
};
int tracee_watch(struct tracee *t, struct tracee_process *process,
		 const struct tracee_watch *watches, size_t n);
/* False: the debug registers report nothing, as on some virtual machines. Tried once, in a child. */
bool tracee_watch_works(void);

#endif
