/* Interface between the files that watch a run. Its functions do nothing without
   run_options.record. */
#ifndef GATECTL_FEATURES_CONVERT_RECORD_H
#define GATECTL_FEATURES_CONVERT_RECORD_H

#include "tracer/features/convert/convert.h"
#include "tracer/features/waiting/waiting.h"

/* Handles TRACEE_SLEEP and TRACEE_SLEPT: the thread continues now or when it is its turn. Returns
   false for other events. */
bool convert_sleep(struct run *s, const struct tracee_event *ev);
/* Records when the thread began, and its creator. */
void convert_born(struct run *s, struct run_thread *t);
/* Called at a tick: ends the sleeps whose turn it is. */
void turns_look(struct run *s);

/* Returns the thread's entry, owned by the record; made at the first call. */
struct convert_thread *convert_thread_of(struct convert_record *r, const struct run_thread *t);
/* Appends to `out` the arrivals so far at each place of the script. */
void convert_note_arrivals(struct run *s, struct arrival_counts *out);

#endif
