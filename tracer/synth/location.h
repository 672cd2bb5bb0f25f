/* Readable locations of gates, such as FUNC;TEXT. */
#ifndef GATECTL_SYNTH_LOCATION_H
#define GATECTL_SYNTH_LOCATION_H

#include "tracer/features/convert/convert.h"
#include "tracer/source/source.h"

/* Resolves a location in the program. Returns true with the sites if it means any; the caller frees
   *out in both cases. */
bool location_resolve(struct modules *symbols, struct module *program, const char *text,
		      enum location_kind *kind, struct source_sites *out);
/* Returns FUNC;TEXT if that means only this line, else FILE:LINE, or NULL if nothing does. The
   caller frees it with base_free(). */
char *location_of_line(struct modules *symbols, struct module *program,
		       const struct convert_line *at);
/* Returns FUNC%call(CALLEE) or FUNC%call(CALLEE)#K if it means only the instruction at this offset,
   else NULL. The caller frees it with base_free(). */
char *location_of_call(struct modules *symbols, struct module *program, const char *func,
		       const char *callee, uint64_t offset);
/* Returns LINE:read or LINE:write if it means only the instruction at at->offset, else NULL. The
   caller frees it with base_free(). */
char *location_of_access(struct modules *symbols, struct module *program,
			 const struct convert_line *at, bool writes);

#endif
