/* The calls of a stopped thread, and a call in words: for verdicts, scripts and the REPL. */
#ifndef GATECTL_RUN_THREADS_CALLS_H
#define GATECTL_RUN_THREADS_CALLS_H

#include "tracer/run/state.h"

/* Longer names are shown without template arguments, which would hide what was called. */
enum { CALLS_NAME = 80 };

/*
 * At most `most`, innermost first; inspect_stack_fini() frees them. `scope`: see inspect_stack. A
 * thread whose pc is at no code (a call of NULL) is shown by that, and by who called. 0, or -1: it is not
 * stopped.
 */
int calls_read(struct run_thread *t, uint64_t scope, size_t most, struct inspect_stack *out);

/* The scope that the thread is in for the user: that of the place which holds it, or where it was sent; 0: where the pc is. */
uint64_t calls_scope(const struct run_thread *t);

/* "push at queue.c:33", "strlen in libc.so.6", "0x0000000000000018"; with (arguments) where `arguments` is
   not NULL. */
void calls_place(const struct inspect_call *call, const char *arguments, struct str *out);

#endif
