/* The parts of a search, for the files of this room. */
#ifndef GATECTL_SEARCH_SEARCH_INTERNAL_H
#define GATECTL_SEARCH_SEARCH_INTERNAL_H

#include "tracer/base/table.h"
#include "tracer/search/explore.h"

/* ---- journal/record.c --------------------------------------------------------------------------- */

/* What a search writes down, into a pipe or a file: records of words and texts. One that is cut or damaged is
   known as such. The words are this machine's (x86-64, as all that gatectl runs on). */
enum record_kind {
	RECORD_HEAD = 1, /* which search it is */
	RECORD_RUN,	 /* struct explore_outcome */
	RECORD_FOUND,	 /* a failure that has its folder */
	RECORD_OVER,	 /* the search has ended by itself */
	RECORD_READY,	 /* a worker's program is there */
	RECORD_FAULT,	 /* a worker cannot go on */
	RECORD_LESSON,	 /* what a run has taught */
	RECORD_BATCH,	 /* whatever batches below this one have taught was told */
};

struct record {
	struct str bytes;
	size_t at;  /* read up to here */
	bool reads; /* record_take() has filled it */
	bool bad;   /* it has ended before what was asked for */
};

void record_begin(struct record *r, enum record_kind kind); /* empty but for the kind */
void record_add(struct record *r, uint64_t word);
void record_add_text(struct record *r, const char *text); /* NULL comes back as NULL */

uint64_t record_get(struct record *r); /* the first one is the kind; 0 where there are no more */
char *record_get_text(struct record *r);

/* Adds, or gets if the record is read. */
void record_word(struct record *r, uint64_t *word);
void record_text(struct record *r, char **text);

/* Behind what is in `out`, with its length and a sum. */
void record_put(const struct record *r, struct str *out);
/* The record at *at, which is moved behind it, into *r, which is emptied before. 1; 0: the bytes end before it
   does; -1: there is none. */
int record_take(struct record *r, const struct str *from, size_t *at);
void record_fini(struct record *r);

/* ---- loop/outcome.c ----------------------------------------------------------------------------- */

/* What one run of a search has shown: made by whoever did the run, accounted for by the search. */
struct explore_outcome {
	uint64_t run; /* the strategy's number of it, from 0 */
	enum explore_ended ended;
	bool none; /* the strategy has ended it: this is no schedule */
	bool late; /* CUT: the time of the search was over */
	char *last_steps, *last_threads, *last_words; /* CUT, for its steps: explore_cut; or NULL */
	bool early;	/* made to find races, before the strategy's first: `run` counts those */
	uint64_t at_us; /* microseconds after the search's begin it was known */
	uint64_t digest, points;
	bool asks_ids; /* the program has asked for its own by now */
	bool twice;    /* it was run a second time ... */
	char *differs; /* ... and was another one; or NULL */
	char *said;    /* what the program has written, if explore.said asks for it; or NULL */
	/* What it has taught. */
	ARRAY(uint64_t) lesson;
	/* The maker's first schedule that passed, told once; else empty. */
	struct schedule passed;
	struct schedule_names passed_paths;
	/* FAILED: */
	uint64_t key;
	int status;
	/* ... for the first time, as far as its maker knows: */
	char *kind, *where, *text; /* explore_failure */
	struct schedule schedule;
	struct schedule_names paths;
};

void explore_outcome_fini(struct explore_outcome *o);

void explore_outcome_write(const struct explore_outcome *o, struct record *r);
/* Of a RECORD_RUN whose kind was read. False: it is damaged. */
bool explore_outcome_read(struct explore_outcome *o, struct record *r);

/* ---- loop/statistics.c -------------------------------------------------------------------------- */

/* What the runs of a search have shown, put together in their order. */
struct explore_statistics {
	struct explore *e;   /* whose result it becomes */
	struct table seen;   /* digests of schedules */
	double begun;	     /* by the clock; what earlier searches took is before it */
	unsigned long every; /* runs between two samples */
};

/* Takes what a new failure needs out of the outcome. */
void explore_count(struct explore_statistics *a, struct explore_outcome *o);

/*
 * State that the program keeps between runs: in a file, a socket, shared memory. A schedule that
 * fails because of it says nothing of the order of threads. So before a failure is told the first
 * schedule that passed is run again. A run in which a thread was stopped by the clock is no
 * evidence: the clock stops it elsewhere in the next one.
 */
/* `to` tells of the schedule that passed in place of `from`. */
void explore_state_move(struct explore_outcome *to, struct explore_outcome *from);
/* Takes the schedule that passed, if it is the first that the search is told of. */
void explore_state_first(struct explore *e, struct explore_outcome *o);
/* Runs that schedule once more. If it fails, e->keeps_state says so; if it is another one then,
   e->differs does. 0, or -1: no run was possible. */
int explore_state_check(struct explore *e);
void explore_state_fini(struct explore *e);

/* ---- jobs/worker.c ------------------------------------------------------------------------------ */

/* One run, under the strategy of `runs`. 0; -1: the experiment is over. */
int explore_make(struct explore *e, struct explore_runs *runs, uint64_t run,
		 struct explore_outcome *out);
/* Describes where a second run of the schedule differed from the first; the caller owns the text.
   `run` counts from 0. */
char *explore_difference(const struct strategy_difference *d, const struct schedule *first,
			 uint64_t run);

/* Runs in any order, as far as the strategy permits. */
int explore_worker_run(struct explore_worker *w, uint64_t run, struct explore_outcome *out);

/* ---- jobs/jobs.c -------------------------------------------------------------------------------- */

/*
 * A search by several processes: each has its own program, on its own processor. Who makes which run is known
 * beforehand, so the search takes what they have found in the order of runs; how fast each one is makes no
 * difference to the result.
 */
struct explore_job {
	pid_t pid;
	int from, to;	  /* pipes */
	struct str bytes; /* read from it ... */
	size_t at;	  /* ... and used so far */
};

struct explore_jobs {
	struct explore *e;
	struct strategy *strategy; /* as it is when they begin */
	struct error *fault;
	const struct schedule_names *paths; /* of the runs before the search */
	unsigned first;			    /* processor */
	uint64_t run, step;		    /* the first run, and from there to the next */
	ARRAY(struct explore_job) items;
	struct str lessons; /* of this batch, to be told */
	pid_t apart;	    /* the process of explore_jobs_apart(); 0: there is none */
};

/* Forks so many. 0, or -1 with the error. */
int explore_jobs_begin(struct explore_jobs *j, unsigned count);
/* The outcome of the next run: those of explore_jobs.run, and `step` more each time. -1: it is over. */
int explore_jobs_run(struct explore_jobs *j, uint64_t run, struct explore_outcome *out);
/* Takes an outcome that a worker has sent and that is not read yet, in any order, into *out.
   Returns false if there is none. */
bool explore_jobs_left(struct explore_jobs *j, struct explore_outcome *out);
/* Does something in a process of its own, which may trace a program as if there were no workers,
   and waits for it. -1: a signal has come, and explore_jobs_end() ends it. */
int explore_jobs_apart(struct explore_jobs *j, int (*what)(void *ctx), void *ctx);
/* They end, and their programs. */
void explore_jobs_end(struct explore_jobs *j);

/* ---- loop/races.c ------------------------------------------------------------------------------- */

/* The first runs of a search: which accesses to memory race? Those are points from then on. */
struct explore_race_runs {
	const char *strategy;	  /* given; NULL: RACES_STRATEGY */
	struct explore_runs runs; /* the schedules have points where threads synchronise */
	struct races *races;
	unsigned long quiet; /* runs in a row that have found nothing new */
	unsigned long made;
	size_t pairs, atomic; /* races, and accesses that are atomic, found so far */
};

int explore_races_begin(struct explore_race_runs *x, struct explore *e);
/* After each run: what has raced is a point in those to come. False: enough is known. */
bool explore_races_more(struct explore_race_runs *x);
/* The points that the last run had, before explore_races_more(). */
void explore_races_points(const struct explore_race_runs *x, struct explore_points_at *points);
/* Those of the search: calls that free memory, too. */
void explore_races_choose(const struct explore_race_runs *x, struct explore_points_at *points);
void explore_races_end(struct explore_race_runs *x);

/* ---- loop/places.c ------------------------------------------------------------------------------ */

/* Sets e->points_at as far as the options say. 0, or -1 with e->x.err: no such place. */
int explore_places(struct explore *e);

/* ---- journal/journal.c -------------------------------------------------------------------------- */

/*
 * What a search has done, in a file of its folder: the same search, begun again, goes on from there, and parts of
 * one search are joined (merge.c).
 *
 * Records: a header that says which search it is; each run, in their order, those that were made
 * to find races before the others; then the failures that have got their folders. A search that was killed leaves
 * half a record at most, which is cut off.
 */
struct explore_journal {
	int fd;		 /* -1: it is only read */
	struct str path; /* DIR/search, or of a part DIR/search.K-N */
	bool made_folder;
	struct str bytes; /* what was there ... */
	size_t at;	  /* ... and read up to here */
	bool over;	  /* what was read says that the search ended by itself */
	struct record record;
};

/* ---- of a search ---- */

/* Opens DIR's journal, or makes one; what there is of another search is thrown away. Where none can be had the
   search does without: e->journal is NULL then, and e->no_journal says why. */
void explore_journal_open(struct explore *e);
/* Behind what was read. */
void explore_journal_add(struct explore *e, const struct explore_outcome *o);
/* ... where the failure's folder is, and what is known of it by now. */
void explore_journal_found(struct explore *e, const struct explore_failure *f);

/* ---- of any ---- */

/* The next run; false: there are no more. Failures are known then, and get the folders that the journal has for
   them, by their keys. */
bool explore_journal_next(struct explore_journal *j, struct explore *e, struct explore_outcome *o);

/* Reads a file, and its head into e->options; `args` gets the command, its strings the caller's. -1: it cannot be
   read, or is none. `head` is the same for all parts of one search. */
int explore_journal_read(struct explore_journal *j, const char *path, struct explore_options *o,
			 struct explore_args *args, struct str *head, struct error *err);
void explore_journal_fini(struct explore_journal *j);

#endif
