/*
 * A process that a signal ends: where, by what, and what the other threads were doing.
 *
 *	look.c	   the moment before the signal is delivered: everything stands still and is looked at
 *	address.c  what is at the address that could not be reached
 *	freed.c	   was it freed?
 *	said.c	   what the program has said itself: a failed assertion, the exception nobody caught
 *	place.c	   `expect { at = LOCATION }`
 *	words.c	   all of it for people
 *	record.c   ... and for programs
 *
 * The signal is still delivered by the kernel, by its default action: status, core file and order of
 * events are the program's own.
 */
#ifndef GATECTL_FEATURES_CRASH_CRASH_H
#define GATECTL_FEATURES_CRASH_CRASH_H

#include "tracer/run/calls.h"

enum { CRASH_CALLS = 256, CRASH_SHOWN = 24 };

struct crash_frame {
	char *text; /* "push (q=0x0, n=3) at queue.c:33" */
	char *arguments;
	const char *func, *file; /* NULL unknown. Modules own them */
	const char *object;	 /* the module's name; NULL: in none */
	unsigned line;		 /* 0 unknown */
	uint64_t pc;
	bool inlined, signal;
};

/* Another thread of the process, as it was then. */
struct crash_other {
	const struct engine_thread *thread;
	char *text; /* "worker#2 waits for mutex m held by main, in push at queue.c:12" */
	const char *file;
	unsigned line;
};

struct crash {
	struct session_process *process;
	struct session_thread *thread;
	struct target_fault fault;
	struct arch_access access;
	bool has_access;
	bool ended;	  /* the process has died of it */
	bool has_address; /* of memory: `address` */
	uint64_t address;
	uint64_t pc;
	struct str what;  /* "reads NULL + 0x18" */
	struct str said;  /* the program's last words; "" */
	struct str where; /* what is at the address: "nothing is mapped there"; "" */
	struct str place; /* in the outcome: \" in push at queue.c:33\" */
	ARRAY(struct crash_frame) frames; /* those that are shown */
	size_t calls;			  /* how many there are ... */
	bool cut;			  /* ... or more than that */
	size_t own; /* the innermost frame of the tester's own code; frames.count: there is none */
	bool at;    /* expect { at = } is among the calls */
	ARRAY(struct crash_other) others;
};

/* ---- look.c --------------------------------------------------------------------------------- */

bool crash_is_signal(int signal); /* SEGV, ABRT and the like: what nobody sends on purpose */
/* All threads of the program are stopped, and looked at. NULL: it has just been ended by something else. */
struct crash *crash_look(struct session *s, struct session_thread *t);
/* How the program itself (its first process) has died; NULL: it has not, or nothing is known. */
const struct crash *crash_of_root(const struct session *s);

/* Kept with a run: the last one of each process. */
struct crashes {
	struct crash **items;
	size_t count, capacity;
};
struct crashes *crash_all(const struct session *s);

/* ---- between the files ---------------------------------------------------------------------- */

void crash_address(struct crash *c, const struct arch_regs *regs); /* what, where */
/* The address, at which nothing is, comes from what glibc leaves in freed memory. */
bool crash_is_freed(const struct crash *c);
void crash_said(struct crash *c, const struct inspect_stack *calls);

/* ---- place.c -------------------------------------------------------------------------------- */

/* The location of expect { at = } means something in this program. 0, or -1 with an error. */
int crash_check_at(struct session *s, struct session_process *p, struct error *err);
bool crash_is_at(struct session *s, struct session_process *p, const struct inspect_stack *calls);
/* The same of a thread that is stopped now. */
bool crash_stands_at(struct session *s, struct session_thread *t);

/* ---- words.c -------------------------------------------------------------------------------- */

void crash_title(const struct crash *c, struct str *out); /* "SIGSEGV in push at queue.c:33" */
void crash_place(const struct crash *c, struct str *out); /* " in push at queue.c:33" or "" */
void crash_deed(const struct crash *c, struct str *out);  /* "worker#1 reads NULL + 0x18" */
void crash_lines(const struct crash *c, struct str *out); /* the rest */
/* A run that was as expected: "crashed as expected: SIGSEGV in f at x.c:3", and the rest of it; or nothing. */
void crash_expected(const struct session *s, enum verdict v, struct str *out);
void crash_try(const struct session *s, struct str *out); /* what a test of it would say */
/* A child's: one line each, for the verdict on the program. */
void crash_child_lines(const struct session *s, struct str *out);

/* ---- record.c ------------------------------------------------------------------------------- */

void crash_record(const struct session *s, struct json *j);

#endif
