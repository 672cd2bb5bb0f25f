/*
 * Many runs of one program, compared: is the outcome the same each time (struct repeat), does the script
 * force it (prove), do gates do what sleeps did (convert.h)?
 *
 * Nothing is printed here: the caller is told of progress through an experiment_view, and gets
 * results at the end.
 */
#ifndef GATECTL_SEARCH_RUNS_RUNS_H
#define GATECTL_SEARCH_RUNS_RUNS_H

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
	struct str came;		     /* in words */
	bool same_out, same_err;	     /* ... and whether all wrote the same there, */
	bool same_out_lines, same_err_lines; /* ... or the same lines in some order */
	struct digest_written out, err;
};
void experiment_first(struct experiment_outcome *o, const struct run_evidence *e);
void experiment_another(struct experiment_outcome *o, const struct run_evidence *e);
bool experiment_came(const struct experiment_outcome *o, const struct run_evidence *e);
bool experiment_wrote(const struct experiment_outcome *o, const struct run_evidence *e);
bool experiment_wrote_lines(const struct experiment_outcome *o, const struct run_evidence *e);
/* Adds, in words, a line that only one of both has written. */
void experiment_other_line(const struct experiment_outcome *o, const struct run_evidence *e,
			   struct str *out);
void experiment_outcome_fini(struct experiment_outcome *o);

/* gatectl run --repeat: the same run again and again, until one differs from the first. */
struct repeat {
	struct experiment x;
	unsigned long agreed; /* of x.made runs */
	int first, status;    /* exit statuses of the first and the last run */
};

/* Makes options->repeat runs; options->order_log (may be NULL) compares the order of their events.
   0, or -1 with an error. */
int repeat_runs(struct repeat *r);

/*
 * The oracle: does a script force an outcome? Plain runs of it are made until one comes out
 * differently, or there were enough. explore, convert and prove ask it; what an outcome is, they
 * say.
 */

/* Answers of a judge, and of the oracle. */
enum oracle_answer {
	ORACLE_STOP =
		-1, /* no more runs: a signal, an error; or the experiment's time has expired */
	ORACLE_NO,  /* the last run came out differently */
	ORACLE_YES, /* all runs came out alike */
};

struct oracle {
	struct experiment *x;
	char *path; /* the script that is tried; NULL: none was written */
	/* Of the last question: */
	unsigned long made; /* runs, the one that differed included */
	double took;	    /* seconds */
	bool cut; /* the last run did not come to its end (out_of_time): ORACLE_NO tells nothing then */
};

struct oracle_question {
	unsigned long most;	       /* runs; 0: `next` knows when to stop */
	double until;		       /* by the clock: no further run begins then; 0: no limit */
	const struct run_trial *trial; /* may be NULL; `next` may change it */
	bool in_turn; /* sleeps last until nobody else has work left, as in runs with a record */
	const struct convert_record *before; /* ... `before` of the record; may be NULL */
	void *ctx;
	bool (*next)(void *ctx); /* may be NULL. False: no more runs */
	int (*judge)(const struct oracle_question *q,
		     struct run_result *r); /* may take what is in *r */
};

/* Returns an enum oracle_answer; ORACLE_YES if there was no run. */
int oracle_ask(struct oracle *o, const struct oracle_question *q);
/* The script of the runs from now on. Returns 0, or -1 with the experiment's error. */
int oracle_script(struct oracle *o, const char *text);
void oracle_fini(struct oracle *o);

/*
 * By luck runs may come out alike without the gate that q->trial is about. So the threads that
 * would open it are held back as well (`way`). Holding back that changes the outcome with the gate
 * in its place, too, tells nothing: some controls are made to see that. Returns 1: the outcome
 * depends on the gate, 0: no run showed it, -1: stop.
 */
int oracle_needs(struct oracle *o, const struct oracle_question *q, enum trial_way way);

/* gatectl prove: does the script force the outcome, and which of its gates matter? */

struct prove_row {
	unsigned long runs, agreed, limited;
};

/* Runs in which one thing is left out. */
struct prove_line {
	char *name; /* NULL: all gates */
	bool holds, is_gate, is_barrier;
	ARRAY(char *) movers; /* of a barrier: the one that is to come first, then the others */
	struct prove_row without;
	struct prove_row turned; /* of a gate: ... and the opposite of what it forces is tried */
	bool useless[TRIAL_LATE + 1]; /* ways that change the outcome by themselves */
};

struct prove {
	struct experiment x;
	unsigned long runs; /* of each row; 0: the usual number */
	bool has_limit;	    /* each run has one, from the script */
	double longest_s;
	/* The expectation. */
	bool has_expect;     /* the script has one ... */
	struct str expected; /* ... in words; without one, how the first run came out */
	struct experiment_outcome outcome;
	struct str failed; /* gatectl's message for the first run with all gates that differed */
	struct prove_row all;
	struct prove_line none;
	ARRAY(struct prove_line) lines;
	struct run_passes passes; /* of the first run */
	ARRAY(char *)
	unordered; /* "writer#1 at q.c:12 (gate full) and reader#1 at q.c:30 (gate read)" */
	const char *
		luck; /* with all gates, delaying this one's threads alone changes the outcome; NULL */
};

enum prove_judgement { PROVE_MATTERS, PROVE_IDLE, PROVE_UNKNOWN };

/* Of a line: is it the reason for the outcome, alone or with what it forces pushed the other way
   round? Not known where the outcome does not come with all gates, either, and the difference
   may be luck. */
enum prove_judgement prove_judge(const struct prove *p, const struct prove_line *line);

/* 0 with the lines filled; -1: see struct experiment for the error. */
int prove_runs(struct prove *p);
void prove_fini(struct prove *p);

/* unordered.c: gatectl check --order, and the end of prove: which two arrivals does the script not order?
   Returns 0 with `unordered` filled, or -1 as prove_runs(). */
int prove_orders(struct prove *p);

#endif
