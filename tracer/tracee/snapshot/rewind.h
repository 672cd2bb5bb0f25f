/*
 * Restoring a snapshot in place: a copy of the snapshot process (template.c) is not let end, but
 * set back to the point where it began, for the next run. README.md explains when that is
 * possible and what it saves.
 */
#ifndef GATECTL_TRACEE_SNAPSHOT_REWIND_H
#define GATECTL_TRACEE_SNAPSHOT_REWIND_H

#include "tracer/tracee/tracee_internal.h"

#include <sys/uio.h>

/* A mapping of the snapshot. What a copy maps beside it is not part of it. */
struct kept_mapping {
	uint64_t start, end, offset;
	dev_t dev;
	ino_t ino;
	unsigned prot;
	bool shared;
	bool of_kernel; /* [vvar] and the like */
};

/* Data of the snapshot for restoring copies; NULL in struct kept_program if
   copies cannot be restored. */
struct rewinding {
	struct kept_program *kept;
	ARRAY(struct kept_mapping) mappings;
	ARRAY(int) files;     /* open in the snapshot */
	uint64_t brk;	      /* end of the heap (brk(2)) */
	struct iovec vectors; /* FPU and vector registers, as PTRACE_GETREGSET has them */
	pid_t spare;	      /* a copy that has ended and can be restored, or 0 */
	bool opened;	      /* the spare copy has opened files */
	/* signals whose actions the spare copy has set: bit n - 1 for signal n */
	uint64_t actions;
	unsigned spoiled; /* number of copies that could not be restored */
	unsigned large;	  /* number of restores so large that a fork may be faster */
};

/* Collects the data while the snapshot is stopped. Returns NULL if its
   copies cannot be restored. */
struct rewinding *rewind_new(struct kept_program *k, uint64_t brk);
/* Frees the data, and kills the spare copy; w may be NULL. */
void rewind_free(struct rewinding *w);
/* Watches a new copy from now on, between remote_begin() and remote_end(). */
void rewind_watch(struct rewinding *w, struct remote *r);
/* Stops watching further copies, because that is of no use or kills them. Returns false if
   they are not watched anyway. */
bool rewind_give_up(struct rewinding *w);
/* Judges a system call that a thread is about to make. */
void rewind_sees(struct thread *th);
/* Handles exit_group of a copy that can be restored: returns true after reporting the process as
   ended and keeping it as the spare one. */
bool rewind_ends(struct thread *th);
/* Returns the spare copy, owned by the caller from now on, or 0. */
pid_t rewind_take(struct rewinding *w);
/* Restores the copy, between remote_begin() and remote_end(). Returns 0 with the thread in
   gatectl's stub, or -1 if the copy is of no use. */
int rewind_back(struct rewinding *w, struct remote *r);

/* Installs the copy's filter (rewind_filter.c). Returns 0 or -1. */
int rewind_filter(struct remote *r);

/* Records that the process sets the action of this signal. */
void rewind_action(struct process *p, uint64_t signal);
/* Sets the recorded signals' actions as in the snapshot. Returns 0 or -1. */
int rewind_actions(struct rewinding *w, struct remote *r);

/* Stores the snapshot's mappings. Returns -1 if they cannot be read or are too large. */
int rewind_mappings(struct rewinding *w);
/* True if [addr, addr + size) overlaps a mapping of the snapshot. */
bool rewind_overlaps(const struct rewinding *w, uint64_t addr, uint64_t size);
/* Unmaps what the copy has mapped and restores the pages it has written. Returns 0 or -1. */
int rewind_memory(struct rewinding *w, struct remote *r);

#endif
