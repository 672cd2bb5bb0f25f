#ifndef GATECTL_SCRIPTS_QUERY_H
#define GATECTL_SCRIPTS_QUERY_H

#include "tracer/run/run.h"

/*
 * For check and lines: starts the program up to where its libraries are loaded, calls `each` for
 * every place of the scripts (or every location given), and kills it: none of its own code has run.
 */
struct run_query {
	const char *location;		  /* as written */
	const char *source;		  /* FILE:LINE of the script, or NULL */
	bool pending;			  /* OBJECT! that is not loaded at the start */
	const struct source_sites *sites; /* NULL if `error` is set */
	const struct error *error;
	struct module *const *modules; /* all that is loaded, the executable first */
	size_t module_count;
	/* The answers for all locations, this one among them, in the order of the calls. */
	const struct run_query *all;
	size_t all_count;
};
int run_query(const struct run_options *o, struct modules *symbols, const char *const *locations,
	      size_t count, void (*each)(void *ctx, const struct run_query *q), void *ctx,
	      struct error *err);

#endif
