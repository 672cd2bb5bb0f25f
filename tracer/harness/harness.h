/* gatectl harness: checks that an object is linearizable. Operations come from debug information;
   small concurrent harnesses call them and are searched (explore.h) for an outcome that no
   sequential order of the calls gives. */
#ifndef GATECTL_HARNESS_HARNESS_H
#define GATECTL_HARNESS_HARNESS_H

#include "tracer/base/files/shortlived.h"
#include "tracer/search/explore.h"
#include "tracer/harness/model/model.h"
#include "tracer/source/types/types.h"

struct harness_options {
	const char *library, *type;
	const char *make, *end;	      /* --new, --delete; NULL means guessed */
	const char *ops;	      /* f,g,h; NULL means all */
	const char *core, *untrusted; /* f,g,h; NULL means the others, or none */
	const char *values;	      /* NULL means 0,1,2 */
	const char *cflags;	      /* NULL means none */
	unsigned threads, least, most;
	struct texts schemas, includes;
	struct texts weaken; /* OPERATION:FILE.lua */
	bool lists;	     /* --list: nothing is linked or run */
};

struct harness_orders;

/* An operation of --weaken, which may give results that no sequential order gives. */
struct harness_weak {
	const struct harness_op *op;
	struct script_weaken *script; /* owned */
};

/* A harness with an outcome that is not linearizable. */
struct harness_violation {
	struct schema schema;
	struct outcomes outcomes;
	/* "status" for an outcome that is not linearizable; else as explore_failure.kind. */
	char *kind;
	char *differs;	/* "size() gave -1, not 0"; NULL if no outcome is near */
	char *brief;	/* that, or the kind of failure, and the harness */
	char *headline; /* that and the outcome */
	unsigned long runs;
	double seconds; /* from the begin of the search to the violation */
	/* The test of the violation, filled by harness_found(). */
	char *folder;		     /* DIR/N */
	char *script;		     /* NULL if there is none */
	char *no_script;	     /* why there is no script; may be NULL */
	struct str story;	     /* text of the folder's README */
	unsigned long forced, asked; /* as in explore_failure */
	double forced_s;
};

struct harness_size {
	unsigned calls;
	/* Harnesses of this size; those searched; those without a usable sequential order. */
	unsigned long harnesses, searched, unusable;
	bool more; /* there are too many: a sample was taken */
};

/* Calls one after the other of which the last does not end. */
struct harness_stuck {
	unsigned count, calls[SCHEMA_SIZE];
	char *ends;  /* "blocks for ever" */
	char *where; /* what a verdict on these calls says; NULL if unknown */
};

struct harness_hunt {
	/* Features of runs, as in struct explore. */
	const struct features *quick, *full, *plain;
	struct experiment x;
	struct explore_options explore;
	struct harness_options options;
	/* Results of discovery and probing. */
	struct module *module;
	/* The shared object; NULL if the library is linked statically. */
	const struct module *tested;
	struct signatures signatures;
	struct harness_object object;
	ARRAY(unsigned) final;	/* calls after the threads have ended: harness_final() */
	bool takes;		/* a call removes what is left in the object */
	unsigned taker, filled; /* that call, and how many items a new object holds */
	ARRAY(char *) notes;	/* messages about the object */
	/* Files. */
	struct shortlived folder;	 /* folder of temporary files */
	char *program;			 /* path of the program of all harnesses */
	char *compiler;			 /* the command without file names */
	char *link;			 /* the library, and options to find it */
	struct harness_orders *orders;	 /* owned, see check/orders.c */
	ARRAY(struct harness_weak) weak; /* --weaken */
	struct explore_points_at races;	 /* accesses that race in any harness */
	/* Matrix of operations: races between these two were searched for. */
	bool *met;
	/* Results. */
	ARRAY(struct harness_violation) violations;
	ARRAY(struct harness_size) sizes;
	ARRAY(struct harness_stuck) stuck; /* one for each operation that does not end */
	unsigned long harnesses, unusable, runs, contained;
	double begun, seconds;
	/* Time, and processor time of all processes, before the first search. */
	double searched_after_s, computed_before_s;
	/* Limits of the trial of operations: by explore_now_s(), and of the processor time of ended
	   children; 0 means none. */
	double trial_ends, trial_computed_s;
	bool out_of_time;
};

/* Finds the signatures and the object, which --list shows. Returns 0, or -1 with x.err set.
   Requires experiment_begin() of h->x. */
int harness_discover(struct harness_hunt *h);
/* Probes, then searches all harnesses. Returns 0 with the results in *h, or -1 as
   explore_search(). */
int harness_hunt(struct harness_hunt *h);
/* Appends the verdict on an operation: "atomic in 40 harnesses, 12000 schedules". */
void harness_verdict(const struct harness_hunt *h, const struct harness_op *op, struct str *out);
/* Returns the calls that do not end of which one is of the operation, or NULL. */
const struct harness_stuck *harness_stuck_with(const struct harness_hunt *h,
					       const struct harness_op *op);
/* Appends "{ empty(); add(1) } blocks for ever", and with `where` also where. */
void harness_say_stuck(const struct harness_hunt *h, const struct harness_stuck *s, bool where,
		       struct str *out);
void harness_hunt_fini(struct harness_hunt *h); /* Frees everything. Precedes experiment_end(). */

#endif
