/* Timers of the program, on its clock. */
#ifndef GATECTL_SCHED_SYSCALLS_TIMERS_H
#define GATECTL_SCHED_SYSCALLS_TIMERS_H

#include "tracer/sched/sched_internal.h"

/* A timer of the program: timerfd_create(2), timer_create(2), or the one of setitimer(2) and
   alarm(2). Its expiration is a step; to the strategy it is a thread. */
enum timer_kind { TIMER_FD, TIMER_SIGNAL, TIMER_PROCESS };
struct sched_timer {
	struct sched_thread as; /* without a run_thread; `timed` while it is armed */
	enum timer_kind kind;
	const struct run_process *process; /* that set it */
	uint64_t id;			   /* descriptor, or the kernel's number */
	unsigned mark;			   /* FD: tracee_timerfd_stop() */
	struct tracee_timer sends;	   /* SIGNAL, PROCESS; its clock also of FD */
	uint64_t interval_ns;		   /* 0: expires once */
	unsigned overrun;		   /* expirations since the signal was sent */
	unsigned early;			   /* expirations for which a thread has paused */
	bool has_expired;		   /* since it was set */
	bool may_be_closed;		   /* FD: is to be looked for */
};

/* Makes the thread's call if it sets a timer. Returns false if the kernel makes it. */
bool timers_set(struct scheduler *c, struct sched_thread *t);
/* Handles calls that read, delete or close a timer. */
bool timers_call(struct scheduler *c, struct sched_thread *t);
/* The thread is about to close a descriptor, perhaps the last one of a timer. */
void timers_closed(struct scheduler *c, const struct sched_thread *t);
/* Returns true if a timer can expire, once its last expiration is noticed. */
static inline bool timers_are_armed(const struct scheduler *c)
{
	array_each(struct sched_timer *, timer, &c->timers)
		if ((*timer)->as.timed)
			return true;
	return false;
}

/* Offers timers that can expire until then. */
void timers_offer(struct scheduler *c, uint64_t until_ns);
/* Returns the end of the first timer that can expire, or UINT64_MAX. */
uint64_t timers_first(struct scheduler *c);
/* The timer is about to expire by a step of the schedule. */
void timers_step(const struct scheduler *c, struct sched_thread *as);
/* Expires timers up to the time of the clock. */
void timers_expire(struct scheduler *c);
/* The process has exited. */
void timers_process_gone(struct scheduler *c, const struct run_process *p);
/* The process made an exec. */
void timers_exec(struct scheduler *c, const struct run_process *p);

#endif
