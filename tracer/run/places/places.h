/* Places of the script <-> sites in processes. */
#ifndef GATECTL_RUN_PLACES_PLACES_H
#define GATECTL_RUN_PLACES_PLACES_H

#include "tracer/run/state.h"
#include "tracer/run/modules/images.h"

int places_prepare(struct run *s, struct error *err); /* parses every location */
/* Places from index `first` on, made while the program runs; all threads are stopped. */
int places_add(struct run *s, size_t first, struct error *err);
int places_settle(struct run *s, struct run_process *p, struct tracee_thread *t, bool strict,
		  struct error *err);
int places_loaded(struct run *s, struct run_process *p, struct tracee_thread *t,
		  const struct module_list *loaded, struct error *err);
void places_retire(struct run *s, struct place *place);
/* Removes those traps of the place that nobody needs any more. */
void places_sweep(struct place *place);
void places_free(struct run *s);

#endif
