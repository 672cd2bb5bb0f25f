/* Interfaces between the files of tracer/search. */
#ifndef GATECTL_SEARCH_SEARCH_INTERNAL_H
#define GATECTL_SEARCH_SEARCH_INTERNAL_H

#include "tracer/base/table.h"
#include "tracer/search/explore.h"

/* ---- journal/record.c ------------------------------------------------------------------------ */

/* Records of words and texts, in a pipe or a file. Length and checksum reveal a cut or damaged
   record. Words are in the machine's byte order (x86-64 only). */
enum record_kind {
	RECORD_HEAD = 1, /* header: identifies the search */
	RECORD_RUN,	 /* struct explore_outcome */
	RECORD_FOUND,	 /* a failure and its folder */
	RECORD_OVER,	 /* the search has ended by itself */
	RECORD_READY,	 /* a worker's program is ready */
	RECORD_FAULT,	 /* a worker ended with an error */
	RECORD_LESSON,	 /* what a strategy learns from a run */
	RECORD_BATCH,	 /* all lessons of batches below this one were sent */
};

struct record {
	struct str bytes;
	size_t at;  /* read position */
	bool reads; /* filled by record_take() */
	bool bad;   /* a read went past the end */
};

/* Empties the record and adds its kind. */
void record_begin(struct record *r, enum record_kind kind);
void record_add(struct record *r, uint64_t word);
void record_add_text(struct record *r, const char *text); /* NULL is read back as NULL. */

/* Returns the next word; the first is the kind. Returns 0 with r->bad past the end. */
uint64_t record_get(struct record *r);
char *record_get_text(struct record *r);

/* Adds *word or *text, or sets it if the record is read. */
void record_word(struct record *r, uint64_t *word);
void record_text(struct record *r, char **text);

/* Appends the record to `out`, with its length and checksum. */
void record_put(const struct record *r, struct str *out);
/* Reads the record at *at into *r and advances *at. Returns 1, 0 if the bytes end before the record
   does, -1 if it is damaged. */
int record_take(struct record *r, const struct str *from, size_t *at);
void record_fini(struct record *r);

/* ---- loop/outcome.c -------------------------------------------------------------------------- */

/* Outcome of one run of a search, made by a worker and counted by the search. */
struct explore_outcome {
	uint64_t run; /* the strategy's number of the run, from 0 */
	enum explore_ended ended;
	bool none; /* pruned by the strategy: no schedule */
	bool late; /* truncated because the time of the search was over */
	/* For runs truncated at the step limit (struct explore_cut); else NULL. */
	char *last_steps, *last_threads, *last_words;
	/* Threads that had not ended: the first time that this worker sees any; else NULL. */
	char *left;
	/* Made to find races, before the strategy's first run; `run` counts such runs. */
	bool early;
	uint64_t at_us; /* end of the run, in microseconds since the search began */
	uint64_t digest, points;
	bool asks_ids;	  /* the program has read its thread or process IDs */
	bool twice;	  /* the schedule was run a second time */
	uint64_t threads; /* of the program, in this run and in those before it */
	char *differs;	  /* where the second run differed; may be NULL */
	char *said;	  /* the program's output, if explore.said is set; else NULL */
	/* Words that the strategy learns from the run. */
	ARRAY(uint64_t) lesson;
	/* The worker's first schedule that passed, sent once; else empty. */
	struct schedule passed;
	struct schedule_names passed_paths;
	/* Set if the run failed: */
	uint64_t key;
	int status;
	/* Set if the worker knows no failure with this key: */
	char *kind, *where, *text; /* see struct explore_failure */
	struct schedule schedule;
	struct schedule_names paths;
};

void explore_outcome_fini(struct explore_outcome *o);

void explore_outcome_write(const struct explore_outcome *o, struct record *r);
/* Reads a RECORD_RUN after its kind. Returns false if the record is damaged. */
bool explore_outcome_read(struct explore_outcome *o, struct record *r);

/* ---- loop/statistics.c ----------------------------------------------------------------------- */

/* Counts the outcomes of a search, in the order of runs. */
struct explore_statistics {
	struct explore *e; /* receives the results */
	struct table seen; /* digests of schedules, with their counts */
	/* Time of the search's begin, earlier searches' time subtracted. */
	double begun;
	unsigned long every; /* runs from one sample to the next */
};

/* Counts the outcome; moves what a new failure needs out of *o. */
void explore_count(struct explore_statistics *a, struct explore_outcome *o);

/* State that the program keeps between runs: a file, a socket, shared memory. A failure caused by
   it depends on no schedule, so the first schedule that passed is run again. A run with
   SCHED_PREEMPTED is no evidence: a timer stopped a thread at an arbitrary place. */
/* Moves the schedule that passed to `to`. */
void explore_state_move(struct explore_outcome *to, struct explore_outcome *from);
/* Takes the outcome's schedule that passed if the search has none yet. */
void explore_state_first(struct explore *e, struct explore_outcome *o);
/* Runs that schedule once more: sets e->keeps_state if it fails, e->differs if its steps differ.
   Returns 0, or -1 if no run was possible. */
int explore_state_check(struct explore *e);
void explore_state_fini(struct explore *e);

/* ---- jobs/worker.c --------------------------------------------------------------------------- */

/* Makes one run under the strategy of `runs`. Returns 0, or -1 if the experiment is over. */
int explore_make(struct explore *e, struct explore_runs *runs, uint64_t run,
		 struct explore_outcome *out);
/* Describes where a second run of the schedule differed from the first; the caller owns the text.
   `run` counts from 0. */
char *explore_difference(const struct strategy_difference *d, const struct schedule *first,
			 uint64_t run);

/* Makes run `run`; runs may come in any order that the strategy permits. Returns 0, or -1. */
int explore_worker_run(struct explore_worker *w, uint64_t run, struct explore_outcome *out);

/* ---- jobs/jobs.c ----------------------------------------------------------------------------- */

/* A search by several processes, each with its own program on its own processor. The assignment of
   runs to workers is fixed and outcomes are taken in the order of runs, so the result does not
   depend on the speed of a worker. */
struct explore_job {
	pid_t pid;
	int from, to;	  /* pipes */
	struct str bytes; /* bytes read from the pipe */
	size_t at;	  /* position of the first byte not yet used */
};

struct explore_jobs {
	struct explore *e;
	struct strategy *strategy; /* state that workers begin with */
	struct error *fault;
	const struct schedule_names *paths; /* of runs before the search */
	unsigned first;			    /* number of the first worker's processor */
	uint64_t run, step;		    /* number of the first run; distance to the next */
	ARRAY(struct explore_job) items;
	struct str lessons; /* records of this batch, not yet sent to the workers */
	pid_t apart;	    /* process of explore_jobs_apart(); 0 if there is none */
};

/* Forks `count` workers. Returns 0, or -1 with *e->x.err set. */
int explore_jobs_begin(struct explore_jobs *j, unsigned count);
/* Waits for the outcome of `run`: explore_jobs.run first, then `step` more each time. Returns 0, or
   -1 if the experiment is over. */
int explore_jobs_run(struct explore_jobs *j, uint64_t run, struct explore_outcome *out);
/* Takes an unread outcome that a worker has sent, in any order, into *out. Returns false if there
   is none. */
bool explore_jobs_left(struct explore_jobs *j, struct explore_outcome *out);
/* Calls what() in a child process, which may trace a program beside the workers, and waits for it.
   Returns -1 if a signal has come; explore_jobs_end() then ends the process. */
int explore_jobs_apart(struct explore_jobs *j, int (*what)(void *ctx), void *ctx);
/* Ends the workers and their programs. */
void explore_jobs_end(struct explore_jobs *j);

/* ---- loop/races.c ---------------------------------------------------------------------------- */

/* First runs of a search, which find the accesses that race; those become points. */
struct explore_race_runs {
	const char *strategy;	  /* set by the caller; NULL means RACES_STRATEGY */
	bool extremes;		  /* set by the caller: the first runs are extremes.c's */
	struct explore_runs runs; /* points are synchronization and accesses that raced before */
	struct races *races;
	unsigned long quiet; /* consecutive runs that found nothing new */
	unsigned long made;
	size_t pairs, atomic; /* races and atomic accesses found so far */
};

int explore_races_begin(struct explore_race_runs *x, struct explore *e);
/* After each run: makes accesses that raced points of later runs. Returns false if no more runs are
   needed. */
bool explore_races_more(struct explore_race_runs *x);
/* Fills the points of the last run. Precedes explore_races_more(). */
void explore_races_points(const struct explore_race_runs *x, struct explore_points_at *points);
/* Fills the points of the search, which include calls that free memory. */
void explore_races_choose(const struct explore_race_runs *x, struct explore_points_at *points);
void explore_races_end(struct explore_race_runs *x);

/* ---- loop/places.c --------------------------------------------------------------------------- */

/* Sets e->points_at from the options. Returns 0, or -1 with *e->x.err set if there is no such
   place. */
int explore_places(struct explore *e);

/* ---- journal/journal.c ----------------------------------------------------------------------- */

/* Journal of a search, in a file of its folder: the same search can continue from it, and parts of
   one search can be merged (merge.c). README.md lists its records. */
struct explore_journal {
	int fd;		 /* -1 if the journal is only read */
	struct str path; /* DIR/search, or DIR/search.K-N for a part */
	bool made_folder;
	struct str bytes; /* contents when opened */
	size_t at;	  /* read position */
	bool over;	  /* the records read say that the search ended by itself */
	struct record record;
};

/* ---- journal of a running search ---- */

/* Opens or creates DIR's journal; discards the records of another search. On failure e->journal is
   NULL and e->no_journal says why. */
void explore_journal_open(struct explore *e);
/* Appends the outcome of a run. */
void explore_journal_add(struct explore *e, const struct explore_outcome *o);
/* Appends the failure's folder and what is known of the failure. */
void explore_journal_found(struct explore *e, const struct explore_failure *f);

/* ---- any journal ---- */

/* Reads the next run into *o. Returns false if there are no more; by then the failures in *e have
   the folders that the journal names for their keys. */
bool explore_journal_next(struct explore_journal *j, struct explore *e, struct explore_outcome *o);

/* Reads a file and its header into *o; *args gets the command, which the caller frees. `head` gets
   what all parts of one search have in common. Returns 0, or -1 with *err set if the file is no
   journal. */
int explore_journal_read(struct explore_journal *j, const char *path, struct explore_options *o,
			 struct explore_args *args, struct str *head, struct error *err);
void explore_journal_fini(struct explore_journal *j);

#endif
