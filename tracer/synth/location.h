/* Locations as a person would write them. */
#ifndef GATECTL_SYNTH_LOCATION_H
#define GATECTL_SYNTH_LOCATION_H

#include "tracer/features/convert/convert.h"
#include "tracer/source/source.h"

/* The sites that the text means in the program; for the caller to free also if it means none. */
bool location_resolve(struct modules *symbols, struct module *program, const char *text,
		      enum location_kind *kind, struct source_sites *out);
/* FUNC;TEXT if that means only this line, else FILE:LINE; NULL: nothing does. The caller frees it
   with base_free(). */
char *location_of_line(struct modules *symbols, struct module *program,
		       const struct convert_line *at);

#endif
