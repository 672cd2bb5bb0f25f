/* The ids of threads and processes. */
#ifndef GATECTL_RUN_THREADS_THREADS_H
#define GATECTL_RUN_THREADS_THREADS_H

#include "tracer/run/run.h"

struct run_process *threads_process(struct run *s, struct tracee_process *p);
struct run_thread *threads_new(struct run *s, struct run_process *p, struct tracee_thread *t,
			       const char *start);
void threads_gone(struct run *s, struct run_thread *t, bool renamed);
void threads_become_main(struct run *s, struct run_thread *t);
/* Forgets the threads that died while held: no gate is at fault. */
void threads_forgive(struct run_process *p);
struct run_thread *threads_of(const struct engine_thread *t);
const char *threads_name(void *ctx, const struct engine_thread *t);
const char *threads_state(void *ctx, const struct engine_thread *t);
/* Notes name and state, for the report. */
void threads_note(struct run *s, struct run_thread *t);
/* The function that was passed to its start routine, if that is a trampoline; NULL: not known. */
const char *threads_runs(void *ctx, const struct engine_thread *t);
void threads_free(struct run *s);

/* The calls of a stopped thread, and a call in words: for verdicts, scripts and the REPL. */

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

/* The program's memory as conditions see it. 0, or -1. */

int pages_read(struct run_process *p, uint64_t address, void *buf, size_t n);
int pages_write(struct run_process *p, uint64_t address, const void *buf, size_t n);
void pages_forget(struct run *s); /* what was read may have changed since */

#endif
