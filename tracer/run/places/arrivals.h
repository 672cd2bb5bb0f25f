/* A site hit or an event of the program becomes an arrival at places. */
#ifndef GATECTL_RUN_PLACES_ARRIVALS_H
#define GATECTL_RUN_PLACES_ARRIVALS_H

#include "tracer/run/run.h"
#include "tracer/run/modules/images.h"

void arrivals_site(struct run *s, struct run_thread *t, struct tracee_site *site);
void arrivals_event(struct run *s, struct run_thread *t, enum place_kind kind, int signal);
void arrivals_load(struct run *s, struct run_thread *t, const struct module_list *loaded);

#endif
