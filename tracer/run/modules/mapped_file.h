/* The file that a process has mapped, which is not always the one that its name leads to from here. */
#ifndef GATECTL_RUN_MODULES_MAPPED_FILE_H
#define GATECTL_RUN_MODULES_MAPPED_FILE_H

#include "tracer/run/run.h"

/* Where an object is in the memory of its process. */
struct mapped_place {
	uint64_t
		start; /* its first segment, from the beginning of the page; 0: known by its bias */
	uint64_t bias; /* else */
	uint64_t within; /* an address in one of its mappings; 0: `start` is one */
};

uint64_t mapped_file_bias(const struct module *m, const struct mapped_place *there);

/*
 * The object that the process knows as `name`. NULL: no file that can be opened from here is the one that is
 * mapped there; the user is told so, once.
 */
struct module *mapped_file_open(struct run *s, struct run_process *p, const char *name,
				const struct mapped_place *there);
struct module *mapped_file_exe(struct run *s, struct run_process *p, struct error *err);

#endif
