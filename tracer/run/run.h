/* One run: connects tracee, source, inspect, gates and lua (README.md). struct run, run_process,
   run_thread and run_place are complete in tracer/run alone; data that one feature needs is kept by
   that feature (kept.h). */
#ifndef GATECTL_RUN_RUN_H
#define GATECTL_RUN_RUN_H

#include "gates/engine.h"
#include "lua/script.h"
#include "tracer/base/error.h"
#include "tracer/base/files/stream.h"
#include "tracer/base/text/digest.h"
#include "tracer/base/text/json.h"
#include "tracer/base/text/str.h"
#include "tracer/inspect/inspect.h"
#include "tracer/report/report.h"
#include "tracer/run/kept.h"
#include "tracer/source/source.h"
#include "tracer/tracee/tracee.h"

#include <sys/types.h>

struct features;
struct run;
struct run_process;
struct run_thread;
struct run_place;
struct site_placer;
struct tracee_launch;

/* ---- options and results --------------------------------------------------------------------- */

/* A run of gatectl prove, without one subject or with some threads held back. */
enum trial_way {
	TRIAL_PLAIN,
	TRIAL_EARLY, /* threads that would open the gate are held back from their start */
	TRIAL_LATE,  /* these threads are held back at the place where they would open it */
};
/* The first time that a thread passes a place of the script: it waits at a gate or opens one. */
struct run_pass {
	char *thread; /* id of the thread */
	size_t place; /* index of the place */
	char *text;   /* "writer#1 at q.c:12 (gate full)" */
	bool acts;    /* false: the thread only opens gates that are open already */
};
struct run_passes {
	struct run_pass *items;
	size_t count, capacity;
};
struct run_trial {
	const char *about; /* name of a run_subject, or a gate's own; NULL: none, or all subjects */
	/* `about` is left out (NULL: all that the script does at places); false: threads are only
	   held back, see `way` */
	bool left_out;
	bool show_output; /* the program's output is passed on; false: only compared */
	enum trial_way way;
	const char *const *early; /* ids of the threads for TRIAL_EARLY */
	size_t early_count;
	/* `first` is held back until `second` has happened. NULL: no pass is held back. */
	const struct run_pass *first, *second;
};

/* A part of a script that may be superfluous. */
struct run_subject {
	char *name;   /* unique */
	bool holds;   /* false for a :run that has not called wait_until */
	bool is_gate; /* the opposite of the order that it enforces can be tried */
	bool is_barrier;
	/* ids of threads that opened it, or that a barrier held; the latest first */
	ARRAY(char *) movers;
};

/* Observations of a trial. */
struct run_evidence {
	bool has_expect; /* the script has an expect, which `expected` describes */
	/* that expect was met, whatever else is wrong (never-reached and the like) */
	bool as_expected;
	bool limited;		   /* ended by a limit that the script does not expect */
	bool has_limit;		   /* the script limits the duration of a run */
	struct str expected, came; /* in words: "exit status 1" */
	struct digest_written out, err;
	ARRAY(struct run_subject) subjects;
	struct run_passes passes; /* in the order of the run */
	bool swapped;		  /* run_trial.second came while `first` was held back */
};

/* A run shows what the script expects, or that the failure which it expects happens no more. */
enum run_aim { AIM_EXPECTED, AIM_FIXED };

/* Treatment of processes that the program leaves behind. */
enum run_leftover {
	LEFTOVER_DEFAULT, /* LEAVE; KILL if a script has an expect or runs are compared */
	LEFTOVER_KILL,
	LEFTOVER_LEAVE,
	LEFTOVER_WAIT,
};

struct run_options {
	const struct features *features; /* features that take part in a run; NULL: none */
	struct texts scripts, orders, reports;
	double gate_limit, time_limit; /* seconds, 0 for ever; negative: not given */
	uint64_t until_us; /* a deadline by run_now_us() for any run, whatever its limit; 0: none */
	unsigned long repeat;
	bool no_follow, verbose, quiet;
	bool no_resident; /* no arrival is decided inside the program */
	bool no_stdin;	  /* the program reads /dev/null */
	/* Offset at which each of several runs reads the file on standard input; -1: no file. */
	off_t input_at;
	bool skip_unavailable; /* without permission to trace: skip the test (RUN_SKIPPED) */
	char *const *argv;     /* the program and its arguments */
	enum run_leftover leftover;
	enum run_aim aim;
	const struct run_trial *trial; /* NULL except for prove */
	struct order_log *order_log;   /* NULL: no log. Owned by the caller */
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
	bool out_of_time; /* run_options.until_us ended it */
	int ended;	  /* the program's exit status, or 128 + its signal; -1: gatectl ended it */
	/* The script is one expect, of the end (or of standard output also). */
	bool only_expects, expects_output;
	struct str text;  /* for standard error; the first line has the manual's form */
	struct str note;  /* remarks on a run that was as expected: lines, or empty */
	bool note_always; /* print the first line of `note` even without -v */
	struct str file;  /* source line of the program or a script that the result is about */
	unsigned line;	  /* 0: none */
	struct str reports[REPORT_KINDS]; /* empty unless requested; JUnit: the run's test case */
	double seconds;			  /* from the start to the verdict */
	enum report_case testcase;	  /* class of the run in JUnit's output */
	struct run_evidence evidence;	  /* of a trial */
};
void run_result_fini(struct run_result *r);	/* frees the members, not `r` */
void run_evidence_fini(struct run_evidence *e); /* frees the members, not `e` */
void run_pass_fini(struct run_pass *p);		/* frees the members, not `p` */
void run_passes_fini(struct run_passes *p);	/* frees the items also, not `p` */

/* ---- making a run ---------------------------------------------------------------------------- */

/* Runs the program once. Returns 0 with *out filled, or -1 with *err set if there was no program to
   judge (run_error_status()). `symbols` is shared by several runs. With `pid`: attaches, and
   detaches at a verdict or once every place has done its work. */
int run_run(const struct run_options *o, struct modules *symbols, unsigned long run_number,
	    struct run_result *out, struct error *err);

/* A SIGINT, SIGTERM or SIGHUP to gatectl between two runs interrupts the next run. */
void run_signals_hold(void);
int run_signals_release(void);	       /* returns the signal that came after the last run, or 0 */
bool run_signals_came(void);	       /* true: one has not interrupted a run yet */
void run_signals_put_back(int signal); /* the signal interrupts the next run */
/* Sets a temporary file to be removed if a signal ends gatectl; NULL: none. Not copied. */
void run_signals_unlink(const char *path);
/* Sets a text for standard error if a signal ends gatectl; NULL: none. Not copied. */
void run_signals_say(const char *text);

/* Before attach: forks, so that killing gatectl does not harm the program (tracee_guard). Returns 0
   in the process that goes on, 1 in the original process once all is over, with gatectl's exit
   status in *status, or -1 with *err set. `steered`: a user steers the run. */
int run_guard(const struct run_options *o, bool steered, int *status, struct error *err);

/* In a child of gatectl before exec: restores the signal actions that gatectl was started with. */
void run_signals_as_found(void);

/* CTest and Automake know this exit status as "skipped". */
enum { RUN_SKIPPED = 77 };
/* gatectl's exit status for an error: 77, 118, 119, 125, 126 or 127. */
int run_error_status(const struct run_options *o, enum error_code code);
/* The word for the first line of the report: "error", "cannot-trace", "not-as-expected". */
const char *run_error_word(enum error_code code);

/* The parts of a run, for callers that make a run of their own (interactive/, search/). */

/* The caller owns `o` and `symbols`, and calls run_free(). */
struct run *run_new(const struct run_options *o, struct modules *symbols, unsigned long number);
/* Makes the engine, the script and its places. Returns 0, or -1 with *err set. */
int run_prepare(struct run *s, struct error *err);
/* Starts the program, or attaches to options.pid. Returns 0, or -1 with *err set. */
int run_launch(struct run *s, struct error *err);
/* Uses a copy of `from`'s program, a snapshot (tracee_keep), instead of starting one. Returns its
   only thread, stopped as in the snapshot, or NULL with *err set. `from` owns the tracee. */
struct run_thread *run_copy(struct run *s, const struct run *from, struct error *err);
void run_loop(struct run *s); /* handles events until no process is left */
void run_turn(struct run *s, const struct tracee_event *ev); /* handles one event */
void run_judge(struct run *s, struct run_result *out);	     /* fills *out, with the verdict */
enum verdict run_verdict(const struct run *s);		     /* by the outcome so far */
void run_free(struct run *s); /* frees the run, but not the tracee of a run_copy() */

/* Probes: the program is only inspected, none of its own code runs. */

/* Makes the engine and the scripts. Returns 0, or -1 with *err set. */
int run_probe_load(struct run *s, struct error *err);
/* Starts the program, up to where its initial libraries are known. Returns 0, or -1 with *err
   set. */
int run_probe(struct run *s, char *const *argv, char *const *env, struct error *err);

/* ---- what observes a run --------------------------------------------------------------------- */

struct image {
	struct module *module;
	uint64_t bias;
	uint64_t link; /* address of its struct link_map in the program; 0: unknown */
	bool seen;     /* scratch of images_update(): is in the program's list */
};
struct module_list {
	struct image *items;
	size_t count, capacity;
};

/* A location of the script was found in a process. */
struct found {
	struct run_process *process;
	struct tracee_thread *thread;
	struct place *place;
	const struct source_sites *sites;
	const struct image *images; /* the images that were searched, `count` of them */
	size_t count;
	bool first; /* found for the first time in this run */
};

/* News about the modules of a process. */
struct modules_seen {
	enum modules_stage {
		MODULES_EXEC,	 /* the executable is known and can have traps; no library yet */
		MODULES_SETTLED, /* its initial libraries are known; places are resolved next */
		MODULES_PLACED,	 /* places are resolved, in the program's first image */
		MODULES_OPENED,	 /* dlopen has loaded `images`; only after run_expect_loads() */
	} stage;
	struct run_process *process;
	struct tracee_thread *thread;
	const struct image *images; /* `count` of them */
	size_t count;
};

/* A step in the evaluation of a condition. */
struct condition_event {
	enum condition_step {
		CONDITION_BEGINS, /* for the held thread `thread` */
		CONDITION_READS,  /* reads `n` bytes; `bytes` is NULL if that failed */
		CONDITION_CALLS,  /* calls a function of the program */
		CONDITION_LOOKS,  /* asks for the state of `thread` */
	} step;
	const struct run_thread *thread;
	struct run_process *process;
	uint64_t address;
	const void *bytes;
	size_t n;
};

/* Questions to observers when nothing has happened for a while. */
enum stuck_question {
	STUCK_AWAITED, /* true: a thread that may release others is still being examined */
	STUCK_JUDGED,  /* true: *answer says whether any thread can move */
	STUCK_QUIET,   /* true: only the outside could move a thread, and has been silent */
	STUCK_STALE,   /* true: memory that conditions have read has just changed */
	STUCK_FREED,   /* true: the observer has released a thread */
	STUCK_EXCUSED, /* true: that no thread will ever move is no verdict */
};

/* The reason why a run is about to end. */
enum end_reason {
	END_INTERRUPT, /* `detail`: the signal sent to gatectl */
	END_LATE,      /* `detail`: microseconds since the time limit */
};

/* Functions called during a run, in the order of the list. Each may be NULL. If one returns true,
   it has handled the event: the remaining observers are not called. */
struct observer {
	/* ---- before the program is started ---- */
	void (*begin)(struct run *s); /* the engine exists and is empty */
	/* The scripts are loaded. Returns -1 with *err set if one asks for the impossible. */
	int (*loaded)(struct run *s, struct error *err);
	/* May change `how`. Returns -1 with *err set if the program cannot be started like this. */
	int (*launch)(struct run *s, struct tracee_launch *how, struct error *err);

	/* ---- processes and threads ---- */
	/* An exec; the new image is not known yet. Returns true if the process execs again at once,
	   so that this event is ignored. */
	bool (*exec_again)(struct run *s, struct run_process *p, struct tracee_thread *t);
	/* Returns true if libraries of the process matter although the script has no places. */
	bool (*needs_libraries)(struct run *s, const struct run_process *p);
	/* Only this thread is left after an exec; the new image is not known yet. */
	void (*exec)(struct run *s, struct run_thread *t, bool first);
	/* Returns 0, or -1 with *err set if something was not found. */
	int (*modules)(struct run *s, const struct modules_seen *m, struct error *err);
	/* `child` has no thread yet; NULL: the child is not traced. */
	void (*fork)(struct run *s, struct run_thread *t, struct run_process *child);
	/* `name`: presumed start routine of a new thread. Returns true if its creator passed
	   another one, stored in *routine and *argument. */
	bool (*start)(struct run *s, struct run_thread *creator, const char *name,
		      uint64_t *routine, uint64_t *argument);
	void (*thread_new)(struct run *s, struct run_thread *t);
	/* The thread has exited, or (`renamed`) has survived an exec and gets another id. */
	void (*thread_over)(struct run *s, struct run_thread *t, bool renamed);
	/* Returns the function that a thread with a trampoline as start routine runs, or NULL. */
	const char *(*runs)(struct run *s, struct run_thread *t);
	void (*process_gone)(struct run *s, struct run_process *p, int status);
	/* A signal is delivered, ends the process or is ignored. True: no place sees it. */
	bool (*signal)(struct run *s, struct run_thread *t, int signal);
	/* Called after `signal`, unless that returned true. True: no place sees the signal. */
	bool (*crash)(struct run *s, struct run_thread *t);
	/* Called last: places have seen the signal, unless an observer returned true. */
	void (*signal_over)(struct run *s, struct run_thread *t);
	/* A stopped thread is about to resume. True: the observer resumes or keeps it. */
	bool (*goes)(struct run *s, struct run_thread *t);
	/* CALL, CALLED, SLEEP or SLEPT. True: the observer handles the thread. */
	bool (*call)(struct run *s, const struct tracee_event *ev);

	/* ---- places ---- */
	void (*found)(struct run *s, const struct found *f);
	/* The place is retired. True: an elision of it is under way. NULL: any place. */
	bool (*busy)(struct run *s, const struct place *place);
	/* A thread is at the place, intended for it or not; the engine is told next. NULL: the
	   thread waits, in the kernel or before its call, and no thread runs (scheduler). */
	void (*comes)(struct run *s, struct run_thread *t, struct place *place);
	/* The engine has recorded the arrival. */
	void (*arrival)(struct run *s, struct run_thread *t, struct place *place);
	/* `arrivals` without consequence were decided inside the program; `others`: by threads that
	   the place is not meant for. */
	void (*passed)(struct run *s, struct place *place, unsigned long arrivals, bool others);
	/* The decision is about to be carried out; a RELEASE may just have been, see
	   apply_releases(). */
	void (*decision)(struct run *s, const struct decision *d);
	/* All decisions are carried out. True: conditions have to be asked again. */
	bool (*decided)(struct run *s);
	void (*condition)(struct run *s, const struct condition_event *ev);

	/* ---- time ---- */
	void (*tick)(struct run *s); /* every tick, until the run is over */
	/* Every TICKS_MS, after the check for a deadlock. `quiet`: no event since the last one. */
	void (*slow_tick)(struct run *s, uint64_t now, bool quiet);
	bool (*stuck)(struct run *s, enum stuck_question question, enum waits_answer *answer);
	/* The run is about to end. True: it goes on. */
	bool (*ends)(struct run *s, enum end_reason reason, double detail);
	void (*end)(struct run *s); /* the run ends, and the program still exists */
	/* All processes have ended; the verdict is not known yet. */
	void (*outcome)(struct run *s);
	/* `failed`: the error that prevented the run, and all there is to report; else NULL. */
	void (*judged)(struct run *s, struct run_result *out, const struct error *failed);
	/* Adds members to the JSON record of the run, which may be written before the end, too. */
	void (*record)(struct run *s, struct json *j);
};

/* The parts of a run that are features; each list ends with NULL. */
struct features {
	const struct observer *const *observers;
	const struct site_placer *const *placers; /* the first that wants a site sets it */
};

/* Calls `modules` of the observers, without images. Returns 0, or -1 with *err set. */
int observe_modules(struct run *s, enum modules_stage stage, struct run_process *p,
		    struct tracee_thread *t, struct error *err);
void observers_set(struct run *s, const struct features *features); /* NULL: no observers */

/* Returns the observers that implement this function (an index), then NULL. */
const struct observer *const *run_observers(const struct run *s, size_t function);
#define observers_of(what, s)                                                                      \
	run_observers(s, offsetof(struct observer, what) / sizeof(void (*)(void)))

/* Calls the function of each observer that implements it: observe(arrival, s, t, place) */
#define observe(what, s, ...)                                                                      \
	do {                                                                                       \
		for (const struct observer *const *o_ = observers_of(what, s); *o_; o_++)          \
			(*o_)->what((s)__VA_OPT__(, ) __VA_ARGS__);                                \
	} while (0)

/* Calls observers until one returns true or -1, which the variable `taken` receives. */
#define observe_until(taken, what, s, ...)                                                         \
	do {                                                                                       \
		for (const struct observer *const *o_ = observers_of(what, s); *o_ && !(taken);    \
		     o_++)                                                                         \
			(taken) = (*o_)->what((s)__VA_OPT__(, ) __VA_ARGS__);                      \
	} while (0)

/* ---- a run ----------------------------------------------------------------------------------- */

const struct run_options *run_options(const struct run *s);	   /* as passed to run_new() */
unsigned long run_number(const struct run *s);			   /* from 1 */
struct modules *run_symbols(const struct run *s);		   /* shared by several runs */
struct tracee *run_tracee(const struct run *s);			   /* NULL: no process yet */
struct engine *run_engine(const struct run *s);			   /* NULL before run_prepare() */
struct script *run_scripts(const struct run *s);		   /* NULL before run_prepare() */
struct convert_record *run_record(const struct run *s);		   /* of sleeps; or NULL */
void run_set_record(struct run *s, struct convert_record *record); /* before the program starts */
struct plan *run_plan(const struct run *s); /* settings of the scripts, except places */
double run_gate_limit(const struct run *s); /* seconds; 0: for ever */
double run_time_limit(const struct run *s); /* the same, of the whole run */
/* Per-feature data; see kept_make(). */
const struct kept_list *run_kept(const struct run *s);

/* The first process of the program; NULL: not started yet. */
struct run_process *run_root(const struct run *s);
uint64_t run_start_us(const struct run *s);   /* start of the program, by run_now_us() */
uint64_t run_elapsed_us(const struct run *s); /* since run_start_us() */
bool run_is_settled(const struct run *s);     /* the program's initial libraries are known */
bool run_has_places(const struct run *s);     /* of kind LOCATION, THROW, EXIT or LOAD */
/* Child processes are not traced, or existed before attach. */
bool run_has_untraced_children(const struct run *s);
/* The i-th object of the program whose file cannot be opened, or NULL after the last. */
const char *run_unreadable(const struct run *s, size_t i);
/* Number of events so far. Memory that was read may have changed after each. */
unsigned long run_turns(const struct run *s);
unsigned run_tick_ms(const struct run *s); /* current interval of ticks */

/* End of the run so far. Features add to it, even for a const run. */
struct outcome *run_outcome(const struct run *s);
struct error *run_error(const struct run *s); /* the script's fault; features may set it */
bool run_is_over(const struct run *s);	      /* the verdict is reached */
bool run_root_ended(const struct run *s);     /* the program's first process has ended */
int run_interrupted(const struct run *s);     /* the signal sent to gatectl, or 0 */
int run_killed_by(const struct run *s);	      /* the signal of a :kill verb, or 0 */
/* The longest time that a thread was held at the gate, in milliseconds. */
double run_held_max_ms(const struct run *s, const struct gate *g);
/* The thread that the gate limit was exceeded for, or NULL. */
struct run_thread *run_culprit(const struct run *s);
/* True once each thread's wait is described, for the deadlock that was found. */
bool run_is_explained(const struct run *s);
void run_set_explained(struct run *s, bool explained); /* see run_is_explained() */

/* Reaches the verdict now. The program is killed, unless gatectl attached to it. */
void run_end(struct run *s);
/* Reaches the verdict with an error; the first one counts. */
void run_fault(struct run *s, const struct error *err);
uint64_t run_now_us(void); /* of CLOCK_MONOTONIC */
/* Resumes the thread, unless an observer keeps it. */
void run_go(struct run *s, struct run_thread *t);
/* Reaches the verdict now, and detaches from the program. */
void run_let_go(struct run *s);
/* More runs follow: a signal to gatectl counts even after the verdict. */
void run_more_follow(struct run *s);
void run_set_interrupted(struct run *s, int signal); /* see run_interrupted() */

/* Places may be added later, in any module. */
void run_expect_places(struct run *s);
void run_expect_loads(struct run *s); /* also in libraries loaded by dlopen */

/* ---- deciders other than the engine ---------------------------------------------------------- */

/* A user steers the run: a deadlock is no verdict, limits and Ctrl-C are the user's. */
bool run_is_attended(const struct run *s);
/* Attached without anything to wait for: only what the threads wait for is reported. */
bool run_only_looks(const struct run *s);
bool run_has_looked(const struct run *s); /* attached for as long as finding a deadlock takes */
void run_attend(struct run *s);		  /* makes the run attended */
bool run_is_halted(const struct run *s);  /* no thread may be resumed */
void run_set_halted(struct run *s, bool halted); /* see run_is_halted() */
bool run_is_driven(const struct run *s);	 /* the scheduler decides which thread runs */
void run_set_driven(struct run *s, bool driven); /* see run_is_driven() */
/* The thread that resumes at the end of the turn, or NULL. */
const struct run_thread *run_goes_last(const struct run *s);
struct run_thread *run_asker(const struct run *s); /* whose condition is being asked, or NULL */
/* Sets the thread whose condition is being asked. Returns the previous one. */
struct run_thread *run_set_asker(struct run *s, struct run_thread *t);
/* True: memory that conditions have read is polled, not watched; each arrival matters. */
void run_set_polls(struct run *s, bool looks);

/* ---- as time passes -------------------------------------------------------------------------- */

enum { TICKS_MS = 20 };
/* Sets the interval of ticks, in ms, that `who` (any unique address) needs; 0: TICKS_MS. */
void ticks_wish(struct run *s, const void *who, unsigned ms);
/* Counts an event of the program since the last slow tick. */
void run_note_event(struct run *s);
bool run_has_events(const struct run *s);	 /* since the last slow tick */
enum waits_answer run_rest(const struct run *s); /* result of the last check for a deadlock */
/* The number of successive slow ticks without events other than signals. */
unsigned run_quiet_ticks(const struct run *s);
void run_end_quiet(struct run *s); /* sets run_quiet_ticks() to 0 */
/* The program goes on: the last check for a deadlock is void. */
void run_goes_on(struct run *s);

/* ---- processes ------------------------------------------------------------------------------- */

/* The process created after `p`, or the first one for NULL. Returns NULL after the last. */
struct run_process *run_process_next(const struct run *s, const struct run_process *p);
#define run_each_process(p, s) for (struct run_process *p = NULL; (p = run_process_next(s, p));)

struct run *run_of(const struct run_process *p);			/* the run of the process */
const struct kept_list *run_process_kept(const struct run_process *p);	/* see kept_make() */
struct tracee_process *run_process_tracee(const struct run_process *p); /* NULL: has ended */
bool run_process_lives(const struct run_process *p);			/* until it has ended */
int run_process_pid(const struct run_process *p);	     /* stays valid after its end */
int run_process_parent_pid(const struct run_process *p);     /* 0: the first process */
const char *run_process_prefix(const struct run_process *p); /* "" or "p1/" */
/* The process as inspect sees it. */
const struct dwarf_program *run_process_program(const struct run_process *p);
/* The loaded modules, the executable first. */
const struct module_list *run_process_images(const struct run_process *p);
struct module *run_process_exe(const struct run_process *p);	/* NULL: no readable file */
struct module *run_process_loader(const struct run_process *p); /* ld.so, or NULL: static */
uint64_t run_process_loader_base(const struct run_process *p);	/* address of ld.so, or 0 */
/* Marks malloc and pthread_create of the process as a sanitizer's. */
void run_process_set_sanitized(struct run_process *p);
/* Text about where a thread was held when it died, or NULL. */
const char *run_process_lost(const struct run_process *p);

/* ---- threads --------------------------------------------------------------------------------- */

size_t run_thread_count(const struct run *s); /* of all threads, exited ones included */
/* Threads in order of creation, exited ones included. Returns NULL after the last. */
struct run_thread *run_thread_at(const struct run *s, size_t index);
/* The thread created after `t`, or the first one for NULL. Returns NULL after the last. */
struct run_thread *run_thread_next(const struct run *s, const struct run_thread *t);
#define run_each_thread(t, s) for (struct run_thread *t = NULL; (t = run_thread_next(s, t));)

size_t run_thread_index(const struct run_thread *t);		     /* in order of creation */
const char *run_thread_id(const struct run_thread *t);		     /* "worker#1" */
struct engine_thread *run_thread_engine(const struct run_thread *t); /* never NULL */
struct run_process *run_process_of(const struct run_thread *t);	     /* never NULL */
const struct kept_list *run_thread_kept(const struct run_thread *t); /* see kept_make() */
struct tracee_thread *run_thread_tracee(const struct run_thread *t); /* NULL: has exited */
bool run_thread_lives(const struct run_thread *t);		     /* until it has exited */
bool run_thread_is_first(const struct run_thread *t);		     /* of its process */
const char *run_thread_name(const struct run_thread *t);  /* when last read, see threads_name() */
const char *run_thread_state(const struct run_thread *t); /* when last noted: "held", ... */
/* The start routine that libc calls; 0: unknown. */
uint64_t run_thread_routine(const struct run_thread *t);
uint64_t run_thread_block(const struct run_thread *t); /* glibc's struct pthread, or 0 */
/* Reads memory of the process. Returns 0, or -1. */
int run_thread_read(const struct run_thread *t, uint64_t address, void *out, size_t n);
/* Writes memory of the process. Returns 0, or -1. */
int run_thread_write(const struct run_thread *t, uint64_t address, const void *bytes, size_t n);

bool run_thread_is_held(const struct run_thread *t); /* at a gate or in a function of the script */
/* The place and gate that hold the thread, or held it last. */
const struct engine_hold *run_thread_hold(const struct run_thread *t);
bool run_thread_is_lost(const struct run_thread *t); /* died while held */
/* The position of the last arrival or crash, for the verdict. */
const struct arrival_spot *run_thread_spot(const struct run_thread *t);
void run_thread_set_spot(struct run_thread *t, const struct arrival_spot *spot); /* copied */
/* RETURN or a later kind, if a place of the last arrival stands at such a site; else 0. */
enum source_site_kind run_thread_stands_at(const struct run_thread *t);
/* True if the signal that the thread is stopped for will end the process. */
bool run_thread_crashes(const struct run_thread *t);
void run_thread_set_crashes(struct run_thread *t, bool crashes); /* see run_thread_crashes() */

/* A user keeps the thread stopped (interactive/) when other threads are resumed. */
enum run_parked {
	NOT_PARKED,
	PARKED,
	PARKED_STAYS, /* until all threads go on, since it has reached its target */
};
enum run_parked run_thread_parked(const struct run_thread *t);	 /* whether a user keeps it */
void run_thread_park(struct run_thread *t, enum run_parked how); /* see run_thread_parked() */
/* True if the thread is stopped only because all are halted, or it is parked. */
bool run_thread_is_paused(const struct run_thread *t);
void run_thread_pause(struct run_thread *t);		      /* the caller keeps it stopped */
void run_thread_unpause(struct run *s, struct run_thread *t); /* resumes the thread */
/* The thread has reached its target; `scope` becomes its calls_scope(). */
void run_thread_sent(struct run_thread *t, uint64_t scope);

/* ---- places ---------------------------------------------------------------------------------- */

/* A trap that serves a place. */
struct placed {
	struct run_process *process;
	struct tracee_site *site;
};
struct placed_list {
	struct placed *items;
	size_t count, capacity;
};
struct sites_list {
	struct source_sites **items;
	size_t count, capacity;
};

const struct kept_list *run_place_kept(const struct run_place *p); /* see kept_make() */
/* The parsed location; only of a place of kind PLACE_LOCATION. */
const struct location *run_place_location(const struct run_place *p);
/* True if the location names an object and was found in none. */
bool run_place_lacks_object(const struct run_place *p);
/* The nearest match in the object that the location names, or why its line has no code; or NULL. */
const char *run_place_nearest(const struct run_place *p);
/* Distinct addresses in the first image in which the place was found. */
size_t run_place_sites(const struct run_place *p);
const struct sites_list *run_place_results(const struct run_place *p); /* sites in all images */
/* Adds sites, which the place then owns. */
void run_place_add_result(struct run_place *p, struct source_sites *sites);
const struct placed_list *run_place_placed(const struct run_place *p); /* traps, in all processes */
bool run_place_ended(const struct run_place *p); /* retired, and no elision of it is under way */

/* ---- C expressions of scripts: at(LOCATION, { when = "EXPR" }) and :when "EXPR" -------------- */

/* Parses the expressions of the place. Returns 0, or -1 with *err set: location, column, fault. */
int conditions_parse(const struct place *place, struct error *err);
/* Checks the names of the expressions at each site of the place. Returns 0, or -1 with *err set. */
int conditions_check(struct run_process *p, const struct place *place,
		     const struct source_sites *sites, struct error *err);
/* Evaluates a condition, for struct engine_world; `ctx` is the run. */
enum engine_answer conditions_ask(void *ctx, const char *expression, const struct arrival *a,
				  bool again, struct error *err);

#endif
