/* What /proc tells about a process or thread, without stopping it. */
#ifndef GATECTL_TRACEE_THREADS_PROCFS_H
#define GATECTL_TRACEE_THREADS_PROCFS_H

#include "tracer/base/array.h"
#include "tracer/tracee/threads/threads.h"

#include <sys/user.h>

int look_proc(pid_t tid, const char *name, char *buf, size_t n); /* bytes read, or -1 */
/* /proc/TID/status without its list of groups, which may be longer than all the rest. */
int look_status_text(pid_t tid, char *buf, size_t n);
long look_status(pid_t tid, const char *field);
uint64_t look_number(const char *text, const char *field, int base); /* of such a file; 0: none */
/* Without CAP_SYS_PTRACE the files of a program that is not dumpable are closed to its tracer,
   too. */
bool look_may_be_refused(void);
bool look_is_ours(pid_t tid); /* traced by us, dead or alive */
bool look_is_dead(pid_t tid); /* has ended, or is not there */
/* Executes no instruction of the program any more, though its end may not have been reported yet. */
bool look_is_exiting(pid_t tid);
/* There is no such process, or it is a zombie. In an exec by one of its threads the first thread is a
   zombie for a moment, too: then two threads are counted, or none. */
bool look_has_ended(pid_t pid);
static inline bool look_has(uint64_t set, int signal)
{
	return set >> (signal - 1) & 1;
}
bool look_fatal_by_default(int signal);
struct mappings {
	ARRAY(struct tracee_mapping) list;
};
int look_mappings(struct tracee_process *process, struct mappings *out);

/* disclose.c: from disclose_newborn() to disclose_end() the /proc files of a process that is not
   dumpable can be opened. The thread has stopped for the first time, and is no thread of the target
   yet. */
enum { TRACEE_NOT_DUMPABLE = 0, TRACEE_DUMPABLE = 1 }; /* for prctl(2) */
struct disclosed {
	struct user_regs_struct regs;
	uint64_t mask;
};
bool disclose_newborn(pid_t tid,
		      struct disclosed *d); /* false: that is not the reason, or it died */
void disclose_end(pid_t tid, const struct disclosed *d);

#endif
