/* System calls of the program, seen and changed; and calls made by a stopped thread for gatectl. */
#ifndef GATECTL_TRACEE_SYSCALLS_SYSCALLS_H
#define GATECTL_TRACEE_SYSCALLS_SYSCALLS_H

#include "tracer/tracee/tracee.h"

/* ---- by a stopped thread, for gatectl ---------------------------------------------------------- */

/* One system call; -1 if it could not be made at all. */
int tracee_syscall(struct tracee *t, struct tracee_thread *thread, long number,
		   const uint64_t args[6], int64_t *result);
/* False: the thread cannot make one where it is stopped, as at its own exit. */
bool tracee_can_call(struct tracee_thread *thread);

/*
 * A function of the program run by a stopped thread, the others as they are. Afterwards the thread
 * is as before: registers (vectors too), errno, signal mask, the reason of its stop. Sites inside
 * are passed and not reported; signals sent to it meanwhile are delivered later.
 */
struct tracee_call {
	uint64_t function;
	uint64_t integer[6];
	unsigned integers;
	double vector[8]; /* the low halves of XMM 0 and on */
	unsigned vectors;
	const char *text[6]; /* copied to the program's stack; the address goes into ... */
	unsigned text_at[6]; /* ... this one of `integer` */
	unsigned texts;
	unsigned limit_ms;	 /* 0: none */
	uint64_t errno_function; /* __errno_location, or 0 */
	/* Functions that leave others (longjmp): their target decides if they leave this call. */
	uint64_t leaving[8];
	unsigned leaving_count;
	/* Functions that end the thread or the process (exit, pthread_exit): an error to enter one,
	   before they have changed anything. System calls are seen without it. */
	uint64_t ending[8];
	unsigned ending_count;
	bool wrote; /* to a watched word: no TRACEE_WATCH is reported. Also set after an error */
	uint64_t failed_at; /* pc, where the error is a signal; else 0 */
	/* What it returned. */
	uint64_t rax, rdx;
	uint8_t xmm0[16], xmm1[16], st0[10];
};
/* 0, or -1 with ERROR_STATE: it crashed (which signal, where), was about to exit or exec, left by
   longjmp, took longer than the limit, or this thread cannot call anything just now (about to end,
   in vfork, about to take a signal in sigsuspend or the like). The others run on, but those that
   stop do so until it is over; no FORK is reported for a process that it makes. vfork (posix_spawn,
   system) is an error. Its memory below the stack pointer is overwritten. */
int tracee_call(struct tracee *t, struct tracee_thread *thread, struct tracee_call *call,
		struct error *err);

/* A thread at TRACEE_EXEC: the value of an environment variable, malloc'd; NULL: it is not set. */
char *tracee_env(struct tracee_thread *thread, const char *name);
/* A thread at TRACEE_EXEC execs the same program again, with this `NAME=VALUE` in its environment.
   0: forget this event, the other TRACEE_EXEC comes next. -1: refused, it stands as before. */
int tracee_exec_again(struct tracee_thread *thread, const char *assignment);

/* ---- at TRACEE_CALL ---------------------------------------------------------------------------- */

/* The thread does not make the call when it is resumed, but has this result; at TRACEE_CALLED:
   another result. */
void tracee_answer(struct tracee_thread *thread, int64_t result);
void tracee_argument(struct tracee_thread *thread, unsigned index, uint64_t value);
/* TRACEE_CALLED comes when the call is over. */
void tracee_tell_end(struct tracee_thread *thread);
/* A signal that runs a handler or ends the thread comes before its call waits. */
bool tracee_is_signalled(const struct tracee_thread *thread);
/* The call waits until what it waits for has come, no longer for a time at most: this one. False:
   it waits for no time, or for ever. */
struct tracee_limit {
	uint64_t ns;
	bool is_absolute; /* of `clock`; else a length */
	clockid_t clock;
};
bool tracee_unlimit(struct tracee_thread *thread, struct tracee_limit *out);
/* ... that time is over: the call returns (TRACEE_CALLED) with the result which says so. */
void tracee_time_out(struct tracee_thread *thread);
/* The thread does not make the call but stands before it again; a handler runs before that. */
void tracee_call_again(struct tracee_thread *thread);

/* ---- sleeps and the clock, with tracee_launch.sleeps ------------------------------------------- */

/*
 * The thread's sleeping calls (nanosleep, poll, a timed wait ...) return at once, as if their time
 * had passed, until _end for the same frame: a stack pointer above that of all the calls meant. A
 * thread that makes a system call above it has left.
 */
void tracee_elide(struct tracee_thread *thread, uint64_t frame);
void tracee_elide_end(struct tracee_thread *thread, uint64_t frame);
/* The program's clock advances by its sleeps (`ns`: all of them since its start) and by the CPU
   time of all its threads. */
void tracee_slept(struct tracee *t, uint64_t ns);
uint64_t tracee_worked_ns(struct tracee *t);
/* Sleeps last only one `part`-th of their time; 0: all of it. See sleeps.c. */
void tracee_hasten(struct tracee *t, unsigned part);
/* Times that the thread has begun to wait for files. */
unsigned long tracee_polls(const struct tracee_thread *thread);
bool tracee_has_timers(const struct tracee *t); /* of its own (alarm, timerfd ...), which go on */
/* The program's clock when the program last read it, and how often it has. */
uint64_t tracee_clock_seen_ns(const struct tracee *t);
unsigned long tracee_clock_reads(const struct tracee *t);

#endif
