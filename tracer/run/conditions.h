/* C expressions of scripts: at(LOCATION, { when = "EXPR" }) and :when "EXPR". */
#ifndef GATECTL_RUN_CONDITIONS_H
#define GATECTL_RUN_CONDITIONS_H

#include "tracer/run/state.h"

/* Parses the expressions of the place. Returns 0, or -1 with *err set: the location, the column and
   what is wrong. */
int conditions_parse(const struct place *place, struct error *err);
/* Checks the names of the expressions at each site of the place in the process. Returns as
   conditions_parse(). */
int conditions_check(struct run_process *p, const struct place *place,
		     const struct source_sites *sites, struct error *err);
/* For struct engine_world; `ctx` is the run. */
enum engine_answer conditions_ask(void *ctx, const char *expression, const struct arrival *a,
				  bool again, struct error *err);

#endif
