/* The signals that gatectl gets itself: the clock, and those that end it. */
#ifndef GATECTL_TRACEE_EVENTS_SIGNALS_H
#define GATECTL_TRACEE_EVENTS_SIGNALS_H

#include "tracer/base/error.h"

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

/* Installs the handlers and starts the clock; calls nest. Returns 0, or -1 with *err
   set and nothing installed. */
int signals_open(unsigned tick_ms, struct error *err);
/* Undoes one signals_open(); the last call restores the former handlers and mask. */
void signals_close(void);
/* Sets the clock's period, in ms; 0: no ticks, a default period. */
void signals_period(unsigned tick_ms);
/* Sets whether tracee_wait() waits: the clock fires repeatedly then, else once. */
void signals_waiting(bool waiting);
/* Returns the number of firings of the clock so far. */
unsigned signals_firings(void);
/* True if ticks are wanted and one is due. */
bool signals_tick_due(void);
/* Takes the tick that is due. */
void signals_take_tick(void);
/* Limits a wait for one thread to `ms`; 0: no limit. */
void signals_limit(unsigned ms);
/* True if the limit has passed. */
bool signals_late(void);
/* Sets a function that the handler calls at each firing after the limit; NULL: none. */
void signals_when_late(void (*what)(void));
/* Takes a signal that was sent to gatectl. Returns 0 if there is none. */
int signals_interrupt(void);

/* Stops gatectl as this signal does by default, until it is continued. */
void signals_stop_by(int signal);

/* Starts the watch for a program that traces gatectl (frozen.c). A failure is ignored. */
void frozen_watch(void);
/* Ends the watch. */
void frozen_end(void);

/* Makes a timer that raises SIGALRM with the address of `made`. Returns 0 or
   -1; the caller deletes it. */
int signals_timer(clockid_t clock, timer_t *made, struct error *err);

/* Makes the timers that end gatectl (interrupt.c). Returns 0, or -1 with *err set. */
int hurry_open(struct error *err);
/* Deletes the timers. */
void hurry_close(void);
/* Starts the timers; called by the handler of `signal`, by which gatectl then ends. */
void hurry_begin(int signal);
/* Stops the timers. */
void hurry_end(void);
/* Keeps the timers stopped until hurry_close(), because the program is to outlive gatectl. */
void hurry_forbid(void);
/* True if `timer` is one of the hurry timers. */
bool hurry_is(const void *timer);
/* Kills the program and ends gatectl; called by the handler. Does not return. */
void hurry_die(void);
/* Adds a process that hurry_die() kills. */
void hurry_add(pid_t pid);
/* Removes a process that has ended. */
void hurry_remove(pid_t pid);

#endif
