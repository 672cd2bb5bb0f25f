/* When events come: the clock, what is queued, and signals to gatectl itself. */
#ifndef GATECTL_TRACEE_EVENTS_EVENTS_H
#define GATECTL_TRACEE_EVENTS_EVENTS_H

#include "tracer/tracee/tracee.h"

/* Changes how often TRACEE_TICK comes. */
void tracee_tick(struct tracee *t, unsigned tick_ms);
/* Is an event of the thread queued? */
bool tracee_is_queued(const struct tracee *t, const struct tracee_thread *thread);
/* No event is queued, and `running` threads run. */
bool tracee_is_settled(const struct tracee *t, size_t running);

/* ---- signals to gatectl: SIGINT, SIGTERM, SIGHUP ---------------------------------------------- */

/* Drops a TRACEE_INTERRUPT that was not reported yet. Returns it if it is TERM or HUP, else 0. */
int tracee_forget_interrupt(void);
/* Around several runs: a signal between two of them is the next one's TRACEE_INTERRUPT. _release
   returns the one that came after the last run, or 0. */
void tracee_signals_hold(void);
int tracee_signals_release(void);
bool tracee_signals_came(void); /* one waits to be reported */
/* The signal has interrupted what is no run yet: it waits again. */
void tracee_signals_put_back(int signal);
/* The signal that came ends nothing: it is answered in another way. */
void tracee_signals_go_on(void);
/* A temporary file to remove if a signal ends gatectl; NULL: none. Not copied. */
void tracee_signals_unlink(const char *path);
/* Written to standard error if a signal ends gatectl before it is handled; NULL: nothing. Not
   copied. */
void tracee_signals_say(const char *text);
/* In a child that is about to exec: signals are as gatectl was started with. */
void tracee_signals_as_found(void);

#endif
