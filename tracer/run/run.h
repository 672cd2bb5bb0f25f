/*
 * One run: wires target, source, inspect, gates and lua together.
 *
 *	event (target) -> arrival (gates) -> decisions -> resume (target), and the timeline
 *
 * Ownership: the caller owns options and result; run_result_fini frees the strings of a result.
 */
#ifndef GATECTL_RUN_RUN_H
#define GATECTL_RUN_RUN_H

#include "gates/engine.h"
#include "tracer/base/error.h"
#include "tracer/base/files/stream.h"
#include "tracer/base/text/str.h"
#include "tracer/report/report.h"
#include "tracer/source/source.h"

#include <sys/types.h>

/* gatectl prove: one run in which something is left out, or some thread is held back. */
enum trial_way {
	TRIAL_PLAIN,
	TRIAL_EARLY, /* threads that would open the gate are held back from their start on */
	TRIAL_LATE,  /* ... from where they would open it */
};
struct run_trial {
	const char *about; /* the name of a run_subject, or a gate's alone; NULL: none, or all */
	bool left_out;	   /* ... is left out, or with NULL all that the script does at places; else
			      threads are only held back as `way` says */
	bool show_output;  /* the program's output is passed on; else it is only compared */
	enum trial_way way;
	const char *const *early; /* ids of the threads for TRIAL_EARLY */
	size_t early_count;
};

/* Something that a script might do without. */
struct run_subject {
	char *name;   /* no two have the same */
	bool holds;   /* false: a :run that has not called wait_until */
	bool is_gate; /* the opposite of what it forces can be tried */
	bool is_barrier;
	ARRAY(char *)
	movers; /* ids of threads that have opened it, or that a barrier has held; the last first */
};

/* What a trial has shown. */
struct run_evidence {
	bool has_expect;  /* the script has an expect; `expected` says it in words ... */
	bool as_expected; /* ... and was met, whatever else is wrong (never-reached and the like) */
	bool limited;	  /* ended by a limit, which was not expected */
	bool has_limit;	  /* the script says how long a run may last */
	struct str expected, came; /* in words: "exit status 1" */
	uint64_t out_sum, err_sum; /* checksums of what the program has written */
	ARRAY(struct run_subject) subjects;
};

/* What becomes of processes that the program leaves behind. */
enum run_leftover {
	LEFTOVER_DEFAULT, /* LEAVE; where a script expects something, or runs are compared: KILL */
	LEFTOVER_KILL,
	LEFTOVER_LEAVE,
	LEFTOVER_WAIT,
};

struct features; /* observers.h */

struct run_options {
	const struct features *features; /* who takes part in a run; NULL: nobody */
	struct texts scripts, orders, reports;
	double gate_limit, time_limit; /* seconds, 0 for ever; negative: not given */
	uint64_t until_us; /* by run_now_us(): no run goes on then, whatever its limit; 0: none */
	unsigned long repeat;
	bool no_follow, verbose, quiet;
	bool no_resident; /* nothing is decided inside the program */
	bool no_stdin;	  /* the program reads /dev/null */
	off_t input_at; /* of many runs each reads a file on standard input from here on; -1: there is none */
	bool skip_unavailable; /* where tracing is not permitted: skip the test (RUN_SKIPPED) */
	char *const *argv;     /* the program and its arguments */
	enum run_leftover leftover;
	const struct run_trial *trial; /* NULL except for prove */
	struct order_log *order_log;   /* NULL: not kept. Owned by the caller */
	struct convert_record *record; /* NULL except for convert. Owned by the caller */
	struct sched *sched;	       /* NULL except for explore and replay. Owned by the caller */
	enum stream_kind kinds[3]; /* of the program's standard streams, where runs are compared */
	int pid;		   /* attach: the running process; else 0 */
};

struct run_result {
	enum verdict verdict;
	int status;	  /* gatectl's exit status */
	int interrupted;  /* the signal that ended gatectl's run, or 0 */
	bool expects;	  /* the script has an expect */
	bool signaled;	  /* the program was ended by a signal */
	bool out_of_time; /* run_options.until_us has ended it */
	int ended;	  /* its own status: of exit, or 128 and the signal; -1: we have ended it */
	/* Its scripts are an expect, of how it ends (or its standard output, too), and nothing else. */
	bool only_expects, expects_output;
	struct str
		text; /* what to tell on standard error: lines, the first as the contract has it */
	struct str note;  /* what there is to say of a run that was as expected: lines, or empty */
	bool note_always; /* print its first line even without -v */
	struct str file;  /* the source line that it is about, of the program or a script ... */
	unsigned line;	  /* ... 0: none */
	struct str reports[REPORT_KINDS]; /* empty unless asked for; JUnit: its test case */
	double seconds;			  /* from the start to the verdict */
	enum report_case testcase;	  /* as JUnit counts it */
	struct run_evidence evidence;	  /* of a trial */
};
void run_result_fini(struct run_result *r);
void run_evidence_fini(struct run_evidence *e);

/*
 * Runs the program once. 0 with the result filled; -1 with an error that came before there was a
 * program to judge (its code gives the exit status). `symbols` is kept over several runs. With
 * `pid`: attaches, and detaches when every place has done its work, or at a verdict.
 */
int run_run(const struct run_options *o, struct modules *symbols, unsigned long run_number,
	    struct run_result *out, struct error *err);

/* Around several runs: a SIGINT, SIGTERM or SIGHUP to gatectl that arrives between two of them
   interrupts the next one. _release returns the one that arrived after the last run, or 0. */
void run_signals_hold(void);
int run_signals_release(void);
bool run_signals_came(void);	       /* one that has not interrupted any yet */
void run_signals_put_back(int signal); /* it interrupts the next one, as if it came only then */
/* A temporary file to be removed if a signal ends gatectl; NULL: there is none any more. The path
   is not copied. */
void run_signals_unlink(const char *path);
/* ... and this is written to standard error then; NULL: nothing. The text is the caller's. */
void run_signals_say(const char *text);

/*
 * Before attach: makes sure that killing gatectl does not harm the program (tracee_guard). 0 in the
 * process that goes on; 1 in the one that was started, once all is over, with gatectl's exit
 * status.
 */
int run_guard(const struct run_options *o, int *status, struct error *err);

/* In a child of gatectl that is about to exec: restores the signals that gatectl was started
   with. */
void run_signals_as_found(void);

/* gatectl's exit status for an error: 77, 118, 125, 126 or 127. CTest and Automake know the first. */
enum { RUN_SKIPPED = 77 };
int run_error_status(const struct run_options *o, enum error_code code);
/* The word on the first line for this error: "error", "cannot-trace", "not-as-expected". */
const char *run_error_word(enum error_code code);

#endif
