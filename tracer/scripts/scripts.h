/* What a script says about the program's environment, arguments and standard input. */
#ifndef GATECTL_SCRIPTS_SCRIPTS_H
#define GATECTL_SCRIPTS_SCRIPTS_H

#include "tracer/run/run.h"
#include "tracer/base/array.h"
#include "tracer/base/error.h"
#include "tracer/base/text/str.h"
#include "tracer/source/source.h"

/* The program and its arguments: from the command line, or if it has none, from the script. Owned
   by the run. */
char *const *given_argv(struct run *s);
/* gatectl's own environment with the script's changes; NULL: there are none. Owned by the run. */
char *const *given_env(struct run *s);

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

/*
 * Scripts that survive edits: what the locations of a script meant at the last check, kept in a
 * lock file beside it (`gatectl check --lock`), and where that is now.
 *
 *	lockfile.c	the lock file's text: read and written
 *	compare.c	what a location means now; is that what it meant? if not, where is that?
 *	search.c	which lines of the source may be the one
 *	text.c		how alike two lines are
 *	rewrite.c	a location in the text of a script is replaced by another
 *
 * None of these opens a file of its own; the source is read through tracer/source.
 */

enum { DRIFT_AROUND = 2, DRIFT_CANDIDATES = 5 };

/* What one location means. All strings are owned; NULL: not known. */
struct meaning {
	char *location; /* as the script has it, blanks folded */
	char *object;	/* the module's name */
	char *build;	/* and its build-id */
	char *function;
	unsigned in_function; /* lines after the function's first one, if has_offset */
	bool has_offset;
	char *file; /* its last component */
	unsigned line;
	char *text; /* of the line, blanks folded */
	/* The nearest lines with a word in them, nearest first. */
	char *before[DRIFT_AROUND], *behind[DRIFT_AROUND];
};

struct lockfile {
	ARRAY(struct meaning) meanings; /* in the order of the script, each location once */
};

/* 0, or -1 with ERROR_SCRIPT that names the line. `path` is for the message. */
int lockfile_parse(const char *text, const char *path, struct lockfile *out, struct error *err);
void lockfile_print(const struct lockfile *l, const char *script, struct str *out);
const struct meaning *lockfile_find(const struct lockfile *l, const char *location); /* or NULL */
/* Adds it and takes its strings; if the location is there already, frees them instead. */
void lockfile_add(struct lockfile *l, struct meaning *m);
/* Locations that the script now spells otherwise: each replaces the one it was. */
struct respelled {
	const char *from;	  /* a meaning's location */
	const struct meaning *to; /* copied */
};
void lockfile_respell(struct lockfile *l, const struct respelled *changes, size_t count);
void lockfile_fini(struct lockfile *l);

void meaning_copy(const struct meaning *from, struct meaning *to);
void meaning_fini(struct meaning *m);
/* Trims the text and folds blanks, as in lock files. Owned by the caller. */
char *drift_fold(const char *text);

/* ---- then and now --------------------------------------------------------------------------- */

/* What the location means now, at these sites (at least one). */
void drift_look(struct modules *s, const char *location, const struct source_sites *sites,
		struct meaning *out);

struct drift_candidate {
	char *spelled;	    /* the location that would mean this; NULL: there is none */
	struct meaning now; /* what that means, or the plain line */
	unsigned score;	    /* the higher, the more similar */
	bool same_text;
};

enum drift_kind {
	DRIFT_NONE,
	DRIFT_MOVED,   /* it is at candidates[0] now, and nothing else can be meant */
	DRIFT_DOUBTED, /* the text is still there, in several places or among other lines */
	DRIFT_LOST,    /* the text is nowhere; the candidates are similar */
};

struct drift {
	enum drift_kind kind;
	struct drift_candidate candidates[DRIFT_CANDIDATES]; /* the best first */
	unsigned count;
};

/* `now`: the sites of the location, or NULL if it no longer means anything. */
void drift_compare(struct modules *s, struct module *const *modules, size_t count,
		   const struct meaning *was, const struct source_sites *now, struct drift *out);
void drift_fini(struct drift *d);

/* How similar two texts are, ignoring blanks: 0 to 100. */
unsigned drift_similarity(const char *a, const char *b);
/* Are they the same, ignoring blanks and comments? */
bool drift_same_text(const char *a, const char *b);

/* ---- the script's text ---------------------------------------------------------------------- */

enum rewrite_answer {
	REWRITE_DONE,
	REWRITE_NOT_FOUND, /* no string of the script is this location: it is computed */
	REWRITE_AMBIGUOUS, /* several strings elsewhere are it */
};

struct rewrite {
	unsigned line; /* where the script uses it */
	const char *from, *to;
	enum rewrite_answer answer;
};

/* The script's text with those locations replaced whose answer is DONE; owned by the caller. */
char *rewrite_script(const char *text, struct rewrite *edits, size_t count);

#endif
