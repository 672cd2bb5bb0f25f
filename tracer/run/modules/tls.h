/* Where a thread's thread-local variables are. */
#ifndef GATECTL_RUN_MODULES_TLS_H
#define GATECTL_RUN_MODULES_TLS_H

#include "tracer/run/run.h"

/* Where the thread's block for the module begins. 0, or -1: not allocated yet, or there is none */
int tls_block(struct run_thread *t, const struct module *m, uint64_t *base);

#endif
