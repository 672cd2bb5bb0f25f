/*
 * C sources into a program, by libclang. Units that cannot be read (files that are gone, missing headers, broken code,
 * C++) are told and left out.
 */
#ifndef GATECTL_AUDIT_FRONTEND_READ_H
#define GATECTL_AUDIT_FRONTEND_READ_H

#include "tracer/audit/frontend/program.h"
#include "tracer/base/error.h"

struct audit_read_options {
	const char *folder; /* of compile_commands.json; NULL: the files alone */
	const char *flags;  /* for files that it does not name, separated by blanks; may be NULL */
	const char *const *files;
	size_t count; /* 0: all that the folder names */
};

struct audit_skipped {
	char *file, *why;
};

/* What was read, or could not be. */
struct audit_read {
	struct audit_program program;
	ARRAY(struct audit_skipped) skipped;
};

/* 0, or -1: nothing at all can be read. */
int audit_read(struct audit_read *a, const struct audit_read_options *options, struct error *err);
void audit_read_fini(struct audit_read *a);

#endif
