/* The queue of events, the clock tick, and signals to gatectl itself. */
#ifndef GATECTL_TRACEE_EVENTS_EVENTS_H
#define GATECTL_TRACEE_EVENTS_EVENTS_H

#include "tracer/tracee/tracee.h"

/* Sets the period of TRACEE_TICK, in ms; 0: no ticks. */
void tracee_tick(struct tracee *t, unsigned tick_ms);
/* True if an event of the thread is queued. */
bool tracee_is_queued(const struct tracee *t, const struct tracee_thread *thread);
/* True if no event is queued and exactly `running` threads run. */
bool tracee_is_settled(const struct tracee *t, size_t running);

/* ---- signals to gatectl: SIGINT, SIGTERM, SIGHUP --------------------------------------------- */

/* Drops interrupts that were not reported yet. Returns SIGTERM or SIGHUP
   if one was dropped, else 0. */
int tracee_forget_interrupt(void);
/* Keeps the signal handlers installed between runs: a signal that comes between two runs is the
   next run's TRACEE_INTERRUPT. */
void tracee_signals_hold(void);
/* Ends tracee_signals_hold(). Returns a signal that came after the last run, or 0. */
int tracee_signals_release(void);
/* True if a signal waits to be reported. */
bool tracee_signals_came(void);
/* Queues a reported signal again, which came before a run could handle it. */
void tracee_signals_put_back(int signal);
/* Ends the time limit for the reported signal, because it does not end gatectl. */
void tracee_signals_go_on(void);
/* Sets a temporary file that is removed if a signal ends gatectl; NULL: none.
   The string is not copied. */
void tracee_signals_unlink(const char *path);
/* Sets a text for standard error if a signal ends gatectl before it is handled; NULL: none.
   The string is not copied. */
void tracee_signals_say(const char *text);
/* Restores actions and mask as gatectl found them, in a child that is about to exec. */
void tracee_signals_as_found(void);

#endif
