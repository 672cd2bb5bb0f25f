/* gatectl explore: runs a program under one schedule after another until a run fails. Nothing is
   printed here: experiment_view reports progress to the caller. */
#ifndef GATECTL_SEARCH_EXPLORE_H
#define GATECTL_SEARCH_EXPLORE_H

#include "tracer/search/runs/runs.h"
#include "tracer/sched/schedule/schedule.h"
#include "tracer/sched/sched.h"
#include "tracer/run/run.h"
#include "tracer/source/source.h"

struct explore_race_runs;

enum explore_points { POINTS_RACES, POINTS_SYNC, POINTS_MEMORY, POINTS_LOCATION };

/* Which endings count as failures; the search treats all others as passed. */
enum explore_fails { FAILS_ANYHOW, FAILS_BY_DEADLOCK, FAILS_OTHERWISE };

/* --time any and --time ordered, where no thread pauses at all. */
enum explore_time { EXPLORE_TIME_ANY, EXPLORE_TIME_LIMITED };

struct explore_options {
	const char *output;   /* DIR; NULL means gatectl-found */
	const char *strategy; /* NULL means auto */
	unsigned depth, bound;
	enum explore_points points;
	bool points_asked;    /* --points was given */
	const char *location; /* POINTS_LOCATION: FILE.c or FUNC */
	const char *from;     /* LOCATION where schedules begin; NULL means main */
	unsigned long runs;   /* 0 means no limit */
	double seconds;	      /* 0 means no limit */
	unsigned long steps;  /* limit of one schedule */
	/* Seconds without a step after which a schedule hangs; 0 means never. */
	double hang;
	uint64_t seed;
	bool all;	/* continue after the first failure */
	unsigned flags; /* of all runs: SCHED_LEAKS or 0 */
	/* Plain runs in which a script must force the failure; 0 means that no script is made. */
	unsigned long verify;
	/* Time to minimize a failure and to make its script, in seconds; 0 means no limit. */
	double gates_s;
	/* Time for everything, the search included, in seconds; 0 means no limit. */
	double whole_s;
	unsigned jobs;
	unsigned shard, shards; /* number of this shard, from 1, and their count */
	bool races_known;	/* points_at already holds all racing accesses for POINTS_RACES */
	enum explore_fails fails;
	uint64_t alike;	   /* only failures with this key count; 0 means all */
	unsigned spurious; /* most waits of a schedule that return without a signal */
	/* A wake-up chooses the waiter that a plain run would wake (SCHED_WAKES_FIRST). */
	bool in_turn;
	/* LIMITED: no thread that can go on pauses for longer while the clock advances. */
	enum explore_time time;
	uint64_t pause_most_ns;
	bool only_finds; /* Failures are only found: no minimizing, no rerun, no script. */
	bool goes_on;	 /* A journal in `output` lets a later search continue this one. */
};

/* Which accesses to memory are points. */
struct explore_points_at {
	enum sched_points kind;
	struct sched_places chosen;
	struct sched_places starts; /* where schedules begin; empty means main */
	/* Module whose accesses are observed in place of the program's; NULL means the
	   program's. */
	const struct module *tested;
};

/* Result of the rerun of a failure, which follows its schedule. */
enum explore_rerun {
	RERUN_NONE,    /* no rerun was made, or it had no time */
	RERUN_DIFFERS, /* the rerun ended in another way */
	/* The rerun followed the schedule to its end and failed in the same way. */
	RERUN_SAME,
};

enum explore_progress {
	FAILURE_FOUND,
	FAILURE_REPORTED, /* the folder has its first report */
	/* the same, by explore_jobs_apart(): this process does not know the report */
	FAILURE_REPORTED_APART,
	FAILURE_DONE, /* nothing is left to find out about the failure */
};

/* Whether dfs has run every schedule, or dpor one of every trace. */
enum explore_completeness {
	EXPLORE_INCOMPLETE,
	/* No schedule is left; of dpor none but those of STRATEGY_LEFT_STORES. */
	EXPLORE_COMPLETE,
	/* No schedule is left but those in which a thread that yields does not wait for the
	   others. */
	EXPLORE_COMPLETE_IF_FAIR,
};

/* Runs that failed alike, distinguished by kind and place. */
struct explore_failure {
	uint64_t key; /* equal for equal failures */
	/* "signal", "status", "expect", "deadlock", "livelock", "hang", "leak" or
	   "sanitizer". */
	char *kind;
	/* Distinguishes the failure from others of its kind: places, or "exit status 3". */
	char *where;
	/* Place of the crash in the user's code, after a rerun that gives it; NULL if unknown. */
	char *crash_file;
	unsigned crash_line;
	/* The memory that the crash uses: "worker#1 freed it in f at x.c:3"; NULL if unknown. */
	char *who_freed;
	/* Message of `gatectl run`; its first line has the documented form. */
	char *text;
	int status;	   /* exit status that `gatectl run` would have */
	unsigned long run; /* first schedule that failed like this, from 1 */
	/* Points of that schedule if they differ from the search's; NULL means the search's. */
	struct explore_points_at *points;
	const char *strategy;	     /* strategy that found the failure */
	unsigned long times;	     /* schedules that failed like this */
	unsigned steps, preemptions; /* of the schedule as found, before minimizing */
	unsigned long tries;	     /* runs spent on minimizing */
	char *folder;		     /* DIR/N; NULL if it was not written */
	bool is_unwritten;	     /* writing failed: some files of the folder are old */
	char *script;		     /* DIR/N/gates.lua; NULL if there is none: see no_script */
	char *no_script;	     /* why there is no script; else NULL */
	/* Plain runs with the script that failed like this, and plain runs wanted. */
	unsigned long forced, asked;
	double forced_s;	     /* duration of those runs */
	struct schedule schedule;    /* steps have descriptions if rerun is RERUN_SAME */
	struct schedule_names paths; /* indexed by the schedule's thread numbers */
	/* Results of the rerun: */
	enum explore_rerun rerun;
	struct explore_pause {
		uint64_t ns, slept_ns; /* struct sched_pause */
		char *thread;	       /* NULL if none paused */
	} pause;
	double seconds;			   /* duration of the rerun */
	int ended;			   /* the program's own status; -1 if it had none */
	bool only_expects, expects_output; /* as in struct run_result */
	enum explore_progress progress;
	/* A hang that also occurs when each thread runs until it blocks. */
	bool undisturbed;
	/* Deadline of the script, by explore_now_s(); 0 means no limit. */
	double until;
	/* `schedule` and its data belong to another schedule with this failure, one that gates
	   force. */
	bool is_other;
	struct str out, err; /* output of the program */
	struct str gates;    /* the script; empty if there is none */
	/* The time ended before each gate was tried: some gates may not matter. */
	bool gates_cut;
	struct str reports[REPORT_KINDS]; /* .json and .html */
};

/* The first schedule that passed. */
struct explore_passed {
	bool is_known;	   /* this process knows a schedule that passed */
	bool is_checked;   /* the schedule was run again */
	unsigned long run; /* from 1; 0 for a run that is no schedule of the search */
	struct schedule schedule;
	struct schedule_names paths;
	struct explore_points_at *points; /* points of that schedule; NULL means the search's */
};

/* Number of distinct schedules at one time, for the search's report. */
struct explore_sample {
	double seconds;
	unsigned long runs, distinct;
};

/* A schedule that was cut at the step limit. */
struct explore_cut {
	/* Last steps, and the final place of each thread, one line each. */
	char *steps, *threads;
	char *words;  /* threads that made the steps, and advice */
	char *folder; /* DIR/cut/N; NULL if it was not written */
};
enum { EXPLORE_CUTS = 10 }; /* most cut schedules that are kept */

struct explore {
	/* Features of the search's runs, of the rerun of a failure, and of plain runs that try
	   gates. */
	const struct features *quick, *full, *plain;
	struct experiment x;
	struct explore_options options;
	bool ends_alone; /* end after one run of a program that has one thread */
	/* Receives what the program wrote on its standard output in each schedule; may be NULL. */
	void (*said)(void *ctx, const char *text);
	void *said_ctx;
	/* Points. With POINTS_RACES the first runs find them; those set before are points from the
	   first run on. */
	struct explore_points_at points_at;
	/* Called at each step of explore_keep_failure() of a failure; NULL means that failures are
	   not kept. */
	void (*found)(void *ctx, struct explore *e, struct explore_failure *f);
	void *found_ctx;
	/* Deadline of the search's runs, by explore_now_s(); 0 means no limit. */
	double until;
	/* Deadline of everything, by explore_now_s(); 0 means no limit. */
	double ends;
	/* Results. */
	unsigned long runs, distinct, points; /* schedules; sum of their points */
	/* Digest of all schedules in order: equal searches have equal digests. */
	uint64_t digest;
	unsigned long alone;	       /* schedules in which the program had one thread */
	unsigned long threads;	       /* threads of the program, of all its processes */
	unsigned long barred;	       /* schedules that the script's gates ended; no failures */
	unsigned long twice, differed; /* schedules run twice; those whose second run differed */
	char *differs;		       /* first step that differed, in words; may be NULL */
	struct explore_passed passed;
	char *keeps_state; /* Message if `passed` fails when run again; NULL if it passes. */
	/* The program reads its thread or process IDs, which differ in each run. */
	bool asks_ids;
	/* Schedules that reached the step limit while a thread could still run. */
	unsigned long cut;
	unsigned long late; /* schedules that the end of the search's time cut */
	/* Threads that had not ended at the end of a process, a line each; NULL if there are
	   none. */
	char *left;
	enum explore_completeness complete;
	unsigned left_out; /* dpor: bits of enum strategy_left */
	bool over;	   /* the search has ended by itself */
	/* Each schedule is a fork of the program at main; if not, not_forked says why. */
	bool forked;
	char *not_forked;
	bool costly; /* finding races took too long: only synchronization is a point */
	/* The program has threads at options.from: schedules begin at main. */
	bool not_from;
	double seconds;
	ARRAY(struct explore_failure) failures;
	ARRAY(struct explore_cut) cuts;
	ARRAY(struct module *) modules; /* of the program when it failed; owned by x.symbols */
	ARRAY(struct explore_sample) samples;
	struct explore_journal *journal; /* NULL if none is kept */
	/* Why there is no journal, if options.goes_on; else NULL. */
	char *no_journal;
	unsigned long earlier; /* runs that were read from the journal */
	ARRAY(char *) lacks;   /* --merge: messages about incomplete or missing parts */
};

/* Searches. Returns 0 with the results in *e, or -1 (see struct experiment for the error). Requires
   experiment_begin() of e->x. */
int explore_search(struct explore *e);
/* Writes the failures' folders to the journal, so that a later search does not repeat their
   work. */
void explore_keep(struct explore *e);
void explore_fini(struct explore *e); /* Frees the results. Precedes experiment_end(). */

double explore_now_s(void); /* Returns the monotonic clock, in seconds. */
/* Returns the processor time of all children that have ended, in seconds. */
double explore_computed_s(void);

/* ---- failures -------------------------------------------------------------------------------- */

/* Returns the failure with this key, owned by *e, or NULL. */
struct explore_failure *explore_known(struct explore *e, uint64_t key);

enum explore_ended {
	EXPLORE_PASSED,
	EXPLORE_FAILED,
	EXPLORE_GATED, /* ended by the script's gates */
	/* Cut by the step limit while a thread could run, or by the strategy. */
	EXPLORE_TRUNCATED,
};

/* Returns how a run ended. For a failure sets *kind (a constant) and *key, which distinguishes the
   failure from others of its kind. */
enum explore_ended explore_judge(const struct sched *c, const struct run_result *r,
				 const char **kind, uint64_t *key);

/* Returns a description such as "SIGSEGV", "exit status 3" or "a deadlock"; the caller frees it. */
char *explore_where(const struct run_result *r, const char *kind);

/* Returns the text of a failure: what gatectl run would print, and threads that had not ended. The
   caller frees it. */
char *explore_text(const struct sched *c, const struct run_result *r, const char *kind);

/* Frees the places, not *points. */
void explore_points_fini(struct explore_points_at *points);
/* Frees what the failure owns, not *f. */
void explore_failure_fini(struct explore_failure *f);

/* Work on a failure in steps. The caller (explore.found) writes what is known before the next step
   begins, so that a signal, an error or a long search for gates loses nothing. */
/* Calls explore.found, which writes the failure's folder; the journal then names the folder. */
void explore_keep_failure(struct explore *e, struct explore_failure *f);
/* Reruns each kept failure that has no report and makes one. No other program may be traced
   meanwhile. Returns 0, or -1 if the experiment is over. */
int explore_reports(struct explore *e);
/* Moves the error in e->x to f->no_script and clears it. Returns 0, or -1 if a signal has come. */
int explore_no_script(struct explore *e, struct explore_failure *f);

/* Runs the failure once more, with all features that can explain it. If it fails again, its text is
   that of gatectl run and its schedule has descriptions. Returns 0, or -1 if the experiment is
   over. */
int explore_examine(struct explore *e, struct explore_failure *f);

/* ---- loop/pauses.c --------------------------------------------------------------------------- */

/* Sets the limit of pauses in the runs of the search. */
void explore_pauses_set(const struct explore *e, struct sched *c);
/* Takes the pause of the schedule that was run last. */
void explore_pause_take(struct explore_pause *p, const struct sched *c);
/* Returns the longest pause of a schedule whose failure is not time-related. */
uint64_t explore_pause_usual_ns(const struct explore_pause *p);
/* True if the failure needs a pause longer than the program's sleeps. */
bool explore_is_time_related(const struct explore_failure *f);
/* Appends "time-related: needs main to pause for 0.8 s" for such a failure. */
void explore_pause_words(const struct explore_failure *f, struct str *out);
/* Moves failures that are time-related behind the others. */
void explore_pauses_sort(struct explore *e);

/* ---- runs of a search ------------------------------------------------------------------------ */

struct explore_runs {
	struct run_options options; /* a copy of the caller's */
	struct modules *symbols;
	struct sched sched;
	/* Snapshot of the program where schedules begin; NULL if each run starts the program. */
	struct run *kept;
	char *not_kept; /* why there is no snapshot; may be NULL */
	bool has_gates; /* no snapshot, since gates begin with the program */
	bool came;	/* the program has reached the place where schedules begin */
	unsigned long made;
	unsigned worker;		/* number of the processor */
	ARRAY(struct module *) modules; /* of the last run with SCHED_DESCRIBES */
};

/* Prepares runs of `o`. With `keeps`, takes a snapshot of the program where schedules begin, by
   e->until. Returns 0, also without a snapshot, or -1 with *e->x.err set if the program cannot be
   started. */
int explore_runs_begin(struct explore *e, struct explore_runs *r, const struct run_options *o,
		       const struct features *features, bool keeps);
/* Sets which accesses are points. Precedes explore_runs_begin(). */
void explore_points_set(struct sched *c, const struct explore_points_at *points);
/* Lets threads pass hot places without a stop, as far as r->sched.strategy (the search's)
   permits. */
void explore_runs_grant(struct explore_runs *r);
/* Makes one run under r->sched.strategy, which has begun. The run ends at `until` (by
   explore_now_s(); 0 means no limit), but has at least half a second. Returns 0 with *out set, or
   -1 if there was no run or a script has an error. */
int explore_runs_until(struct explore *e, struct explore_runs *r, double until,
		       struct run_result *out);
/* Makes one run without a snapshot, explore_runs_begin() included; `points` NULL means the
   search's. The caller ends `r` with explore_runs_end(). Returns 0 with *out set, or -1 if there
   was no run. */
int explore_runs_alone(struct explore *e, struct explore_runs *r, const struct run_options *o,
		       const struct features *features, const struct explore_points_at *points,
		       struct run_result *out);
/* Removes the traps of hot accesses, from the snapshot too. */
void explore_runs_let_hot_go(struct explore_runs *r);
/* Ends the snapshot and closes the streams of the runs. */
void explore_runs_end(struct explore_runs *r);

/* Returns the seconds for explore_shrink(): a part of the time until f->until. */
double explore_shrink_s(const struct explore_failure *f);
/* Replaces f->schedule by the smallest schedule found that fails in the same way. Returns 0, or -1
   if the experiment is over. */
int explore_shrink(struct explore *e, struct explore_runs *runs, struct explore_failure *f);

/* ---- workers --------------------------------------------------------------------------------- */

struct explore_worker {
	struct explore *e;
	struct strategy *strategy;		/* owned by the search */
	struct error *fault;			/* error of a strategy in Lua */
	const struct explore_points_at *points; /* NULL means the search's */
	struct explore_runs runs;
	size_t paths; /* threads that keep their numbers in all runs */
	bool counted; /* this worker has made run 0 */
};

/* Begins a worker on processor number `worker`; `paths` are the threads of earlier runs. Returns 0,
   or -1 with *e->x.err set. */
int explore_worker_begin(struct explore_worker *w, unsigned worker,
			 const struct schedule_names *paths);
/* Ends the worker's program. */
void explore_worker_end(struct explore_worker *w);

/* ---- races ----------------------------------------------------------------------------------- */

#define RACES_STRATEGY "pos" /* the default strategy of searches for races */

/* ---- parts of one search --------------------------------------------------------------------- */

/* A command line. */
struct explore_args {
	char **items;
	size_t count, capacity;
};
/* explore --merge: reads the parts' journals in `count` folders into *e, as if one search had run
   all; e->lacks names what is missing. Fills *args with the command, which the caller frees.
   Returns -1 with *err set if a journal is missing, damaged or of another search. */
int explore_merge(struct explore *e, char *const *folders, size_t count, struct explore_args *args,
		  struct error *err);

/* gatectl races: scheduled runs, and the accesses in them that happens-before does not order. */

/* A race: pairs of accesses on the same two lines to the same variable. */
struct race {
	const struct sched_race *seen; /* the first pair */
	unsigned long times;
};

/* A line of the file of --ignore. */
struct races_ignored {
	struct location location;
	unsigned number; /* line number in the file */
	bool is_nothing; /* the location matches neither the program nor a race */
	ARRAY(struct races_line {
		char *file;
		unsigned line;
	})
	lines; /* source lines that the location stands for */
};

struct races_hunt {
	/* Options, set by the caller; e.runs and e.seconds are results. */
	struct explore e;
	/* File with one location a line: races there are left out; NULL means none. */
	const char *ignore;
	unsigned long enough; /* stop after so many runs without a new race; 0 means never */
	/* Results. */
	ARRAY(struct race) found;
	unsigned long ignored;		/* races that `ignore` left out */
	unsigned long failed;		/* runs that failed */
	struct explore_race_runs *runs; /* owner of what `found` points to */
	ARRAY(struct races_ignored) at; /* locations of `ignore` */
};

/* Makes the runs. Returns 0 with the results in *h, or -1 as explore_search(). Requires
   experiment_begin() of h->e.x. */
int races_hunt(struct races_hunt *h);
/* Frees the results and h->e. */
void races_hunt_fini(struct races_hunt *h);

/* gatectl replay: runs a program under a recorded schedule and reports the first step that differs.
   README.md lists what the head of the file holds besides the steps. */

/* Fills the head of the file `schedule` of a failure; schedule_head_fini() frees it. */
void replay_head(const struct explore *e, const struct explore_failure *f, struct schedule_head *h);

/* Fills `points` (empty before) with the points and the starts that the head names. */
void replay_points(const struct schedule_head *h, struct explore_points_at *points);

struct replay {
	struct run_options *options; /* the caller's */
	struct schedule schedule;
	struct schedule_head head;
	ARRAY(char *) there; /* owned paths, relative to the directory of the search */
	ARRAY(char *) args;  /* arguments of the head, terminated by NULL */
	struct sched *sched; /* owned; NULL before replay_begin() */
	unsigned long made;  /* runs so far */
	bool lacks_input;    /* the recorded run read a file, but standard input is none */
};
/* Reads the file and sets the program, gates and orders that r->options lacks. Returns 0, or -1
   with *err set. */
int replay_load(struct replay *r, const char *path, struct error *err);
/* Returns the recorded kind of the program's stream `fd`; STREAM_INHERITED if the file has none. */
enum stream_kind replay_stream(const struct replay *r, int fd);
/* Replays once, as run_run(). VERDICT_DIVERGED means that the program did not follow the
   schedule. */
int replay_run(struct replay *r, struct modules *symbols, struct run_result *out,
	       struct error *err);

/* Appends "replayed: ./prt 2 (19 of 19 steps agree)": the command, and how far the last run
   followed. */
void replay_tell(const struct replay *r, const struct run_result *result, struct str *out);

/* Begins a run that the caller makes with r->options. Returns 0, or -1 with *err set if the
   program's streams cannot be made. */
int replay_begin(struct replay *r, struct error *err);
/* Compares a run that the caller made with the schedule: after its end, before it is judged. */
void replay_compare(const struct replay *r, struct run *s);
/* Lets the run make `steps` more steps and then rest (sched.h); 0 means until its end. */
void replay_rest(struct replay *r, size_t steps);
/* Appends "step 3 of 12: worker#1 is to lock, by pthread_mutex_lock at bank.c:11 in work". */
void replay_next(const struct replay *r, struct str *out);
/* Returns the id of the thread that takes the next step, or NULL if there is none. */
const char *replay_next_thread(const struct replay *r);

void replay_fini(struct replay *r); /* Frees everything, after the last use of the options. */

#endif
