/* Hits of sites and events of the program become arrivals at places. */
#ifndef GATECTL_RUN_PLACES_ARRIVALS_H
#define GATECTL_RUN_PLACES_ARRIVALS_H

#include "tracer/run/run.h"
#include "tracer/run/modules/images.h"

/* A thread has hit a site: arrives at the places there, or resumes. */
bool arrivals_site(struct run *s, struct run_thread *t, struct tracee_site *site);
/* The thread has an event of this kind: arrives at such places, or resumes. `signal`: of
   PLACE_SIGNAL. */
void arrivals_event(struct run *s, struct run_thread *t, enum place_kind kind, int signal);
/* The thread has loaded modules: arrives at PLACE_LOAD places of them, or resumes. */
void arrivals_load(struct run *s, struct run_thread *t, const struct module_list *loaded);

#endif
