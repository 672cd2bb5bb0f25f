/* A crash: a signal that ends a process. Records the place, the access, and what the other threads
 * were doing. README.md lists the files. The kernel delivers the signal with its default action:
 * status, core file and order of events are the program's own. */
#ifndef GATECTL_FEATURES_CRASH_CRASH_H
#define GATECTL_FEATURES_CRASH_CRASH_H

#include "tracer/run/threads/threads.h"
#include "tracer/tracee/signals/signals.h"

enum { CRASH_CALLS = 256, CRASH_SHOWN = 24 };

struct crash_frame {
	char *text; /* "push (q=0x0, n=3) at queue.c:33" */
	char *arguments;
	const char *func, *file; /* NULL if unknown; owned by the module */
	const char *object;	 /* name of the module, NULL if the pc is in none */
	unsigned line;		 /* 0 if unknown */
	uint64_t pc;
	bool inlined, signal;
	bool system; /* code of a system library, or of its headers */
};

/* Another thread of the process at the time of the crash. */
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
	bool ended;	  /* the signal has ended the process */
	bool has_address; /* `address` is valid: the access is to memory */
	uint64_t address;
	uint64_t pc;
	const struct inspect_stack *stack; /* while the crash is examined, else NULL */
	struct str what;		   /* "reads NULL + 0x18" */
	struct str said;  /* last message of the program: assertion, exception; may be empty */
	struct str where; /* what is at the address, "nothing is mapped there"; may be empty */
	struct str place; /* addition to the outcome: " in push at queue.c:33" */
	ARRAY(struct crash_frame) frames; /* the innermost frames, as printed */
	size_t calls;			  /* number of frames of the whole stack */
	bool cut;			  /* the stack has more than `calls` frames */
	size_t own; /* innermost frame in the tester's own code; frames.count if there is none */
	bool at;    /* one of the frames is at the location of expect { at = } */
	ARRAY(struct crash_other) others;
};

/* ---- examine.c ------------------------------------------------------------------------------ */

/* True for SIGSEGV, SIGABRT and the other signals that report a fault of the program. */
bool crash_is_signal(int signal);
/* Stops and examines all threads of the program. Returns the crash, owned by the run, or NULL if
 * the process has already died. */
struct crash *crash_look(struct run *s, struct run_thread *t);
/* Returns the crash that ended the program's first process, owned by the run, or NULL if no signal
 * ended it or nothing is known. */
const struct crash *crash_of_root(const struct run *s);

/* Per-run data: the last crash of each process. */
struct crashes {
	struct crash **items;
	size_t count, capacity;
};
/* Returns the crashes of the run; the run owns them. */
struct crashes *crash_all(const struct run *s);

/* ---- used by examine.c ----------------------------------------------------------------------- */

/* Fills in `what` and `where` from the registers and the instruction at the pc. */
void crash_address(struct crash *c, const struct arch_regs *regs);
/* True if the address, at which nothing is mapped, derives from what glibc writes to freed
 * blocks. */
bool crash_is_freed(const struct crash *c);
/* Appends who freed the block that the address derives from, if the run knows: "; worker#1 freed
 * it in f at x.c:3". */
void crash_add_freed(const struct crash *c, struct str *out);
/* Fills in `said` from the message of a failed assertion or an uncaught exception. */
void crash_said(struct crash *c, const struct inspect_stack *calls);

/* ---- place.c -------------------------------------------------------------------------------- */

/* Checks that the location of expect { at = } exists in process p. Returns 0, or -1 with *err
 * set. */
int crash_check_at(struct run *s, struct run_process *p, struct error *err);
/* True if one of the calls is at the location of expect { at = }. */
bool crash_is_at(struct run *s, struct run_process *p, const struct inspect_stack *calls);
/* True if one of the calls of t, a stopped thread, is at the location of expect { at = }. */
bool crash_stands_at(struct run *s, struct run_thread *t);

/* Returns the innermost frame in the tester's own code, or NULL if there is none. */
const struct crash_frame *crash_own(const struct crash *c);

/* ---- words.c -------------------------------------------------------------------------------- */

/* Appends "SIGSEGV in push at queue.c:33". */
void crash_title(const struct crash *c, struct str *out);
/* Appends " in push at queue.c:33", or nothing if no frame is known. */
void crash_place(const struct crash *c, struct str *out);
/* Appends "worker#1 reads NULL + 0x18". */
void crash_deed(const struct crash *c, struct str *out);
/* Appends "TITLE: DEED", from crash_title() and crash_deed(). */
void crash_summary(const struct crash *c, struct str *out);
/* Appends the backtrace and a line for each other thread. */
void crash_lines(const struct crash *c, struct str *out);
/* Appends "crashed as expected: SIGSEGV in f at x.c:3" and the lines of the crash if the run passed
 * because it expected this crash; else nothing. */
void crash_expected(const struct run *s, enum verdict v, struct str *out);
/* Appends the `expect` by which a test would expect this crash. */
void crash_try(const struct run *s, struct str *out);
/* Appends one line for each child that has crashed. */
void crash_child_lines(const struct run *s, struct str *out);

/* ---- record.c ------------------------------------------------------------------------------- */

/* Adds members "crash" and "child_crashes" to the JSON record of the run. */
void crash_record(struct run *s, struct json *j);

#endif
