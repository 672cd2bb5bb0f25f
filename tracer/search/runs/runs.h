/* Many runs of one program, compared: repeat (same outcome each time?), prove (does the script
   force it?), convert.h (do gates replace sleeps?). Nothing is printed here: experiment_view
   reports progress. */
#ifndef GATECTL_SEARCH_RUNS_RUNS_H
#define GATECTL_SEARCH_RUNS_RUNS_H

#include "tracer/features/convert/convert.h"
#include "tracer/run/run.h"

/* Progress callbacks; each may be NULL. */
struct experiment_view {
	void *ctx;
	/* Before each run: runs done, of how many (0 if not known), and the run's purpose. */
	void (*progress)(void *ctx, unsigned long done, unsigned long all, const char *what);
	/* After each run; err->code is set if it failed. Returns -1 with *err set to end the
	   experiment. */
	int (*ran)(void *ctx, const struct run_result *r, struct error *err);
	/* Output of print() of a strategy in Lua. */
	void (*print)(void *ctx, const char *line);
};

struct experiment {
	struct run_options *options; /* the caller's; the experiment changes scripts and limits */
	struct modules *symbols;
	struct experiment_view view;
	struct error *err; /* the caller's; code 0, or why the experiment ended */
	struct str what;   /* purpose of the next run */
	/* Runs made; planned runs (0 if not known), and how many of those are done. */
	unsigned long made, planned, done;
	unsigned hasten; /* `hasten` of convert_record */
	/* Time limits. */
	double most;  /* seconds for the experiment; 0 means no limit */
	double begun; /* monotonic clock, in seconds; 0 before the first grant */
	double until; /* end of the current step, by that clock */
	bool expired; /* `until` has passed, which may explain a -1 */
	/* No further run: a signal has come, or the script has an error. */
	bool over;
	struct run_result last;
};

/* Remembers the offset of a file on standard input, where each run begins to read. Until
   experiment_end() a signal that arrives between two runs interrupts the next one. */
void experiment_begin(struct experiment *x, struct run_options *o, struct error *err);
/* Sets standard input back to that offset. Precedes each run. */
void experiment_rewind(const struct run_options *o);
/* Frees the experiment. Returns gatectl's exit status: `status`, or that of a signal since the last
   run. */
int experiment_end(struct experiment *x, int status);

/* Sets the purpose of the next runs; copies `what`. */
void experiment_say(struct experiment *x, const char *what);
/* Limits the step that begins now to this part (0 to 1) of the time left; then `expired` is set. */
void experiment_grant(struct experiment *x, double part);
/* Ends the experiment and moves *r to x->last. Returns -1. */
int experiment_over(struct experiment *x, struct run_result *r);
/* Returns true after an error or experiment_over(). */
bool experiment_is_over(const struct experiment *x);

/* Makes one run; `trial` and `record` may be NULL. Returns 0 with *r, which the caller frees, or -1
   if the experiment is over or expired. */
int experiment_run(struct experiment *x, const struct run_trial *trial,
		   struct convert_record *record, struct run_result *r);

/* Common properties of the outcomes of several runs. */
struct experiment_outcome {
	struct str came;		     /* outcome of the first run, in words */
	bool same_out, same_err;	     /* all runs wrote the same there */
	bool same_out_lines, same_err_lines; /* all runs wrote the same lines there, in any order */
	struct digest_written out, err;
};
/* Begins the comparison with the first run; copies from *e. */
void experiment_first(struct experiment_outcome *o, const struct run_evidence *e);
/* Adds a further run to what all runs have in common. */
void experiment_another(struct experiment_outcome *o, const struct run_evidence *e);
/* Returns true if the run came out as the first one. */
bool experiment_came(const struct experiment_outcome *o, const struct run_evidence *e);
/* Returns true if the run's output agrees, as far as all runs' outputs are the same. */
bool experiment_wrote(const struct experiment_outcome *o, const struct run_evidence *e);
/* Returns true if the run's lines agree in any order, as far as all runs' lines do. */
bool experiment_wrote_lines(const struct experiment_outcome *o, const struct run_evidence *e);
/* Appends a description of a line that only one of both has written. */
void experiment_other_line(const struct experiment_outcome *o, const struct run_evidence *e,
			   struct str *out);
/* Frees what *o owns. */
void experiment_outcome_fini(struct experiment_outcome *o);

/* gatectl run --repeat: repeats a run until one differs from the first. */
struct repeat {
	struct experiment x;
	unsigned long agreed; /* runs of x.made that agreed with the first */
	int first, status;    /* exit statuses of the first and the last run */
};

/* Makes options->repeat runs; options->order_log, unless NULL, compares the order of their events.
   Returns 0, or -1 with *x.err set. */
int repeat_runs(struct repeat *r);

/* The oracle decides whether a script forces an outcome: it makes plain runs until one comes out
   differently or there were enough. The caller's judge defines the outcome. */

/* Answers of a judge, and of the oracle. */
enum oracle_answer {
	/* No more runs: a signal, an error, or the experiment has expired. */
	ORACLE_STOP = -1,
	ORACLE_NO,  /* the last run came out differently */
	ORACLE_YES, /* all runs came out alike */
};

struct oracle {
	struct experiment *x;
	char *path; /* temporary script; NULL if none was written */
	/* Results of the last question: */
	unsigned long made; /* runs, including the one that differed */
	double took;	    /* seconds that the runs took */
	bool cut;	    /* The last run was out of time: ORACLE_NO is no evidence then. */
};

struct oracle_question {
	unsigned long most;	       /* most runs; 0 if `next` ends them */
	double until;		       /* no run begins later (explore_now_s()); 0 means no limit */
	const struct run_trial *trial; /* may be NULL; `next` may change it */
	bool in_turn; /* sleeps last until no other thread can run, as with a record */
	const struct convert_record *before; /* `before` of that record; may be NULL */
	void *ctx;
	bool (*next)(void *ctx); /* may be NULL; returns false to end */
	/* Returns an enum oracle_answer; may move the contents of *r. */
	int (*judge)(const struct oracle_question *q, struct run_result *r);
};

/* Makes the runs. Returns an enum oracle_answer; ORACLE_YES if no run was made. */
int oracle_ask(struct oracle *o, const struct oracle_question *q);
/* Sets the script of the following runs. Returns 0, or -1 with the experiment's error set. */
int oracle_script(struct oracle *o, const char *text);
/* Removes the temporary script. */
void oracle_fini(struct oracle *o);

/* Decides whether the outcome depends on the gate of q->trial, by runs without it that also delay,
   as `way` says, the threads that open it. Returns 1 if it does, 0 if no run showed it or the delay
   alone changes the outcome, -1 to stop. */
int oracle_needs(struct oracle *o, const struct oracle_question *q, enum trial_way way);

/* gatectl prove: which gates a script needs to force its outcome. */

struct prove_row {
	unsigned long runs, agreed, limited;
};

/* Runs in which one gate or barrier is left out. */
struct prove_line {
	char *name; /* NULL means all gates */
	bool holds, is_gate, is_barrier;
	/* Thread IDs that open it; of a barrier, the first is to come first. */
	ARRAY(char *) movers;
	struct prove_row without;
	/* Gates only: left out while the opposite of what the gate forces is tried. */
	struct prove_row turned;
	bool useless[TRIAL_LATE + 1]; /* delays that alone change the outcome */
};

struct prove {
	struct experiment x;
	unsigned long runs; /* runs of each row; 0 means the default */
	bool has_limit;	    /* the script sets a time limit */
	double longest_s;
	/* Expected outcome. */
	bool has_expect;     /* the script has `expect` */
	struct str expected; /* in words; without `expect` the first run's outcome */
	struct experiment_outcome outcome;
	struct str failed; /* Message of the first run with all gates that differed. */
	struct prove_row all;
	struct prove_line none;
	ARRAY(struct prove_line) lines;
	struct run_passes passes; /* arrivals of the first run */
	/* "writer#1 at q.c:12 (gate full) and reader#1 at q.c:30 (gate read)". */
	ARRAY(char *)
	unordered;
	/* Gate whose delayed threads alone change the outcome with all gates in place; NULL if
	   there is none. */
	const char *luck;
};

enum prove_judgement { PROVE_MATTERS, PROVE_IDLE, PROVE_UNKNOWN };

/* Returns whether the outcome depends on the line, left out or with its order reversed. Returns
   PROVE_UNKNOWN if the outcome is not certain with all gates either and the difference may be
   chance. */
enum prove_judgement prove_judge(const struct prove *p, const struct prove_line *line);

/* Makes all runs. Returns 0 with the lines filled, or -1 (see struct experiment for the error). */
int prove_runs(struct prove *p);
/* Frees the results. */
void prove_fini(struct prove *p);

/* Finds pairs of arrivals that the script does not order (gatectl check --order; the end of prove).
   Returns 0 with `unordered` filled, or -1 as prove_runs(). */
int prove_orders(struct prove *p);

#endif
