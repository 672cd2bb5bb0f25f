/*
 * Many runs of one program, compared: is the outcome the same each time (struct repeat), does the script
 * force it (prove.h), do gates do what sleeps did (convert.h)?
 *
 * Nothing is printed here: the caller is told of progress through an experiment_view, and gets
 * results at the end.
 */
#ifndef GATECTL_SEARCH_RUNS_EXPERIMENT_H
#define GATECTL_SEARCH_RUNS_EXPERIMENT_H

#include "tracer/features/convert/convert.h"
#include "tracer/run/run.h"

/* How the caller is told of progress. Each function may be NULL. */
struct experiment_view {
	void *ctx;
	/* Before each run: how many were made, of how many (0: not known), and what this one is
	   for. */
	void (*progress)(void *ctx, unsigned long done, unsigned long all, const char *what);
	/* After each run; err->code is set if there was none. -1 with an error: make no more. */
	int (*ran)(void *ctx, const struct run_result *r, struct error *err);
	/* A strategy in Lua prints. NULL: that is lost. */
	void (*print)(void *ctx, const char *line);
};

struct experiment {
	struct run_options *options; /* the caller's; scripts and limits are set in it */
	struct modules *symbols;
	struct experiment_view view;
	struct error *err; /* the caller's: code 0, or why the experiment ended */
	struct str what;   /* what the next run is for */
	unsigned long made, planned,
		done;	 /* runs so far; of so many planned ones (0: not known) so many */
	unsigned hasten; /* convert_record's `hasten`, for runs with a record */
	/* Time. */
	double most;  /* seconds for all of it; 0: no limit */
	double begun; /* by the clock; 0: not yet */
	double until; /* ... when the current step has to end */
	bool expired; /* ... it is past; a -1 may be due to it */
	/* No runs after this one: a signal has come, or its script has a fault. */
	bool over;
	struct run_result last;
};

/* Where a file on standard input stands now each run begins to read it, whatever the runs before it have read.
   From here to _end a signal to gatectl that arrives between two runs interrupts the next one. */
void experiment_begin(struct experiment *x, struct run_options *o, struct error *err);
/* Before a run: its input begins there again. */
void experiment_rewind(const struct run_options *o);
/* gatectl's exit status: `status`, or that of a signal that came after the last run. */
int experiment_end(struct experiment *x, int status);

void experiment_say(struct experiment *x, const char *what);
/* Gives the step that begins now this part of the time left; after that it has expired. */
void experiment_grant(struct experiment *x, double part);
/* Ends the experiment after this run, and takes *r: -1. */
int experiment_over(struct experiment *x, struct run_result *r);
bool experiment_is_over(const struct experiment *x); /* by an error, or after a run */

/* One run; `trial` and `record` may be NULL. 0: *r belongs to the caller; -1: it is over, or has
   expired. */
int experiment_run(struct experiment *x, const struct run_trial *trial,
		   struct convert_record *record, struct run_result *r);

/* How runs come out: what they have in common. */
struct experiment_outcome {
	struct str came;	 /* in words */
	bool same_out, same_err; /* ... and whether all wrote the same there */
	uint64_t out_sum, err_sum;
};
void experiment_first(struct experiment_outcome *o, const struct run_evidence *e);
void experiment_another(struct experiment_outcome *o, const struct run_evidence *e);
bool experiment_came(const struct experiment_outcome *o, const struct run_evidence *e);
bool experiment_wrote(const struct experiment_outcome *o, const struct run_evidence *e);

/* gatectl run --repeat: the same run again and again, until one differs from the first. */
struct repeat {
	struct experiment x;
	unsigned long agreed; /* of x.made runs */
	int first, status;    /* exit statuses of the first and the last run */
};

/* Makes options->repeat runs; options->order_log (may be NULL) compares the order of their events.
   0, or -1 with an error. */
int repeat_runs(struct repeat *r);

#endif
