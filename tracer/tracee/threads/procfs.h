/* Functions that read /proc, without stopping a thread. */
#ifndef GATECTL_TRACEE_THREADS_PROCFS_H
#define GATECTL_TRACEE_THREADS_PROCFS_H

#include "tracer/base/array.h"
#include "tracer/tracee/threads/threads.h"

#include <sys/user.h>

/* Reads /proc/TID/NAME as a string of at most n - 1 bytes. Returns its length, or -1. */
int look_proc(pid_t tid, const char *name, char *buf, size_t n);
/* Reads /proc/TID/status without its list of groups, which may be longer than all the rest.
   Returns the length, or -1. */
int look_status_text(pid_t tid, char *buf, size_t n);
/* Returns a number of /proc/TID/status, or -1. */
long look_status(pid_t tid, const char *field);
/* Returns the number after `field` in the text of such a file, or 0. */
uint64_t look_number(const char *text, const char *field, int base);
/* True if gatectl lacks CAP_SYS_PTRACE: some files of a program that is not dumpable are then
   closed to its tracer as well. */
bool look_may_be_refused(void);
/* True if gatectl traces the thread, dead or alive. */
bool look_is_ours(pid_t tid);
/* True if the thread has ended or does not exist. */
bool look_is_dead(pid_t tid);
/* True if the thread executes no instruction of the program any more. Its
   end may not be reported yet. */
bool look_is_exiting(pid_t tid);
/* True if the process does not exist or is a zombie. During an exec by another thread the first
   thread is a zombie as well, but two threads are counted, or none. */
bool look_has_ended(pid_t pid);
/* True if the set of signals contains `signal`. */
static inline bool look_has(uint64_t set, int signal)
{
	return set >> (signal - 1) & 1;
}
/* True if the default action of the signal ends the process. */
bool look_fatal_by_default(int signal);
struct mappings {
	ARRAY(struct tracee_mapping) list;
};
/* Appends all mappings to `out`; the caller frees the list. Returns 0, or -1 if there are none. */
int look_mappings(struct tracee_process *process, struct mappings *out);

/* Arguments of PR_SET_DUMPABLE (prctl(2)). */
enum { TRACEE_NOT_DUMPABLE = 0, TRACEE_DUMPABLE = 1 };
/* State of a thread that disclose_end() restores. */
struct disclosed {
	struct user_regs_struct regs;
	uint64_t mask;
};
/* Opens the /proc files of a process that is not dumpable, until disclose_end(). The thread is at
   its first stop, and not in the tables. Returns false if the process is dumpable, or has died. */
bool disclose_newborn(pid_t tid, struct disclosed *d);
/* Makes the process undumpable again and restores the thread's registers and mask. */
void disclose_end(pid_t tid, const struct disclosed *d);

#endif
