/* Addresses of thread-local variables. */
#ifndef GATECTL_RUN_MODULES_TLS_H
#define GATECTL_RUN_MODULES_TLS_H

#include "tracer/run/run.h"

/* Computes the address of the thread's block for the module. Returns 0, or -1 if the block is not
   allocated or the module has none. */
int tls_block(struct run_thread *t, const struct module *m, uint64_t *base);

#endif
