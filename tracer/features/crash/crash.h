/*
 * A process that a signal ends: where, by what, and what the other threads were doing.
 *
 *	examine.c  the moment before the signal is delivered: all threads are stopped and looked at
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

#include "tracer/run/threads/threads.h"
#include "tracer/tracee/signals/signals.h"

enum { CRASH_CALLS = 256, CRASH_SHOWN = 24 };

struct crash_frame {
	char *text; /* "push (q=0x0, n=3) at queue.c:33" */
	char *arguments;
	const char *func, *file; /* NULL unknown. Owned by modules */
	const char *object;	 /* the module's name; NULL: it is in none */
	unsigned line;		 /* 0 unknown */
	uint64_t pc;
	bool inlined, signal;
};

/* Another thread of the process at that moment. */
struct crash_other {
	const struct engine_thread *thread;
	char *text; /* "worker#2 waits for mutex m held by main, in push at queue.c:12" */
	const char *file;
	unsigned line;
};

struct crash {
	struct run_process *process;
	struct run_thread *thread;
	struct tracee_fault fault;
	struct arch_access access;
	bool has_access;
	bool ended;	  /* the process died of it */
	bool has_address; /* of memory: `address` */
	uint64_t address;
	uint64_t pc;
	struct str what;  /* "reads NULL + 0x18" */
	struct str said;  /* what the program said last; "" */
	struct str where; /* what is at the address: "nothing is mapped there"; "" */
	struct str place; /* in the outcome: \" in push at queue.c:33\" */
	ARRAY(struct crash_frame) frames; /* the ones to be shown */
	size_t calls;			  /* how many there are ... */
	bool cut;			  /* ... or more than that */
	size_t own; /* innermost frame in the tester's own code; frames.count: there is none */
	bool at;    /* expect { at = } is among the calls */
	ARRAY(struct crash_other) others;
};

/* ---- examine.c ------------------------------------------------------------------------------ */

bool crash_is_signal(int signal); /* SEGV, ABRT and the like: nobody sends these on purpose */
/* Stops and looks at all threads of the program. NULL: something else has just ended it. The run
   owns the crash. */
struct crash *crash_look(struct run *s, struct run_thread *t);
/* How the program itself (its first process) died; NULL: it did not, or nothing is known. The run
   owns it. */
const struct crash *crash_of_root(const struct run *s);

/* Kept with a run: the last crash of each process. */
struct crashes {
	struct crash **items;
	size_t count, capacity;
};
struct crashes *crash_all(const struct run *s);

/* ---- between the files ---------------------------------------------------------------------- */

void crash_address(struct crash *c, const struct arch_regs *regs); /* fills in `what` and `where` */
/* Does the address, where nothing is mapped, come from what glibc leaves in freed memory? */
bool crash_is_freed(const struct crash *c);
void crash_said(struct crash *c, const struct inspect_stack *calls);

/* ---- place.c -------------------------------------------------------------------------------- */

/* Checks that the location of expect { at = } exists in this program. 0, or -1 with an error. */
int crash_check_at(struct run *s, struct run_process *p, struct error *err);
bool crash_is_at(struct run *s, struct run_process *p, const struct inspect_stack *calls);
/* The same question for a thread that is stopped now. */
bool crash_stands_at(struct run *s, struct run_thread *t);

/* The innermost frame in the tester's own code; NULL: there is none. */
const struct crash_frame *crash_own(const struct crash *c);

/* ---- words.c -------------------------------------------------------------------------------- */

void crash_title(const struct crash *c, struct str *out);   /* "SIGSEGV in push at queue.c:33" */
void crash_place(const struct crash *c, struct str *out);   /* " in push at queue.c:33" or "" */
void crash_deed(const struct crash *c, struct str *out);    /* "worker#1 reads NULL + 0x18" */
void crash_summary(const struct crash *c, struct str *out); /* both: "TITLE: DEED" */
void crash_lines(const struct crash *c, struct str *out);   /* the rest */
/* For a run that was as expected: "crashed as expected: SIGSEGV in f at x.c:3" and the rest of it,
   or nothing. */
void crash_expected(const struct run *s, enum verdict v, struct str *out);
void crash_try(const struct run *s, struct str *out); /* how a test would expect it */
/* Crashes of children: one line each, for the verdict on the program. */
void crash_child_lines(const struct run *s, struct str *out);

/* ---- record.c ------------------------------------------------------------------------------- */

void crash_record(const struct run *s, struct json *j);

#endif
