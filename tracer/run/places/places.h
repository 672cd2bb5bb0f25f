/* Places of the script <-> sites in processes. */
#ifndef GATECTL_RUN_PLACES_PLACES_H
#define GATECTL_RUN_PLACES_PLACES_H

#include "tracer/run/state.h"
#include "tracer/run/modules/images.h"

int places_prepare(struct session *s, struct error *err); /* parses every location */
/* Places from index `first` on, made while the program runs; all threads are stopped. */
int places_add(struct session *s, size_t first, struct error *err);
int places_settle(struct session *s, struct session_process *p, struct tracee_thread *t,
		  bool strict, struct error *err);
int places_loaded(struct session *s, struct session_process *p, struct tracee_thread *t,
		  const struct module_list *loaded, struct error *err);
void places_retire(struct session *s, struct place *place);
/* Removes those traps of the place that nobody needs any more. */
void places_sweep(struct place *place);
void places_free(struct session *s);

#endif
