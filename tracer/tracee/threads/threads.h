/* Stopping threads, and what /proc reports about threads and processes. */
#ifndef GATECTL_TRACEE_THREADS_THREADS_H
#define GATECTL_TRACEE_THREADS_THREADS_H

#include "tracer/tracee/tracee.h"

/*
 * Stops all running threads, which takes no longer than the slowest of them. Threads that stop for
 * a reason of their own report it by an event. A parent in vfork is passed over: it does not run as
 * long as its child lives.
 */
void tracee_halt(struct tracee *t);
/*
 * Stops one running thread; tracee_resume() lets it go on. Only for threads that are blocked in a
 * wait which signals can end. -1: it did something else, or cannot be stopped now. A system call
 * that gives up is made again (a relative time-out of epoll_wait, semtimedop ... begins anew).
 */
int tracee_pause(struct tracee *t, struct tracee_thread *thread);
bool tracee_is_paused(const struct tracee_thread *thread); /* by one of these */

/* A thread that does not run: nothing has come for it yet that lets it go on or ends it. */
bool tracee_rests_stopped(const struct tracee_thread *thread);
/* It will be stopped when it is resumed: by a signal, or because its process is. */
bool tracee_is_to_stop(const struct tracee_thread *thread);

enum tracee_activity {
	TRACEE_ACTIVE,	/* on a CPU, or ready to be */
	TRACEE_BLOCKED, /* asleep in the system call below */
	TRACEE_DISK,	/* uninterruptible (D): short, or a parent in vfork */
	TRACEE_HALTED,	/* stopped by job control or by ptrace */
	TRACEE_DEAD,	/* a zombie, or no such thread */
};
struct tracee_block {
	enum tracee_activity activity;
	long number; /* system call, when BLOCKED or DISK; -1: none, or hidden */
	bool hidden; /* the kernel refuses to name the system call */
	uint64_t args[6];
	uint64_t switches; /* times it gave up the CPU: equal twice = it has not run in between */
};
/* What a running thread is doing, from /proc; no thread is stopped for it. */
void tracee_look(const struct tracee_thread *thread, struct tracee_block *out);
/* The same of a thread that tracee_halt() has stopped: the interrupted system call. */
void tracee_look_stopped(struct tracee_thread *thread, struct tracee_block *out);
/* A system call in which a parent may wait for its child's exec. */
bool tracee_is_vfork(long number);
/* Its CPU time so far; 0: the kernel does not report it. */
uint64_t tracee_ran_ns(const struct tracee_thread *thread);
/* A number that grows with each read and write of the process. */
uint64_t tracee_transfers(const struct tracee_process *process);

/* From tracee_disclose() to its end the /proc files of this stopped thread's process can be read.
   False: it is dumpable anyway, or no system call can be made. */
bool tracee_disclose(struct tracee *t, struct tracee_thread *thread);
void tracee_disclose_end(struct tracee *t, struct tracee_thread *thread);

/* A mapping of /proc/PID/maps. */
struct tracee_mapping {
	uint64_t start, end, offset;
	bool shared;
	bool readable, writable, executable;
	dev_t dev; /* of its file; 0: it has none */
	ino_t ino;
	char path[512];
};
/* The mapping that holds addr; _above: or the first one above it. 0, or -1. */
int tracee_mapping_at(struct tracee_process *process, uint64_t addr, struct tracee_mapping *out);
int tracee_mapping_above(struct tracee_process *process, uint64_t addr, struct tracee_mapping *out);
/* An entry of the auxiliary vector (getauxval(3)), or 0. */
uint64_t tracee_auxv(struct tracee_process *process, uint64_t type);

#endif
