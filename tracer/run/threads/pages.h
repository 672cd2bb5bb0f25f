/* The program's memory as conditions see it. 0, or -1. */
#ifndef GATECTL_RUN_THREADS_PAGES_H
#define GATECTL_RUN_THREADS_PAGES_H

#include "tracer/run/state.h"

int pages_read(struct run_process *p, uint64_t address, void *buf, size_t n);
int pages_write(struct run_process *p, uint64_t address, const void *buf, size_t n);
void pages_forget(struct run *s); /* what was read may have changed since */

#endif
