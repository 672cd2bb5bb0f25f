/* Stopping threads, and what /proc reports about threads and processes. */
#ifndef GATECTL_TRACEE_THREADS_THREADS_H
#define GATECTL_TRACEE_THREADS_THREADS_H

#include "tracer/tracee/tracee.h"

/*
 * Stops all running threads, which takes as long as the slowest of them. A thread that stops
 * for a reason of its own reports it by an event. A parent in vfork is passed over: it does not
 * run while its child lives.
 */
void tracee_halt(struct tracee *t);
/*
 * Stops a running thread that is in an interruptible wait, until tracee_resume(). Returns 0, or -1
 * if it does something else or cannot be stopped now. A system call that fails with EINTR is made
 * again; a relative timeout (epoll_wait, semtimedop) then begins anew.
 */
int tracee_pause(struct tracee *t, struct tracee_thread *thread);
/* True if tracee_halt() or tracee_pause() has stopped the thread. */
bool tracee_is_paused(const struct tracee_thread *thread);

/* True if the thread is stopped, and no status is pending by which it goes on or ends. */
bool tracee_rests_stopped(const struct tracee_thread *thread);
/* True if the thread will stop when it is resumed: by a pending signal, or
   because its process is stopped. */
bool tracee_is_to_stop(const struct tracee_thread *thread);

enum tracee_activity {
	TRACEE_ACTIVE,	/* on a CPU, or ready to be */
	TRACEE_BLOCKED, /* asleep in the system call `number` */
	TRACEE_DISK,	/* uninterruptible (D): short, or a parent in vfork */
	TRACEE_HALTED,	/* stopped by job control or by ptrace */
	TRACEE_DEAD,	/* a zombie, or no such thread */
};
struct tracee_block {
	enum tracee_activity activity;
	long number; /* system call, if BLOCKED or DISK; -1: none, or hidden */
	bool hidden; /* the kernel refuses to name the system call */
	uint64_t args[6];
	/* number of context switches; unchanged if the thread has not run in between */
	uint64_t switches;
};
/* Finds out from /proc what a running thread is doing, without stopping it. */
void tracee_look(const struct tracee_thread *thread, struct tracee_block *out);
/* Finds out the interrupted system call of a thread that tracee_halt() has stopped. */
void tracee_look_stopped(struct tracee_thread *thread, struct tracee_block *out);
/* True for system calls in which a parent may wait for its child's exec. */
bool tracee_is_vfork(long number);
/* Returns the thread's CPU time so far, in ns; 0 if the kernel does not report it. */
uint64_t tracee_ran_ns(const struct tracee_thread *thread);
/* Returns a number that grows with each read and write of the process; 0 if not known. */
uint64_t tracee_transfers(const struct tracee_process *process);

/* Makes the /proc files of the stopped thread's process readable until tracee_disclose_end().
   Returns false if the process is dumpable, or if no system call can be made. */
bool tracee_disclose(struct tracee *t, struct tracee_thread *thread);
/* Makes the process undumpable again. */
void tracee_disclose_end(struct tracee *t, struct tracee_thread *thread);

/* A mapping of /proc/PID/maps. */
struct tracee_mapping {
	uint64_t start, end, offset;
	bool shared;
	bool readable, writable, executable;
	dev_t dev; /* device of the file; 0: no file */
	ino_t ino;
	char path[512];
};
/* Finds the mapping that contains addr. Returns 0 or -1. */
int tracee_mapping_at(struct tracee_process *process, uint64_t addr, struct tracee_mapping *out);
/* Finds the mapping that contains addr, or the first one above. Returns 0 or -1. */
int tracee_mapping_above(struct tracee_process *process, uint64_t addr, struct tracee_mapping *out);
/* Returns an entry of the auxiliary vector (getauxval(3)), or 0. */
uint64_t tracee_auxv(struct tracee_process *process, uint64_t type);

#endif
