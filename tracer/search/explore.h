/*
 * gatectl explore: many controlled runs of a program, each under a schedule of its own, until one
 * fails. Nothing is printed here: the caller is told of progress through the view.
 */
#ifndef GATECTL_SEARCH_EXPLORE_H
#define GATECTL_SEARCH_EXPLORE_H

#include "tracer/search/runs/runs.h"
#include "tracer/sched/schedule/schedule.h"
#include "tracer/sched/sched.h"
#include "tracer/run/run.h"
#include "tracer/source/source.h"

struct explore_race_runs;

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
	struct sched_places chosen;
	struct sched_places starts; /* where schedules begin; none: at main */
	/* Its accesses are looked at in place of the program's; NULL: those of the program. */
	const struct module *tested;
};

/* The run that is made to look at a failure: it follows the schedule. */
enum explore_rerun {
	RERUN_NONE,    /* there was none, or no time for it */
	RERUN_DIFFERS, /* it ended in another way */
	RERUN_SAME,    /* it followed the schedule to its end, and failed in the same way */
};

enum explore_progress {
	FAILURE_FOUND,
	FAILURE_REPORTED, /* its folder has the report that could be made at first */
	FAILURE_DONE,	  /* nothing is left to be found out about it */
};

/* dfs: are there other schedules? */
enum explore_completeness {
	EXPLORE_INCOMPLETE,
	EXPLORE_COMPLETE,	  /* none */
	EXPLORE_COMPLETE_IF_FAIR, /* only such in which a thread that yields does not wait for the others */
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
	unsigned long tries;	     /* runs that made it small */
	char *folder;		     /* DIR/N; NULL: not written */
	bool is_unwritten;	     /* some files of the folder are old: writing them failed */
	char *script;		     /* DIR/N/gates.lua; NULL: there is none ... */
	char *no_script;	     /* ... for this reason */
	unsigned long forced,
		asked;		  /* plain runs that it has failed in, all there were; and wanted */
	double forced_s;	  /* how long they took */
	struct schedule schedule; /* described, if `again` */
	struct schedule_names paths; /* by its numbers of threads */
	/* Of the run that was made to look at it: */
	enum explore_rerun rerun;
	double seconds;			   /* how long it took */
	int ended;			   /* the program's own status; -1: it had none */
	bool only_expects, expects_output; /* as in struct run_result */
	enum explore_progress progress;
	bool undisturbed; /* a hang: it comes, too, where each thread goes on until it waits */
	double until;	  /* by explore_now_s(): its script is made by then; 0: no limit */
	bool is_other; /* `schedule`, and all from there on, is of another one that failed so: gates force it */
	struct str out, err; /* what the program wrote */
	struct str gates;    /* the script; empty: see no_script */
	bool gates_cut; /* the time was over before each of its gates was tried: some may not matter */
	struct str reports[REPORT_KINDS]; /* .json and .html */
};

/* The first schedule that passed. */
struct explore_passed {
	bool is_known;	   /* this process has seen one */
	bool is_checked;   /* it was run again */
	unsigned long run; /* its number, from 1; 0: of a run that is no schedule of the search */
	struct schedule schedule;
	struct schedule_names paths;
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
	/* Called for a failure with each step of what is found out about it (explore_keep_failure); NULL:
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
	enum explore_completeness complete;
	bool over;	  /* it has ended by itself */
	bool forked;	  /* each schedule is a fork of the program at main ... */
	char *not_forked; /* ... or why not */
	bool costly;	  /* the search for races took too long: only synchronisation is a point */
	bool not_from;	  /* it has threads at options.from: schedules begin at main */
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

/* 0: see the result; -1: see runs/runs.h for the error. x must have begun (experiment_begin). */
int explore_search(struct explore *e);
/* After the failures have got their folders: nothing is done twice if the search goes on one day. */
void explore_keep(struct explore *e);
void explore_fini(struct explore *e); /* before experiment_end */

double explore_now_s(void); /* of the monotonic clock */

/* ---- failures ------------------------------------------------------------------------------------- */

/* NULL: nothing has failed like that. */
struct explore_failure *explore_known(struct explore *e, uint64_t key);

enum explore_ended {
	EXPLORE_PASSED,
	EXPLORE_FAILED,
	EXPLORE_GATED,	   /* by the script's gates */
	EXPLORE_TRUNCATED, /* by the step limit while something still moved, or by the strategy */
};

/* If it has failed: `kind` (a constant), and what tells the failure from others of its kind. */
enum explore_ended explore_judge(const struct sched *c, const struct run_result *r,
				 const char **kind, uint64_t *key);

/* In so many words: "SIGSEGV", "exit status 3", "a deadlock". */
char *explore_where(const struct run_result *r, const char *kind);

void explore_points_fini(struct explore_points_at *points);
void explore_failure_fini(struct explore_failure *f);

/*
 * From a failure to its folder, step by step: the caller keeps what is known (explore.found) before
 * anything else is tried with it, so that a signal, an error or a long search for gates loses
 * nothing.
 */
/* The caller writes the failure's folder as it is known now; the journal names the folder. */
void explore_keep_failure(struct explore *e, struct explore_failure *f);
/* Makes the report of each kept failure without one, by a run that follows its schedule. No other
   program may be traced meanwhile. Returns 0, or -1 if the experiment is over. */
int explore_reports(struct explore *e);
/* The error in e->x becomes the reason why the failure has no script; the failure stays. Returns 0,
   or -1 if a signal has come. */
int explore_no_script(struct explore *e, struct explore_failure *f);

/* Runs the failure once more, with all features that can explain it. */
/* 0: if it came again, its text is that of gatectl run, and its schedule is described; -1: the experiment is
   over. */
int explore_examine(struct explore *e, struct explore_failure *f);

/* ---- the runs of a search: copies of the program where schedules begin ------------------------------ */

struct explore_runs {
	struct run_options options; /* a copy of the caller's */
	struct modules *symbols;
	struct sched sched;
	struct run *kept; /* the program at its beginning; NULL: each run starts it anew ... */
	char *not_kept;	  /* ... for this reason */
	bool has_gates;	  /* ... as gates begin with the program */
	bool came;	  /* ... but it has been there */
	unsigned long made;
	unsigned worker;		/* whose processor they run on */
	ARRAY(struct module *) modules; /* of the last run that was described */
};

/* `keeps`: many runs will follow, so the program is brought to where schedules begin, at the latest
   by e->until. Returns 0, also if the program does not come there, or -1 with *e->x.err set: it
   cannot be started. */
int explore_runs_begin(struct explore *e, struct explore_runs *r, const struct run_options *o,
		       const struct features *features, bool keeps);
/* The accesses that are points, before that. */
void explore_points_set(struct sched *c, const struct explore_points_at *points);
/* Where threads have come often by now they need not stop, as far as r->sched.strategy says
   so; it is the search's. */
void explore_runs_grant(struct explore_runs *r);
/* One run under r->sched.strategy, which has begun. 0 with the result; -1: there was none, or
   a script is wrong. The run is ended at `until` (by explore_now_s(); 0: no limit), or half a
   second from now if that is later. */
int explore_runs_until(struct explore *e, struct explore_runs *r, double until,
		       struct run_result *out);
/* One run by itself, from explore_runs_begin() on, under r->sched.strategy; points NULL: those
   of the search. The caller ends `r` with explore_runs_end(). 0 with the result; -1: there was
   none. */
int explore_runs_alone(struct explore *e, struct explore_runs *r, const struct run_options *o,
		       const struct features *features, const struct explore_points_at *points,
		       struct run_result *out);
/* Accesses that come very often are not looked at any more, in the runs to come neither. */
void explore_runs_let_hot_go(struct explore_runs *r);
void explore_runs_end(struct explore_runs *r);

/* Seconds that it may take, of those that there are until f->until. */
double explore_shrink_s(const struct explore_failure *f);
/* f->schedule becomes the smallest one that fails in the same way. 0; -1: the experiment is over. */
int explore_shrink(struct explore *e, struct explore_runs *runs, struct explore_failure *f);

/* ---- who makes the runs: this process, or several ---------------------------------------------------- */

struct explore_worker {
	struct explore *e;
	struct strategy *strategy;		/* owned by the search */
	struct error *fault;			/* of a strategy in Lua */
	const struct explore_points_at *points; /* NULL: those of the search */
	struct explore_runs runs;
	size_t paths; /* threads that have a number in all runs */
	bool counted; /* run 0 was done */
};

/* `worker`: which of the processors. `paths`: of the runs before the search. */
int explore_worker_begin(struct explore_worker *w, unsigned worker,
			 const struct schedule_names *paths);
void explore_worker_end(struct explore_worker *w);

/* ---- races ------------------------------------------------------------------------------------------- */

#define RACES_STRATEGY "pos" /* the default strategy of searches for races */

/* ---- parts of one search ------------------------------------------------------------------------------ */

/* A command. */
struct explore_args {
	char **items;
	size_t count, capacity;
};
/* explore --merge: what parts of one search have found, put together as if it had been done in one. */
/*
 * Reads the journals in so many folders. e's result is that of the search, e->lacks what is missing of it; where
 * each failure has its folder one of the parts that found it says. `args` gets the command, its
 * strings the caller's. -1 with the error: no journal, one that is none, or of another search.
 */
int explore_merge(struct explore *e, char *const *folders, size_t count, struct explore_args *args,
		  struct error *err);

/* gatectl races: controlled runs, and which accesses to memory in them are ordered by nothing. */

/* Pairs of accesses on the same two lines, to the same variable. */
struct race {
	const struct sched_race *seen; /* the first one */
	unsigned long times;
};

/* A line of the file of --ignore. */
struct races_ignored {
	struct location location;
	unsigned number; /* of the line */
	bool is_nothing; /* it was found neither in the program nor at a race */
	ARRAY(struct races_line {
		char *file;
		unsigned line;
	})
	lines; /* that it means, where it was found */
};

struct races_hunt {
	/* Given; the result is in its `runs`, `seconds`, too. */
	struct explore e;
	const char *
		ignore; /* a file with a location on each line: races there are left out; NULL: none */
	unsigned long enough; /* runs in a row that show nothing new; 0: no end */
	/* The result. */
	ARRAY(struct race) found;
	unsigned long ignored;		/* races that were left out */
	unsigned long failed;		/* runs that ended in a failure */
	struct explore_race_runs *runs; /* what `found` points into */
	ARRAY(struct races_ignored) at; /* those of `ignore` */
};

/* 0: see the result; -1: as explore_search(). e.x must have begun. */
int races_hunt(struct races_hunt *h);
void races_hunt_fini(struct races_hunt *h);

/*
 * A recorded schedule once more: the program does the same steps in the same order, or it is said where it
 * does not. What a run needs besides the steps stands in the head of the file (sched/schedule/schedule.h):
 *
 *	arg: ./count		the program and its arguments, one a line
 *	directory: /home/me	where the search was: what is not found from here is looked for there
 *	stdin: null		and `stdout:`, `stderr:`: the kinds of its standard streams (base/files/stream.h)
 *	gates: FILE.lua		and `order: A -> B`: what the search was under
 *	path: 0.0001		of thread 0, 1, ...: who made it, as which child
 *	module: libc.so.6 ID	what was loaded, and its build-id
 */

void replay_head(const struct explore *e, const struct explore_failure *f, struct schedule_head *h);

/* Fills `points` (empty before) with the accesses that were points, and where schedules began. */
void replay_points(const struct schedule_head *h, struct explore_points_at *points);

struct replay {
	struct run_options *options; /* the caller's */
	struct schedule schedule;
	struct schedule_head head;
	ARRAY(char *) there; /* paths from the directory of the search */
	ARRAY(char *) args;  /* of the head, with a NULL behind the last one */
	struct sched *sched; /* owned; NULL: it has not begun */
	unsigned long made;  /* runs so far */
	bool lacks_input;    /* the recorded run read a file, and none is given */
};
/* Reads the file. What the caller's options leave open (program, gates, orders) is set from it. */
int replay_load(struct replay *r, const char *path, struct error *err);
/* The kind of the program's stream `fd` when the schedule was recorded; STREAM_INHERITED: the file
   does not say. */
enum stream_kind replay_stream(const struct replay *r, int fd);
/* As run_run(). VERDICT_DIVERGED: the program does not follow. */
int replay_run(struct replay *r, struct modules *symbols, struct run_result *out,
	       struct error *err);

/* "replayed: ./prt 2 (19 of 19 steps agree)": the command, and how far the last run has
   followed. */
void replay_tell(const struct replay *r, const struct run_result *result, struct str *out);

/* For who makes the run himself: before each, with the options above, and behind its end, before it is judged. */
int replay_begin(struct replay *r, struct error *err); /* 0, or -1: its streams cannot be made */
void replay_compare(const struct replay *r, struct run *s);
/* So many steps more, and then it rests (sched.h); 0: to its end. */
void replay_rest(struct replay *r, size_t steps);
/* "step 3 of 12: worker#1 is to lock, by pthread_mutex_lock at bank.c:11 in work" */
void replay_next(const struct replay *r, struct str *out);

void replay_fini(struct replay *r); /* when the options are used no more */

#endif
