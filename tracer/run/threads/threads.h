/* Ids and names of threads and processes, and call stacks. */
#ifndef GATECTL_RUN_THREADS_THREADS_H
#define GATECTL_RUN_THREADS_THREADS_H

#include "tracer/run/run.h"

/* Returns the run's process, made if needed; a forked child gets copies of its parent's images and
   traps. */
struct run_process *threads_process(struct run *s, struct tracee_process *p);
/* Makes a thread of the process, and its id; `start`: name of its start routine, copied. */
struct run_thread *threads_new(struct run *s, struct run_process *p, struct tracee_thread *t,
			       const char *start);
/* The thread has exited, or (`renamed`) has survived an exec and gets another id. */
void threads_gone(struct run *s, struct run_thread *t, bool renamed);
/* The thread has survived an exec: makes it the main thread of its process, by a new id. */
void threads_become_main(struct run *s, struct run_thread *t);
/* Forgets the threads that died while held: no gate is at fault. */
void threads_forgive(struct run_process *p);
struct run_thread *threads_of(const struct engine_thread *t); /* never NULL */
/* Reads the kernel's name of the thread; that of an exited thread is the last one read. */
const char *threads_name(void *ctx, const struct engine_thread *t);
/* Returns "running", "held", "blocked" or "exited". A condition that asks depends on it. */
const char *threads_state(void *ctx, const struct engine_thread *t);
/* Records name and state for the report. */
void threads_note(struct run *s, struct run_thread *t);
/* Returns the function passed to the thread's start routine if that is a trampoline; NULL:
   unknown. */
const char *threads_runs(void *ctx, const struct engine_thread *t);
/* Returns true if a thread of this program can have the start routine of the `thread` option, such
   as "worker#1"; else false with *err set, which names the option and similar functions. */
bool threads_may_start(struct modules *symbols, struct module *const *modules, size_t count,
		       const char *thread, struct error *err);
void threads_free(struct run *s); /* frees all threads and processes */

/* Call frames of stopped threads, and their texts: for verdicts, scripts and the REPL. */

/* Longer names are shown without template arguments. */
enum { CALLS_NAME = 80 };

/* Reads at most `most` frames, innermost first; inspect_stack_fini() frees them. `scope`: see
   inspect_stack. A pc that is at no code (a call of NULL) is shown, with its caller. Returns 0, or
   -1 if the thread is not stopped. */
int calls_read(struct run_thread *t, uint64_t scope, size_t most, struct inspect_stack *out);

/* Returns the scope to show for the thread: that of the place that holds it, or of its target; 0:
   that of the pc. */
uint64_t calls_scope(const struct run_thread *t);

/* Appends "push at queue.c:33", "strlen in libc.so.6" or "0x0000000000000018"; with (arguments) if
   `arguments` is not NULL. */
void calls_place(const struct inspect_call *call, const char *arguments, struct str *out);

/* The program's memory as conditions see it. */

/* Reads from pages that are kept while one event is handled. Returns 0, or -1. */
int pages_read(struct run_process *p, uint64_t address, void *buf, size_t n);
/* Writes, and forgets the kept pages. Returns 0, or -1. */
int pages_write(struct run_process *p, uint64_t address, const void *buf, size_t n);
void pages_forget(struct run *s); /* forgets the kept pages */

#endif
