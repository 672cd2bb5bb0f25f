/* The signals that gatectl gets itself: its clock, and those that end it. */
#ifndef GATECTL_TRACEE_EVENTS_SIGNALS_H
#define GATECTL_TRACEE_EVENTS_SIGNALS_H

#include "tracer/base/error.h"

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

/* signals.c. -1: there is no clock, and nothing has been opened. */
int signals_open(unsigned tick_ms, struct error *err);
void signals_close(void);
void signals_period(unsigned tick_ms);
void signals_waiting(bool waiting);
unsigned signals_firings(void); /* of the clock so far */
bool signals_tick_due(void);
void signals_take_tick(void);
/* A wait for one thread ends when that much time has passed; 0: no limit. */
void signals_limit(unsigned ms);
bool signals_late(void);
void signals_when_late(void (*what)(void)); /* called in the handler, again and again; or NULL */
int signals_interrupt(void);		    /* takes one that was sent to gatectl; 0: none */

/* As this signal does it by default: gatectl stands still until it is continued. */
void signals_stop_by(int signal);

/* frozen.c: while there is a target */
void frozen_watch(void);
void frozen_end(void);

/* SIGALRM comes with the address of `made`. Deleted by timer_delete; 0 or -1. */
int signals_timer(clockid_t clock, timer_t *made, struct error *err);

/* interrupt.c: if nobody comes to take such a signal, gatectl dies by it */
int hurry_open(struct error *err);
void hurry_close(void);
void hurry_begin(int signal); /* in its handler */
void hurry_end(void);
void hurry_forbid(void);	  /* until _close: the program is to outlive us */
bool hurry_is(const void *timer); /* is that one of its timers? */
void hurry_die(void);		  /* in its handler; does not return */
void hurry_add(pid_t pid);	  /* a process that dies with us */
void hurry_remove(pid_t pid);

#endif
