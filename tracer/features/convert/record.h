/* Between the files that watch a run. Nothing happens if run_options.record is NULL. */
#ifndef GATECTL_FEATURES_CONVERT_RECORD_H
#define GATECTL_FEATURES_CONVERT_RECORD_H

#include "tracer/features/convert/convert.h"
#include "tracer/features/waiting/waiting.h"

/* TRACEE_SLEEP and TRACEE_SLEPT: the thread goes on now, or when it is its turn. */
bool convert_sleep(struct run *s, const struct tracee_event *ev);
void convert_born(struct run *s, struct run_thread *t);
/* At a tick: a thread that has slept goes on if it is its turn. */
void turns_look(struct run *s);

/* ---- sleeps.c ---- */

/* The thread in the record, made when first asked for. The record owns it. */
struct convert_thread *convert_thread_of(struct convert_record *r, const struct run_thread *t);
void convert_note_arrivals(struct run *s, struct arrival_counts *out);

#endif
