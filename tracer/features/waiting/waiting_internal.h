/*
 * Between the files that tell what each thread waits for. All threads are looked at first; only then
 * does what they wait for get a name, its owners, and the place where those took it: another
 * thread's calls may be needed for that.
 *
 *	waiting.c	  all of it, in words
 *	caller.c	  the calls of a thread, and which of them are the tester's
 *	around.c	  the calls around the one that is told
 *	spinning.c	  who runs and gets nowhere
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

/* ", called from worker at main.cc:12; inside uv_cond_wait at thread.c:81": what is around the call
   that is told, as far as it says something. */
void around_describe(const struct waiter *w, bool blocked, struct str *out);

/* ---- spinning.c ------------------------------------------------------------------------------ */

/* Of a thread that runs, or that sleeps for moments: ", spinning for 3.2 s". */
void spinning_describe(const struct session *s, const struct session_thread *t,
		       struct waiting *out);

/* ---- primitive.c ---------------------------------------------------------------------------- */

void primitive_find(struct waiter *w);
/* The kind of thing that a function of this name waits for. */
enum primitive primitive_of(const char *function);
/* Why the thread does this at all: " while the process exits", or "". */
const char *primitive_occasion(const struct waiter *w);
/* Is the thread inside a function of this name, of a library's? */
bool primitive_is_in(const struct waiter *w, const char *function);

/* ---- primitive_glibc.c ---------------------------------------------------------------------- */

void glibc_object(struct waiter *w);
void glibc_owners(struct waiters *all, struct waiter *w);
bool glibc_is_recursive(const struct waiter *w); /* a mutex that has been taken more than once */
bool glibc_is_behind_writer(const struct waiter *w); /* a reader, where writers are preferred */
void glibc_state(const struct waiter *w, struct str *out); /* ", where 1 of 2 threads is" */

/* ---- locks_text.c: a call in a source text, as it is written --------------------------------- */

enum { LOCKS_ARGS = 4 };

struct locks_call {
	char *word;	       /* the function, or in a declaration the type without <...> */
	char *object;	       /* object.word(): the object; or NULL */
	bool declares;	       /* TYPE NAME(args) */
	char *arg[LOCKS_ARGS]; /* the first ones */
	unsigned args;
	unsigned line, last; /* where it begins, and where its bracket closes */
	unsigned until;	     /* the line on which its block ends; 0: behind the text */
	int depth;	     /* of braces */
	bool lambda;	     /* in the body of a lambda */
	bool guarded;	     /* an if or the like without a brace is before it */
	bool jumps;	     /* a return, break or the like follows in the same block */
};

struct locks_calls {
	struct locks_call *items;
	size_t count, capacity;
};

/* The calls on the lines first..last, in their order. Comments and strings do not count. */
void locks_text(const char *const *lines, size_t count, unsigned first, unsigned last,
		struct locks_calls *out);
void locks_text_fini(struct locks_calls *c);
/* The line on which the function that begins on line `first` ends; 0: it cannot be told. */
unsigned locks_function_end(const char *const *lines, size_t count, unsigned first);
/* The line on which the outermost loop around line `inside` of a function ends; 0: there is none. */
unsigned locks_loop_end(const char *const *lines, size_t count, unsigned first, unsigned inside);

/* ---- locks_name.c --------------------------------------------------------------------------- */

/* Names of all objects: one object has one name, two objects have two. */
void locks_name_all(struct waiters *all);
/* The kind of thing by the function that is called for it: libc's own way from there to the system call
   may leave no trace. */
enum primitive locks_kind(struct session *s, const struct waiter *w);
/* Does a call that is written where this call stands have an argument that means the object? */
bool locks_is_argument(struct session *s, const struct inspect_call *call, uint64_t object);
/* Is it the object that the expression means in this call, or points to? `inside` gets the words that
   lead to it where it is a part of that; NULL: only itself will do. */
bool locks_means(const struct inspect_call *call, const char *expression, uint64_t object,
		 struct str *inside);

/* ---- locks_apart.c -------------------------------------------------------------------------- */

/* Two objects that have one name get others: of variables that lead to them, or with their addresses. */
void locks_tell_apart(struct waiters *all);

/* ---- locks_taken.c -------------------------------------------------------------------------- */

/* Where this thread took the object: false where the source does not show it beyond doubt. */
bool locks_taken(struct waiters *all, const struct waiter *owner, const struct waiter *wants,
		 struct owner *out);

/* Does the call, written where `call` stands, mean the object by one of its arguments, or is it made for
   it? */
bool locks_call_means(const struct inspect_call *call, const struct locks_call *c, uint64_t object);

/* ---- signals.c ------------------------------------------------------------------------------ */

/* CONDITION: fills in `owners` with the threads that could signal it, and where. */
void signals_find(struct waiters *all, struct waiter *w);

/* ---- descriptors.c -------------------------------------------------------------------------- */

/* "reads from a pipe (fd 3), whose other end only main has"; false: it is no such system call. */
bool descriptors_describe(struct waiters *all, struct waiter *w, struct str *out);

#endif
