/* System calls of the program, seen and changed; and calls made by a stopped thread for gatectl. */
#ifndef GATECTL_TRACEE_SYSCALLS_SYSCALLS_H
#define GATECTL_TRACEE_SYSCALLS_SYSCALLS_H

#include "tracer/tracee/tracee.h"

/* ---- made by a stopped thread for gatectl ---------------------------------------------------- */

/* Makes a system call; *result is -errno if it fails. Returns 0, or -1 if it cannot be made. */
int tracee_syscall(struct tracee *t, struct tracee_thread *thread, long number,
		   const uint64_t args[6], int64_t *result);
/* False if the thread cannot make a system call where it is stopped, as at its own exit. */
bool tracee_can_call(struct tracee_thread *thread);

/*
 * A function of the program, run by a stopped thread while the others stay as they are. Registers,
 * errno, signal mask and the reason of the stop are restored. Sites inside are passed unreported;
 * signals sent meanwhile are delivered later.
 */
struct tracee_call {
	uint64_t function;
	uint64_t integer[6];
	unsigned integers;
	double vector[8]; /* low halves of XMM 0 and up */
	unsigned vectors;
	const char *text[6]; /* strings, copied to the program's stack */
	unsigned text_at[6]; /* index in `integer` that gets the string's address */
	unsigned texts;
	unsigned limit_ms;	 /* 0: no limit */
	uint64_t errno_function; /* address of __errno_location, or 0 */
	/* Functions that leave others (longjmp). The target decides whether this call is left. */
	uint64_t leaving[8];
	unsigned leaving_count;
	/* Functions that end the thread or the process (exit, pthread_exit). Their entry
	   is an error, before they change anything. System calls that do so are
	   recognized without the list. */
	uint64_t ending[8];
	unsigned ending_count;
	/* the call wrote to a watched word, also set after an error; no TRACEE_WATCH comes */
	bool wrote;
	uint64_t failed_at; /* pc if a signal ended the call, else 0 */
	/* Return values. */
	uint64_t rax, rdx;
	uint8_t xmm0[16], xmm1[16], st0[10];
};
/* Returns 0, or -1 with ERROR_STATE if the function crashes, is about to exit, exec or vfork,
   is left by longjmp or exceeds the limit, or if the thread cannot call anything now. Other
   threads that stop do so until the call is over. Memory below the stack pointer is
   overwritten; no FORK comes. */
int tracee_call(struct tracee *t, struct tracee_thread *thread, struct tracee_call *call,
		struct error *err);

/* Returns the value of an environment variable, to be freed, for a thread at
   TRACEE_EXEC; NULL if it is not set. */
char *tracee_env(struct tracee_thread *thread, const char *name);
/* Lets a thread at TRACEE_EXEC exec the same program with `NAME=VALUE` added to its environment.
   Returns 0; the event is then void and another TRACEE_EXEC follows. Returns -1 if refused. */
int tracee_exec_again(struct tracee_thread *thread, const char *assignment);

/* ---- at TRACEE_CALL -------------------------------------------------------------------------- */

/* Gives the call this result instead of making it; at TRACEE_CALLED, replaces the result. */
void tracee_answer(struct tracee_thread *thread, int64_t result);
/* Replaces the argument `index`, counted from 0, of the call. */
void tracee_argument(struct tracee_thread *thread, unsigned index, uint64_t value);
/* Requests a TRACEE_CALLED at the end of the call. */
void tracee_tell_end(struct tracee_thread *thread);
/* True if a pending signal will run a handler or end the thread before the call waits. */
bool tracee_is_signalled(const struct tracee_thread *thread);
/* Time limit of a call that waits. */
struct tracee_limit {
	uint64_t ns;
	bool is_absolute; /* a point in time of `clock`, else a duration */
	clockid_t clock;
};
/* Removes the call's time limit and stores it in *out. Returns false if the call does
   not wait, or has no limit. */
bool tracee_unlimit(struct tracee_thread *thread, struct tracee_limit *out);
/* Ends a call without limit as if its time were over. TRACEE_CALLED follows, with the result of a
   timeout. */
void tracee_time_out(struct tracee_thread *thread);
/* Puts the thread before the call instead of making it; a signal's handler runs first. */
void tracee_call_again(struct tracee_thread *thread);

/* ---- timers whose expirations gatectl makes -------------------------------------------------- */

struct tracee_timerfd {
	clockid_t clock;
	uint64_t ticks; /* expirations that the program has not read */
	unsigned mark;	/* of tracee_timerfd_stop(); else nanoseconds of the interval */
};
/* Returns false if the descriptor is no timerfd. */
bool tracee_timerfd(const struct tracee_process *p, int fd, struct tracee_timerfd *out);
/* Stops the timer without expirations, and marks it. Returns false if the kernel refuses or lacks
   what tracee_timerfd_expire() needs (CONFIG_CHECKPOINT_RESTORE, pidfd_getfd(2)). */
bool tracee_timerfd_stop(const struct tracee_process *p, int fd, unsigned mark);
/* Returns a descriptor of the marked timer, `fd` if it still is one; -1: there is none. */
int tracee_timerfd_find(const struct tracee_process *p, int fd, unsigned mark);
/* Sets the number of expirations, which wakes threads that wait for one. */
void tracee_timerfd_expire(const struct tracee_process *p, int fd, uint64_t ticks);

/* A timer that sends a signal. */
struct tracee_timer {
	clockid_t clock;
	int signal; /* 0: none (SIGEV_NONE) */
	pid_t tid;  /* the thread that gets it; 0: the process */
	uint64_t value;
};
/* Reads the timer of timer_create(2) with the kernel's id. Returns false if there is none, or if
   the kernel does not show them. */
bool tracee_timer(const struct tracee_process *p, int id, struct tracee_timer *out);
/* Sends the signal of an expiration. */
void tracee_timer_expire(const struct tracee_process *p, const struct tracee_timer *timer,
			 unsigned overrun);
/* True if the signal of the last expiration was not delivered yet. */
bool tracee_timer_is_pending(const struct tracee_process *p, const struct tracee_timer *timer);

/* ---- sleeps and the clock, with tracee_launch.sleeps ----------------------------------------- */

/*
 * Makes the thread's sleeping calls (nanosleep, poll, a timed wait) return at once, until
 * tracee_elide_end() for the same frame: a stack pointer above those of the calls. A system call
 * made above the frame ends it, too.
 */
void tracee_elide(struct tracee_thread *thread, uint64_t frame);
/* Ends tracee_elide() for this frame; no effect if there is none. */
void tracee_elide_end(struct tracee_thread *thread, uint64_t frame);
/* Ends the thread's next futex wait at once, with this error or 0, instead of making it. */
void tracee_skip_wait(struct tracee_thread *thread, int error);
/* Ends tracee_skip_wait(). Returns true if there has been no such wait since. */
bool tracee_waits_after_all(struct tracee_thread *thread);
/* Sets the sum of all sleeps since the start, in ns. The program's clock is this sum plus
   the CPU time of all threads. */
void tracee_slept(struct tracee *t, uint64_t ns);
/* Returns the CPU time of all threads since the start, in ns. */
uint64_t tracee_worked_ns(struct tracee *t);
/* At TRACEE_SLEEP: the call's time does not end it, but tracee_time_out(); TRACEE_SLEPT follows. */
void tracee_outlast(struct tracee_thread *thread);
/* Makes sleeps last 1/part of their time; 0: all of it. */
void tracee_hasten(struct tracee *t, unsigned part);
/* Returns how often the thread has begun to wait for files (poll, select, epoll). */
unsigned long tracee_polls(const struct tracee_thread *thread);
/* Returns when, in the time of tracee_slept(), the first of the program's timers (alarm, timerfd)
   expires; UINT64_MAX: none is set. That time advances when the kernel has expired one;
   tracee_hasten() does not affect timers. */
uint64_t tracee_timer_due(struct tracee *t);
/* Returns the time set by tracee_slept(), or that of the last timer that has expired. */
uint64_t tracee_slept_ns(struct tracee *t);
/* Returns the program's clock, in ns, at the program's last read of it. */
uint64_t tracee_clock_seen_ns(const struct tracee *t);
/* Returns how often the program has read the clock. */
unsigned long tracee_clock_reads(const struct tracee *t);

#endif
