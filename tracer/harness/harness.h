/*
 * gatectl harness: is every operation of an object atomic? Operations are read from debug
 * information; small concurrent harnesses are made of them; whole calls one after the other say
 * which outcomes are atomic; and each harness is searched (explore.h) for one that is not.
 */
#ifndef GATECTL_HARNESS_HARNESS_H
#define GATECTL_HARNESS_HARNESS_H

#include "tracer/base/files/shortlived.h"
#include "tracer/search/explore.h"
#include "tracer/harness/model/model.h"
#include "tracer/source/types/types.h"

struct harness_options {
	const char *library, *type;
	const char *make, *end; /* --new, --delete; NULL: guessed */
	const char *ops;	/* f,g,h; NULL: all */
	const char *values;	/* NULL: 0,1,2 */
	const char *cflags;	/* NULL: none */
	unsigned threads, least, most;
	struct texts schemas, includes;
	struct texts weaken; /* OPERATION:FILE.lua */
	bool lists;	     /* --list: nothing is run, or linked with */
};

struct harness_orders;

/* An operation that may give more than whole calls do. */
struct harness_weak {
	const struct harness_op *op;
	struct script_weaken *script; /* owned */
};

/* A harness that has given what whole calls cannot give. */
struct harness_violation {
	struct schema schema;
	struct outcomes outcomes;
	char *kind;	/* "status": an outcome that is not atomic; else as explore_failure's */
	char *headline; /* in words: the harness, and what came */
	unsigned long runs;
	double seconds; /* of the whole search, when it was found */
	/* The test of it, once it is searched. */
	char *folder;		     /* DIR/N */
	char *script;		     /* NULL: none ... */
	char *no_script;	     /* ... for this reason */
	struct str story;	     /* of its README */
	unsigned long forced, asked; /* as in explore_failure */
	double forced_s;
};

struct harness_size {
	unsigned calls;
	unsigned long harnesses, searched,
		unusable; /* unusable: no order of whole calls ends well */
	bool more;	  /* there are, but nobody would come to them */
};

struct harness_hunt {
	/* Who takes part in runs, as explore has them. */
	const struct features *quick, *full, *plain;
	struct experiment x;
	struct explore_options explore;
	struct harness_options options;
	/* What was found out. */
	struct module *module;
	const struct module *tested; /* a shared object; NULL: it is linked with statically */
	struct signatures signatures;
	struct harness_object object;
	ARRAY(unsigned) final;	/* calls behind the threads: harness_final() */
	bool takes;		/* ... and there is one that takes out what is left: */
	unsigned taker, filled; /* the call, and how much a new object has */
	ARRAY(char *) notes;	/* what there is to say of the object */
	/* Files. */
	struct shortlived folder;	 /* of files that are needed for a while */
	char *program;			 /* of all harnesses */
	char *compiler;			 /* the command up to the names of files */
	char *link;			 /* the library and what finds it */
	struct harness_orders *orders;	 /* of check/orders.c */
	ARRAY(struct harness_weak) weak; /* --weaken */
	struct explore_points_at races;	 /* accesses that race, whatever the harness */
	bool *met; /* by two operations: races were looked for with one in each thread */
	/* The result. */
	ARRAY(struct harness_violation) violations;
	ARRAY(struct harness_size) sizes;
	unsigned long harnesses, unusable, runs, contained;
	double begun, seconds;
	bool out_of_time;
};

/* Signatures and the object: what --list shows. 0, or -1 with x.err. x must have begun. */
int harness_discover(struct harness_hunt *h);
/* All of it. 0: see the result; -1: as explore_search(). */
int harness_hunt(struct harness_hunt *h);
void harness_hunt_fini(struct harness_hunt *h); /* before experiment_end */

#endif
