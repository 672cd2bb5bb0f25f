/*
 * gatectl explore: many controlled runs of a program, each under a schedule of its own, until one
 * fails. Nothing is printed here: the caller is told of progress through the view.
 */
#ifndef GATECTL_SEARCH_EXPLORE_H
#define GATECTL_SEARCH_EXPLORE_H

#include "tracer/search/runs/experiment.h"
#include "tracer/sched/schedule/schedule.h"
#include "tracer/sched/sched.h"

enum explore_points { POINTS_RACES, POINTS_SYNC, POINTS_MEMORY, POINTS_LOCATION };

/* What counts as a failure: the rest passes, as far as the search is concerned. */
enum explore_fails { FAILS_ANYHOW, FAILS_BY_DEADLOCK, FAILS_OTHERWISE };

struct explore_options {
	const char *output;   /* DIR; NULL: gatectl-found */
	const char *strategy; /* NULL: auto */
	unsigned depth, bound;
	enum explore_points points;
	bool points_asked;    /* the tester has said --points */
	const char *location; /* POINTS_LOCATION: FILE.c or FUNC */
	const char *from;     /* LOCATION where schedules begin; NULL: main */
	unsigned long runs;   /* 0: as many as there is time for */
	double seconds;	      /* 0: no limit */
	unsigned long steps;  /* of one schedule at most */
	double hang;	      /* seconds without a step after which a schedule hangs; 0: never */
	uint64_t seed;
	bool all;	      /* go on after the first failure */
	unsigned long verify; /* plain runs in which a script has to force it; 0: none is made */
	double gates_s; /* a failure is made small, and into a script, in this time; 0: no limit */
	double whole_s; /* ... and all ends by then, the search included; 0: no limit */
	unsigned jobs;
	unsigned shard, shards; /* the shard-th (from 1) of so many */
	bool races_known;	/* those in points_at are all that POINTS_RACES is about */
	enum explore_fails fails;
	uint64_t alike;	 /* only failures with this key count; 0: all */
	bool in_turn;	 /* of several that wait the one is woken that a plain run would wake */
	bool only_finds; /* a failure is not made small, nor looked at, nor made into gates */
	bool goes_on;	 /* what it has done is kept in `output`, and gone on with the next time */
};

/* Which accesses to memory are points. */
struct explore_points_at {
	enum sched_points kind;
	struct sched_chosen *items; /* of CHOSEN */
	size_t count, capacity;
	ARRAY(struct sched_chosen) starts; /* where schedules begin; none: at main */
	/* Its accesses are looked at in place of the program's; NULL: those of the program. */
	const struct module *tested;
};

/* A way to fail: runs that failed alike, told apart by kind and place. */
struct explore_failure {
	uint64_t key;	   /* the same for those that are the same */
	char *kind;	   /* "signal", "status", "expect", "deadlock", "livelock", "hang",
			      "sanitizer" */
	char *where;	   /* what tells it from others of its kind: places, or "exit status 3" */
	char *text;	   /* as `run` would say it: lines, the first as the contract has it */
	int status;	   /* ... and its exit status */
	unsigned long run; /* the first schedule that failed so, from 1 */
	struct explore_points_at *
		points; /* of that schedule, if not all were known yet; NULL: those of the search */
	const char *strategy;	     /* that found it */
	unsigned long times;	     /* schedules that failed so */
	unsigned steps, preemptions; /* of the schedule as found */
	unsigned long tries;	     /* runs that made it small ... */
	double shrunk_s;	     /* ... in this time */
	char *folder;		     /* DIR/N; NULL: not written */
	bool is_unwritten;	     /* some files of the folder are old: writing them failed */
	char *script;		     /* DIR/N/gates.lua; NULL: there is none ... */
	char *no_script;	     /* ... for this reason */
	unsigned long forced,
		asked;		  /* plain runs that it has failed in, all there were; and wanted */
	double forced_s;	  /* how long they took */
	struct schedule schedule; /* described, if `again` */
	struct sched_paths paths; /* by its numbers of threads */
	/* Of the run that was made to look at it: */
	bool looked_at; /* there was one ... */
	bool again;	/* ... it followed the schedule to its end, and failed in the same way */
	double seconds; /* how long it took */
	int ended;	/* the program's own status; -1: it had none */
	bool only_expects, expects_output; /* as in struct run_result */
	bool done;			   /* nothing is left to be found out about it */
	bool undisturbed; /* a hang: it comes, too, where each thread goes on until it waits */
	bool is_reported; /* its folder has the report that was to be had at first */
	double until;	  /* by explore_now_s(): its script is made by then; 0: no limit */
	bool is_other; /* `schedule`, and all from there on, is of another one that failed so: gates force it */
	struct str out, err; /* what the program wrote */
	struct str gates;    /* the script; empty: see no_script */
	bool gates_cut; /* the time was over before each of its gates was tried: some may not matter */
	struct str reports[REPORT_KINDS]; /* .json and .html */
};

/* The first schedule that passed (loop/state.h). */
struct explore_passed {
	bool is_known;	   /* this process has seen one */
	bool is_checked;   /* it was run again */
	unsigned long run; /* its number, from 1; 0: of a run that is no schedule of the search */
	struct schedule schedule;
	struct sched_paths paths;
	struct explore_points_at *points; /* of that schedule; NULL: those of the search */
};

/* For the search's report: how many distinct schedules there were at that time. */
struct explore_sample {
	double seconds;
	unsigned long runs, distinct;
};

/* A schedule that was cut for the number of its steps. */
struct explore_cut {
	char *steps, *threads; /* the last steps; where each thread is then: a line for each */
	char *words;	       /* which threads made the steps, and what to do */
	char *folder;	       /* DIR/cut/N; NULL: not written */
};
enum { EXPLORE_CUTS = 10 }; /* are kept */

struct explore {
	/* Who takes part in the runs of the search, in the one that explains a failure, and in plain
	   runs that try gates. */
	const struct features *quick, *full, *plain;
	struct experiment x;
	struct explore_options options;
	/* Of each schedule what the program has written on its standard output; NULL: nobody asks. */
	void (*said)(void *ctx, const char *text);
	void *said_ctx;
	/* Found by the first runs, where they are to be found; those that are there before are points from the
	   first run on. */
	struct explore_points_at points_at;
	/* Called for a failure with each step of what is found out about it (journal/kept.h); NULL:
	   nobody keeps it. */
	void (*found)(void *ctx, struct explore *e, struct explore_failure *f);
	void *found_ctx;
	double until; /* by explore_now_s(): no run of the search goes on then; 0: no limit */
	double ends;  /* ... and nothing else, either */
	/* The result. */
	unsigned long runs, distinct, points; /* schedules; points of all of them */
	uint64_t digest;      /* of all of them in their order: equal ones, equal searches */
	unsigned long barred; /* schedules that ended because of the script's gates: no failures */
	unsigned long twice, differed; /* run a second time; ... and were another one then */
	char *differs;		       /* the first step that differed, in words; or NULL */
	struct explore_passed passed;
	char *keeps_state; /* what a failure of that schedule says of the program; NULL: it passed */
	bool asks_ids;	   /* the program asks for its own, which are others in each run */
	unsigned long cut;  /* schedules that reached the step limit, and something still moved */
	unsigned long late; /* ... or that were not over when the time of the search was */
	bool complete;	    /* dfs: there are no others ... */
	bool fair;	    /* ... but such in which who yields does not wait for the others */
	bool over;	    /* it has ended by itself */
	bool forked;	    /* each schedule is a fork of the program at main ... */
	char *not_forked;   /* ... or why not */
	bool costly;   /* the search for races took too long: only synchronisation is a point */
	bool not_from; /* it has threads at options.from: schedules begin at main */
	double seconds;
	ARRAY(struct explore_failure) failures;
	ARRAY(struct explore_cut) cuts;
	ARRAY(struct module *) modules; /* of the program when it failed; the experiment's */
	ARRAY(struct explore_sample) samples;
	struct explore_journal *journal; /* NULL: none is kept */
	char *no_journal;		 /* why not, if there was to be one */
	unsigned long earlier;		 /* runs that were not made, but found in the journal */
	ARRAY(char *) lacks;		 /* --merge: what there is to say of its parts */
};

/* 0: see the result; -1: see experiment.h for the error. x must have begun (experiment_begin). */
int explore_search(struct explore *e);
/* After the failures have got their folders: nothing is done twice if the search goes on one day. */
void explore_keep(struct explore *e);
void explore_fini(struct explore *e); /* before experiment_end */

#endif
