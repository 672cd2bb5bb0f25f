/* "did you mean": the names most like a wanted one, at most three. */
#ifndef GATECTL_BASE_TEXT_SUGGEST_H
#define GATECTL_BASE_TEXT_SUGGEST_H

#include "tracer/base/text/str.h"

enum { SUGGESTIONS = 3 };

struct suggestions {
	const char *wanted;
	struct suggestion {
		char *text;
		unsigned distance;
	} best[SUGGESTIONS];
};

void suggest_offer(struct suggestions *s, const char *name);
/* A name whose end, `compared`, is compared with the wanted one. */
void suggest_offer_as(struct suggestions *s, const char *compared, const char *name);
/* The best one, base_free'd by the caller; NULL: there is none. */
char *suggest_best(const struct suggestions *s);
/* Appends "; did you mean a, b or c?", or nothing; frees them. */
void suggest_take(struct suggestions *s, struct str *out);

/* How far the text is from occurring in the line, blanks not counted: letters to be put in, taken out
   or changed. UINT_MAX: too long to tell. */
unsigned suggest_distance_in(const char *text, const char *line);

#endif
