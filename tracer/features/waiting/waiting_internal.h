/*
 * Between the files that tell what each thread waits for. All threads are looked at first; only then
 * does what they wait for get a name, its owners, and the place where those took it: another
 * thread's calls may be needed for that.
 *
 *	waiting.c	  all of it, in words
 *	caller.c	  the calls of a thread, and which of them are the tester's
 *	around.c	  the calls around the one that is reported
 *	spinning.c	  who runs without progress
 *	primitive.c	  what kind of thing it is, by the names of the functions that wait
 *	primitive_glibc.c where the thing begins, and what glibc has written into it
 *	locks_text.c	  calls in a piece of source text
 *	locks_name.c	  the thing's name in the source
 *	locks_apart.c	  ... and what else it is called, where two have one name
 *	locks_taken.c	  where its owner took it
 *	signals.c	  who could signal a condition variable
 *	descriptors.c	  files, pipes and sockets
 */
#ifndef GATECTL_FEATURES_WAITING_INTERNAL_H
#define GATECTL_FEATURES_WAITING_INTERNAL_H

#include "tracer/features/waiting/waiter.h"
#include "tracer/features/waiting/waiting.h"

/* ---- around.c -------------------------------------------------------------------------------- */

/* ", called from worker at main.cc:12; inside uv_cond_wait at thread.c:81": the calls around the
   one that is reported, as far as they say something. */
void around_describe(const struct waiter *w, bool blocked, struct str *out);

/* ---- spinning.c ------------------------------------------------------------------------------ */

/* For a thread that runs, or sleeps briefly again and again: ", spinning for 3.2 s". */
/* descriptors.c: "sleeps", "waits for a signal"; NULL: its call is another one. */
const char *waiting_asleep(const struct waiter *w);
bool waiting_is_for_time(long number);
/* Reports the call in which the thread spins, if it spins. */
void spinning_told(const struct run *s, struct waiter *w);
void spinning_describe(const struct run *s, const struct run_thread *t, struct waiting *out);

/* ---- primitive.c ---------------------------------------------------------------------------- */

void primitive_find(struct waiter *w);
/* The kind of object that a function of this name waits for. */
enum primitive primitive_of(const char *function);
/* Why the thread does this: " while the process exits", or "". */
const char *primitive_occasion(const struct waiter *w);
/* Is the thread inside a library's function of this name? */
bool primitive_is_in(const struct waiter *w, const char *function);

/* ---- primitive_glibc.c ---------------------------------------------------------------------- */

void glibc_object(struct waiter *w);
void glibc_owners(struct waiters *all, struct waiter *w);
bool glibc_is_recursive(const struct waiter *w); /* a mutex that has been taken more than once */
bool glibc_is_behind_writer(const struct waiter *w);	   /* a reader, and writers are preferred */
void glibc_state(const struct waiter *w, struct str *out); /* ", where 1 of 2 threads is" */

/* ---- locks_text.c: a call in a source text, as it is written --------------------------------- */

enum { LOCKS_ARGS = 4 };

struct locks_call {
	char *word;	       /* the function; in a declaration, the type without <...> */
	char *object;	       /* object.word(): the object; or NULL */
	bool declares;	       /* TYPE NAME(args) */
	char *arg[LOCKS_ARGS]; /* the first ones */
	unsigned args;
	unsigned line, last; /* its start, and where its bracket closes */
	unsigned until;	     /* the line where its block ends; 0: after the text */
	int depth;	     /* of nested braces */
	bool lambda;	     /* it is in the body of a lambda */
	bool guarded;	     /* it follows an if or the like, without a brace */
	bool jumps;	     /* a return, break or the like follows in the same block */
};

struct locks_calls {
	struct locks_call *items;
	size_t count, capacity;
};

/* The calls on the lines first..last, in order, ignoring comments and strings. The caller frees
   them with locks_text_fini(). */
void locks_text(const char *const *lines, size_t count, unsigned first, unsigned last,
		struct locks_calls *out);
void locks_text_fini(struct locks_calls *c);
/* The line where the function that begins on line `first` ends; 0: it cannot be told. */
unsigned locks_function_end(const char *const *lines, size_t count, unsigned first);
/* The line where the outermost loop around line `inside` of a function ends; 0: there is none. */
unsigned locks_loop_end(const char *const *lines, size_t count, unsigned first, unsigned inside);

/* ---- locks_name.c --------------------------------------------------------------------------- */

/* Names all objects: one object has one name, two objects have two. */
void locks_name_all(struct waiters *all);
/* The kind of object, by the function that is called for it: libc may leave no trace of its own way
   to the system call. */
enum primitive locks_kind(struct run *s, const struct waiter *w);
/* Does a call written where this call is have an argument that means the object? */
bool locks_is_argument(struct run *s, const struct inspect_call *call, uint64_t object);
/* Does the expression mean the object in this call, or point to it? If it may be a part of that,
   `inside` gets the words that lead to it; NULL: it may not. */
bool locks_means(const struct inspect_call *call, const char *expression, uint64_t object,
		 struct str *inside);

/* ---- locks_apart.c -------------------------------------------------------------------------- */

/* Two objects that have one name get others: of variables that lead to them, or their addresses. */
void locks_tell_apart(struct waiters *all);

/* ---- locks_taken.c -------------------------------------------------------------------------- */

/* Where this thread took the object; false: the source does not show that beyond doubt. */
bool locks_taken(struct waiters *all, const struct waiter *owner, const struct waiter *wants,
		 struct owner *out);

/* Does the call, written where `call` is, mean the object by an argument, or is it a method of the
   object? */
bool locks_call_means(const struct inspect_call *call, const struct locks_call *c, uint64_t object);

/* ---- signals.c ------------------------------------------------------------------------------ */

/* CONDITION: fills in `owners` with the threads that could signal it, and where. */
void signals_find(struct waiters *all, struct waiter *w);

/* ---- descriptors.c -------------------------------------------------------------------------- */

/* "reads from a pipe (fd 3), whose other end only main has"; false: it is no such system call. */
bool descriptors_describe(struct waiters *all, struct waiter *w, struct str *out);

#endif
