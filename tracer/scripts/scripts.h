/* Scripts apart from a run: the inputs that they give to the program, what their locations mean,
 * and how they survive changes of the source. */
#ifndef GATECTL_SCRIPTS_SCRIPTS_H
#define GATECTL_SCRIPTS_SCRIPTS_H

#include "tracer/run/run.h"
#include "tracer/base/array.h"
#include "tracer/base/error.h"
#include "tracer/base/text/str.h"
#include "tracer/source/source.h"

/* Returns the program and its arguments, from the command line or, if it has no arguments, from the
 * script. The run owns the array. */
char *const *given_argv(struct run *s);
/* Returns gatectl's environment with the script's changes, or NULL if there are
 * none. The run owns it. */
char *const *given_env(struct run *s);

/* An answer for one location, for check and lines, or an error about a `thread` option. */
struct run_query {
	const char *location;		  /* as written */
	const char *source;		  /* FILE:LINE of the script, or NULL */
	bool pending;			  /* OBJECT! is not loaded at the start */
	const struct source_sites *sites; /* NULL if `error` is set */
	const struct error *error;
	struct module *const *modules; /* all loaded modules, the executable first */
	size_t module_count;
	/* Answers for all locations, in the order of the calls. */
	const struct run_query *all;
	size_t all_count;
};
/* Starts the program until its libraries are loaded, calls `each` for all given
 * locations and all places of the scripts, and kills it: no code of its own has run.
 * Returns 0, or -1 with *err set. */
int run_query(const struct run_options *o, struct modules *symbols, const char *const *locations,
	      size_t count, void (*each)(void *ctx, const struct run_query *q), void *ctx,
	      struct error *err);

/* Drift: where a location of a script is after changes of the source. The meaning at the last check
 * is kept in a lock file beside the script (`gatectl check --lock`). README.md lists the files. */

enum { DRIFT_AROUND = 2, DRIFT_CANDIDATES = 5 };

/* The meaning of one location. Strings are owned; NULL if unknown. */
struct meaning {
	char *location; /* as in the script, blanks folded */
	char *object;	/* name of the module */
	char *build;	/* build id of the module */
	char *function;
	unsigned in_function; /* lines after the function's first one, if has_offset */
	bool has_offset;
	char *file; /* last component of the path */
	unsigned line;
	char *text; /* text of the line, blanks folded */
	/* The nearest lines that contain a word, nearest first. */
	char *before[DRIFT_AROUND], *behind[DRIFT_AROUND];
};

struct lockfile {
	ARRAY(struct meaning) meanings; /* in the order of the script, without duplicates */
};

/* Reads a lock file; `path` is for messages. Returns 0, or -1 with *err set to
 * ERROR_SCRIPT and the line. */
int lockfile_parse(const char *text, const char *path, struct lockfile *out, struct error *err);
/* Appends the lock file's text. */
void lockfile_print(const struct lockfile *l, const char *script, struct str *out);
/* Returns the recorded meaning of the location, or NULL. The lock file owns it. */
const struct meaning *lockfile_find(const struct lockfile *l, const char *location);
/* Adds a meaning and takes its strings; if the location is already there, frees them. */
void lockfile_add(struct lockfile *l, struct meaning *m);
/* A location that the script now writes in another way. */
struct respelled {
	const char *from;	  /* location of a recorded meaning */
	const struct meaning *to; /* copied */
};
/* Replaces the meanings of these locations. */
void lockfile_respell(struct lockfile *l, const struct respelled *changes, size_t count);
/* Frees the meanings. */
void lockfile_fini(struct lockfile *l);

/* Copies a meaning with its strings. */
void meaning_copy(const struct meaning *from, struct meaning *to);
/* Frees the strings and clears *m. */
void meaning_fini(struct meaning *m);
/* Returns the text trimmed, with blanks folded, as in lock files; freed by the caller. */
char *drift_fold(const char *text);

/* ---- recorded and present meaning -------------------------------------------------------- */

/* Fills in the present meaning of the location at these sites (at least one). */
void drift_look(struct modules *s, const char *location, const struct source_sites *sites,
		struct meaning *out);

struct drift_candidate {
	char *spelled;	    /* location that means this line, or NULL */
	struct meaning now; /* meaning of that location, or of the plain line */
	unsigned score;	    /* similarity: higher is more similar */
	bool same_text;
};

enum drift_kind {
	DRIFT_NONE,
	DRIFT_MOVED,   /* the line is now candidates[0], without doubt */
	DRIFT_DOUBTED, /* the text exists, but in several places or among other lines */
	DRIFT_LOST,    /* the text does not exist; candidates are similar */
};

struct drift {
	enum drift_kind kind;
	struct drift_candidate candidates[DRIFT_CANDIDATES]; /* best first */
	unsigned count;
};

/* Compares the recorded meaning with the present one. `now` are the present sites, or NULL if there
 * are none. Fills in *out, freed with drift_fini(). */
void drift_compare(struct modules *s, struct module *const *modules, size_t count,
		   const struct meaning *was, const struct source_sites *now, struct drift *out);
/* Frees the candidates. */
void drift_fini(struct drift *d);

/* Returns the similarity of two texts without blanks, 0 to 100. */
unsigned drift_similarity(const char *a, const char *b);
/* True if the texts are equal without blanks and comments. */
bool drift_same_text(const char *a, const char *b);

/* ---- the script's text ---------------------------------------------------------------------- */

enum rewrite_answer {
	REWRITE_DONE,
	REWRITE_NOT_FOUND, /* no string of the script is this location: it is computed */
	REWRITE_AMBIGUOUS, /* several strings elsewhere are this location */
};

struct rewrite {
	unsigned line; /* line of the script that uses the location */
	const char *from, *to;
	enum rewrite_answer answer;
};

/* Returns the script's text with the locations replaced whose answer is REWRITE_DONE; freed by the
 * caller. Sets the answer of each edit. */
char *rewrite_script(const char *text, struct rewrite *edits, size_t count);

#endif
