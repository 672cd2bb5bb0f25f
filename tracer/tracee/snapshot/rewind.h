/*
 * A copy of a kept program (template.c) that has come to its end is not let end, but put back to where it began:
 * the next run needs no fork, no exit, and none of the page faults in which a fork copies what is written.
 * Fuzzers know it as a snapshot that is restored in place: W. Xu et al., Designing New Operating Primitives to Improve
 * Fuzzing Performance, CCS 2017; there the kernel does it.
 *
 * It is done where nothing is left of the run but what can be put back: memory, mappings, registers, the files that
 * were opened. The first copies are watched by a seccomp(2) filter of their own for calls that change something
 * else (rewind_filter.c); one that has made such a call ends as it would.
 */
#ifndef GATECTL_TRACEE_SNAPSHOT_REWIND_H
#define GATECTL_TRACEE_SNAPSHOT_REWIND_H

#include "tracer/tracee/tracee_internal.h"

#include <sys/uio.h>

/* Memory that the kept program had mapped; of the range only that part, whatever is mapped beside it. */
struct kept_mapping {
	uint64_t start, end, offset;
	dev_t dev;
	ino_t ino;
	unsigned prot;
	bool shared;
	bool of_kernel; /* [vvar] and the like */
};

/* rewind.c; a program whose copies are not put back has none */
struct rewinding {
	struct kept_program *kept;
	ARRAY(struct kept_mapping) mappings;
	ARRAY(int) files;     /* that it has open */
	uint64_t brk;	      /* where its heap ends */
	struct iovec vectors; /* registers of the FPU and on, as PTRACE_GETREGSET has them */
	pid_t spare;	      /* a copy that has ended, and can be put back; 0: none */
	bool opened;	      /* ... it has opened files */
	uint64_t actions;     /* ... and has set the actions of these signals: of n the bit n - 1 */
	unsigned spoiled;     /* copies that could not */
	unsigned large;	      /* how often so much was put back in one that a fork may do better */
};

/* For the kept program that stands still; NULL: its copies cannot be put back. */
struct rewinding *rewind_new(struct kept_program *k, uint64_t brk);
void rewind_free(struct rewinding *w); /* NULL, too */
/* The new copy, between remote_begin() and remote_end(), is watched from now on. */
void rewind_watch(struct rewinding *w, struct remote *r);
/* It is of no use here, or copies die of it: those that come are not watched. False: they are not anyway. */
bool rewind_give_up(struct rewinding *w);
/* At a system call that a thread is about to make. */
void rewind_sees(struct thread *th);
/* ... by which it ends its process. True: that is said to have ended, and is put by. */
bool rewind_ends(struct thread *th);
/* A copy that is to be used again, which is the caller's from now on; 0: there is none. */
pid_t rewind_take(struct rewinding *w);
/* Memory, files and so on are as in the kept program; it stops in our stub. -1: it is of no use. */
int rewind_back(struct rewinding *w, struct remote *r);

/* rewind_filter.c */
int rewind_filter(struct remote *r);

/* rewind_signals.c */
void rewind_action(struct process *p, uint64_t signal); /* it sets an action for this one */
/* The copy's actions are the kept program's once more. */
int rewind_actions(struct rewinding *w, struct remote *r);

/* rewind_memory.c */
/* What is mapped now. -1: it is too much, or cannot be told. */
int rewind_mappings(struct rewinding *w);
bool rewind_overlaps(const struct rewinding *w, uint64_t addr, uint64_t size);
/* What the copy has mapped since is unmapped, what it has written is as in the kept program. */
int rewind_memory(struct rewinding *w, struct remote *r);

#endif
