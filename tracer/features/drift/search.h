/*
 * Inside drift: which lines of the source may be the one that a location meant? Each line is
 * weighed by its text, the lines around it and its place, on the text alone.
 */
#ifndef GATECTL_FEATURES_DRIFT_SEARCH_H
#define GATECTL_FEATURES_DRIFT_SEARCH_H

#include "tracer/features/drift/drift.h"
#include "tracer/source/source_lines.h"

/* What a likeness counts. A line is more than all that is around it. */
enum {
	SAME_TEXT = 1000,
	SIMILAR_TEXT = 6, /* for each percent */
	SIMILAR_LEAST = 50,
	SAME_AROUND = 60, /* for each line */
	SAME_FUNCTION = 150,
	SAME_FILE = 50,
	NEAR = 20,  /* at the same distance from the function's beginning, or the same line */
	SEEDS = 24, /* how many lines are asked for their code */
};

/* A line that may be the one. */
struct seed {
	const char *path; /* a module owns it */
	unsigned line, score, around;
	bool same_text;
};

/* Each pass costs more than the one before, and is made only where those have not found it. */
enum drift_pass {
	PASS_SAME_FILE,	  /* the same text in a file of the same name */
	PASS_OTHER_FILES, /* the same text in any other: a similar one says nothing there */
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
	ARRAY(const char *) paths; /* of the files of this pass; modules own them */
	struct drift *out;
};

/* Fills the seeds. */
void drift_lines(struct drift_search *s);

/* The k-th line that has a word, counted from `line` up or down; NULL: there is none. */
const char *drift_around(const struct source_text *t, unsigned line, int step, unsigned k);
/* Are both the same text, or both none? */
bool drift_same(const char *was, const char *now);
/* The nearer the more, and never as much as anything else counts. */
unsigned drift_nearness(unsigned a, unsigned b);

#endif
