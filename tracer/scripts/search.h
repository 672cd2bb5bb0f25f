/* Search for source lines that a location may have meant, by their text, their surroundings and
 * their position, without looking at code. */
#ifndef GATECTL_SCRIPTS_SEARCH_H
#define GATECTL_SCRIPTS_SEARCH_H

#include "tracer/scripts/scripts.h"
#include "tracer/source/lines/source_lines.h"

/* Weights of similarities. The text of a line outweighs its surroundings. */
enum {
	SAME_TEXT = 1000,
	SIMILAR_TEXT = 6, /* for each percent */
	SIMILAR_LEAST = 50,
	SAME_AROUND = 60, /* for each line */
	SAME_FUNCTION = 150,
	SAME_FILE = 50,
	NEAR = 20,  /* at the same distance from the function's start, or at the same line number */
	SEEDS = 24, /* number of lines whose code is looked up */
};

/* A line that may be the one that was meant. */
struct seed {
	const char *path; /* owned by a module */
	unsigned line, score, around;
	bool same_text;
	bool same_function; /* counts only in the function of that name */
};

/* Each pass costs more than the previous one and runs only if those found nothing. */
enum drift_pass {
	PASS_SAME_FILE,	  /* equal text in a file of the same name */
	PASS_OTHER_FILES, /* equal text in another file */
	PASS_SIMILAR,	  /* similar lines of a file of the same name */
	PASS_ELSEWHERE,	  /* similar lines of the function in another file: that was renamed */
};

struct drift_search {
	struct modules *symbols;
	struct module *const *modules;
	size_t count;
	const struct meaning *was;
	struct location location; /* the location of the script */
	enum drift_pass pass;
	struct seed seeds[SEEDS];
	unsigned seed_count;
	ARRAY(const char *) paths; /* files of this pass; owned by modules */
	struct drift *out;
};

/* Fills in the seeds, best first. */
void drift_lines(struct drift_search *s);

/* Returns the k-th line that contains a word, from `line` down (step 1) or up (step -1), or
 * NULL. The text owns it. */
const char *drift_around(const struct source_text *t, unsigned line, int step, unsigned k);
/* True if both are the same text, or both NULL. */
bool drift_same(const char *was, const char *now);
/* Returns a weight that is higher for nearer lines, always below any other weight. */
unsigned drift_nearness(unsigned a, unsigned b);

#endif
