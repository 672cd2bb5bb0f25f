/* What happened, in its order: the last events, or all of them where a report is asked for. */
#ifndef GATECTL_FEATURES_TIMELINE_TIMELINE_H
#define GATECTL_FEATURES_TIMELINE_TIMELINE_H

#include "tracer/run/internal.h"

void timeline_add(struct session *s, enum happening what, const struct engine_thread *t,
		  const struct place *p, const struct gate *g, const char *text);
void timeline_end(struct session *s); /* the verdict is reached now */
const char *timeline_word(enum happening what);
void timeline_line(const struct happened *h, struct str *out);

#endif
