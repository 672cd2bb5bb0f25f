/*
 * Inside drift: which lines of the source may be the one that a location meant? Lines are weighed
 * by their text, their surroundings and their position, without looking at code.
 */
#ifndef GATECTL_SCRIPTS_SEARCH_H
#define GATECTL_SCRIPTS_SEARCH_H

#include "tracer/scripts/scripts.h"
#include "tracer/source/lines/source_lines.h"

/* The weights of similarities. A line counts for more than everything around it. */
enum {
	SAME_TEXT = 1000,
	SIMILAR_TEXT = 6, /* for each percent */
	SIMILAR_LEAST = 50,
	SAME_AROUND = 60, /* for each line */
	SAME_FUNCTION = 150,
	SAME_FILE = 50,
	NEAR = 20,  /* at the same distance from the function's start, or the same line number */
	SEEDS = 24, /* how many lines are looked up for their code */
};

/* A line that may be the one. */
struct seed {
	const char *path; /* owned by a module */
	unsigned line, score, around;
	bool same_text;
};

/* Each pass costs more than the one before, and is made only if those found nothing. */
enum drift_pass {
	PASS_SAME_FILE,	  /* the same text in a file of the same name */
	PASS_OTHER_FILES, /* the same text in any other file; there a similar one means nothing */
	PASS_SIMILAR,	  /* other lines of the same file that are like it */
};

struct drift_search {
	struct modules *symbols;
	struct module *const *modules;
	size_t count;
	const struct meaning *was;
	struct location location; /* what the script has */
	enum drift_pass pass;
	struct seed seeds[SEEDS];
	unsigned seed_count;
	ARRAY(const char *) paths; /* of this pass; owned by modules */
	struct drift *out;
};

/* Fills the seeds. */
void drift_lines(struct drift_search *s);

/* The k-th line with a word in it, counted from `line` up or down; NULL: there is none. Owned by
   the text. */
const char *drift_around(const struct source_text *t, unsigned line, int step, unsigned k);
/* Are both the same text, or both NULL? */
bool drift_same(const char *was, const char *now);
/* Higher the nearer, but always less than any other weight. */
unsigned drift_nearness(unsigned a, unsigned b);

#endif
