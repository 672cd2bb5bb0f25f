/*
 * The oracle: does a script force an outcome? Plain runs of it are made until one comes out
 * differently, or there were enough. explore, convert and prove ask it; what an outcome is, they
 * say.
 */
#ifndef GATECTL_SEARCH_RUNS_ORACLE_H
#define GATECTL_SEARCH_RUNS_ORACLE_H

#include "tracer/search/runs/experiment.h"

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
 * in its place, too, tells nothing: so many `controls` are made to see that. Returns 1: the outcome
 * depends on the gate, 0: no run showed it, -1: stop.
 */
int oracle_needs(struct oracle *o, const struct oracle_question *q, enum trial_way way,
		 unsigned long controls);

#endif
