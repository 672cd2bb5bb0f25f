/* The file that a process has mapped; gatectl may find another file by its name. */
#ifndef GATECTL_RUN_MODULES_MAPPED_FILE_H
#define GATECTL_RUN_MODULES_MAPPED_FILE_H

#include "tracer/run/run.h"

/* The position of an object in the memory of its process. */
struct mapped_place {
	uint64_t start;	 /* address of its first page; 0: `bias` is known */
	uint64_t bias;	 /* load bias, if `start` is 0 */
	uint64_t within; /* an address in one of its mappings; 0: `start` is one */
};

/* Returns the load bias of the module. */
uint64_t mapped_file_bias(const struct module *m, const struct mapped_place *there);

/* Opens the object that the process knows as `name`. Returns NULL if no file that can be opened is
   the mapped one; a message reports that once. */
struct module *mapped_file_open(struct run *s, struct run_process *p, const char *name,
				const struct mapped_place *there);
/* Opens the executable of the process. Returns NULL with *err set if it cannot be read. */
struct module *mapped_file_exe(struct run *s, struct run_process *p, struct error *err);

#endif
