/* "did you mean": the names, three at most, that are most similar to a wanted one. */
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

/* Offers a name. A copy is kept if it is one of the best. */
void suggest_offer(struct suggestions *s, const char *name);
/* Offers a name of which only its end, `compared`, is compared with the wanted one. */
void suggest_offer_as(struct suggestions *s, const char *compared, const char *name);
/* Returns a copy of the best name, which the caller frees, or NULL. */
char *suggest_best(const struct suggestions *s);
/* Appends "; did you mean a, b or c?", or nothing, and frees the names. */
void suggest_take(struct suggestions *s, struct str *out);

/* Returns the edit distance (insertions, deletions, substitutions; without blanks) between the text
   and the best matching part of the line; UINT_MAX if the text is too long. */
unsigned suggest_distance_in(const char *text, const char *line);

#endif
