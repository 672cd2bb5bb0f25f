/*
 * One run: wires target, source, inspect, gates and lua together.
 *
 *	event (target) -> arrival (gates) -> decisions -> resume (target), and the timeline
 *
 * struct run, run_process, run_thread and run_place are complete in tracer/run alone. What only one
 * feature needs of them is kept by that feature (kept.h).
 *
 * Ownership: the caller owns options and result; run_result_fini frees the strings of a result.
 */
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

/* ---- options and results ---------------------------------------------------------------------- */

/* gatectl prove: one run in which something is left out, or some thread is held back. */
enum trial_way {
	TRIAL_PLAIN,
	TRIAL_EARLY, /* threads that would open the gate are held back from their start on */
	TRIAL_LATE,  /* ... from where they would open it */
};
/* A thread has passed a place of the script, waiting at a gate or opening one, for the first time. */
struct run_pass {
	char *thread; /* its id */
	size_t place; /* index of the place */
	char *text;   /* "writer#1 at q.c:12 (gate full)" */
	bool acts;    /* false: it only opens gates, and these are open */
};
struct run_passes {
	struct run_pass *items;
	size_t count, capacity;
};
struct run_trial {
	const char *about; /* the name of a run_subject, or a gate's alone; NULL: none, or all */
	bool left_out;	   /* ... is left out, or with NULL all that the script does at places; else
			      threads are only held back as `way` says */
	bool show_output;  /* the program's output is passed on; else it is only compared */
	enum trial_way way;
	const char *const *early; /* ids of the threads for TRIAL_EARLY */
	size_t early_count;
	/* Two passes: the first one is held back until the second has come. NULL: none is. */
	const struct run_pass *first, *second;
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
	struct digest_written out, err;
	ARRAY(struct run_subject) subjects;
	struct run_passes passes; /* in this order */
	bool swapped;		  /* run_trial.second came while `first` was held back */
};

/* What becomes of processes that the program leaves behind. */
enum run_leftover {
	LEFTOVER_DEFAULT, /* LEAVE; where a script expects something, or runs are compared: KILL */
	LEFTOVER_KILL,
	LEFTOVER_LEAVE,
	LEFTOVER_WAIT,
};

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
void run_pass_fini(struct run_pass *p);
void run_passes_fini(struct run_passes *p);

/* ---- making a run ---------------------------------------------------------------------------- */

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
 * status. `steered`: a user steers the run at the terminal.
 */
int run_guard(const struct run_options *o, bool steered, int *status, struct error *err);

/* In a child of gatectl that is about to exec: restores the signals that gatectl was started
   with. */
void run_signals_as_found(void);

/* gatectl's exit status for an error: 77, 118, 125, 126 or 127. CTest and Automake know the first. */
enum { RUN_SKIPPED = 77 };
int run_error_status(const struct run_options *o, enum error_code code);
/* The word on the first line for this error: "error", "cannot-trace", "not-as-expected". */
const char *run_error_word(enum error_code code);

/* The parts of a run, for those that make a run of their own (interactive/, search/). */

/* The options and symbols are kept by the caller, who calls run_free(). */
struct run *run_new(const struct run_options *o, struct modules *symbols, unsigned long number);
/* Makes the engine, the script and its places. */
int run_prepare(struct run *s, struct error *err);
/* Starts the program, or attaches to the process of the options. */
int run_launch(struct run *s, struct error *err);
/* The program is a copy of another run's, which was brought to where it is now and kept there
   (tracee_keep). Its only thread, stopped as that is; NULL with the error. The target stays the other run's. */
struct run_thread *run_copy(struct run *s, const struct run *from, struct error *err);
void run_loop(struct run *s); /* to the end */
void run_turn(struct run *s, const struct tracee_event *ev);
void run_judge(struct run *s, struct run_result *out);
void run_free(struct run *s);

/* The program is only looked at: none of its own code runs. */

/* Makes the engine and the scripts. */
int run_probe_load(struct run *s, struct error *err);
/* Starts the program; the libraries that it starts with are known then. */
int run_probe(struct run *s, char *const *argv, char *const *env, struct error *err);

/* ---- what observes a run --------------------------------------------------------------------- */

struct image {
	struct module *module;
	uint64_t bias;
	uint64_t link; /* its struct link_map in the program, 0 unknown */
	bool seen;     /* used while the list is compared with the program's */
};
struct module_list {
	struct image *items;
	size_t count, capacity;
};

/* A location of the script has been found in a process. */
struct found {
	struct run_process *process;
	struct tracee_thread *thread;
	struct place *place;
	const struct source_sites *sites;
	const struct image *images; /* that were searched, `count` of them */
	size_t count;
	bool first; /* it had not been found before */
};

/* What has become known of a process's modules. */
struct modules_seen {
	enum modules_stage {
		MODULES_EXEC,	 /* the executable, and traps in it; no library yet */
		MODULES_SETTLED, /* the libraries that it starts with; places are resolved next */
		MODULES_PLACED,	 /* ... places are resolved, in the program's first image */
		MODULES_OPENED,	 /* `images`, by dlopen; only after run_expect_loads() */
	} stage;
	struct run_process *process;
	struct tracee_thread *thread;
	const struct image *images; /* `count` of them */
	size_t count;
};

/* A condition is asked. */
struct condition_event {
	enum condition_step {
		CONDITION_BEGINS, /* of the held thread `thread` */
		CONDITION_READS,  /* `n` bytes; `bytes` is NULL if they cannot be read */
		CONDITION_CALLS,  /* a function */
		CONDITION_LOOKS,  /* at `thread` */
	} step;
	const struct run_thread *thread;
	struct run_process *process;
	uint64_t address;
	const void *bytes;
	size_t n;
};

/* Questions to those who take part, when nothing has happened for a while. */
enum stuck_question {
	STUCK_AWAITED, /* is a thread that may release others still being looked at? */
	STUCK_JUDGED,  /* can any thread move? Yes: *answer is set */
	STUCK_QUIET, /* only what comes from outside could move one; has nothing come for a while? */
	STUCK_STALE,   /* no thread can; has what a condition has read just changed? */
	STUCK_FREED,   /* is some thread released now? */
	STUCK_EXCUSED, /* none ever will be, it seems; is that no verdict? */
};

/* Why a run is about to end. */
enum end_reason {
	END_INTERRUPT, /* `detail`: the signal sent to gatectl */
	END_LATE,      /* `detail`: microseconds since the time limit */
};

/*
 * Functions called during a run. Each may be NULL; they are called in the order of the list. A
 * function that returns true has taken care of the matter: those after it are not asked.
 */
struct observer {
	/* ---- before the program is started ---- */
	void (*begin)(struct run *s); /* the engine exists and is empty */
	/* The scripts are loaded. 0, or -1: what they ask for is not possible. */
	int (*loaded)(struct run *s, struct error *err);
	/* 0, or -1: the program cannot be started like this. */
	int (*launch)(struct run *s, struct tracee_launch *how, struct error *err);

	/* ---- processes and threads ---- */
	/* At an exec, before anything is known. True: the process execs again at once, so ignore
	   this one. */
	bool (*exec_again)(struct run *s, struct run_process *p, struct tracee_thread *t);
	/* Do its libraries have to be noticed even if the script has no places? */
	bool (*needs_libraries)(struct run *s, const struct run_process *p);
	/* An exec has left only this thread; nothing is known of the new image yet. */
	void (*exec)(struct run *s, struct run_thread *t, bool first);
	/* 0, or -1: something was not found. */
	int (*modules)(struct run *s, const struct modules_seen *m, struct error *err);
	/* `child` has no thread yet. NULL: it is not followed. */
	void (*fork)(struct run *s, struct run_thread *t, struct run_process *child);
	/* A new thread's start routine seems to be `name`. True: its creator passed another one, in
	   *routine and *argument. */
	bool (*start)(struct run *s, struct run_thread *creator, const char *name,
		      uint64_t *routine, uint64_t *argument);
	void (*thread_new)(struct run *s, struct run_thread *t);
	/* The thread has ended; or, `renamed`, is the only one after an exec, under another name. */
	void (*thread_over)(struct run *s, struct run_thread *t, bool renamed);
	/* What does a thread whose start routine is a trampoline run? NULL: not known. */
	const char *(*runs)(struct run *s, struct run_thread *t);
	void (*process_gone)(struct run *s, struct run_process *p, int status);
	/* A signal is about to be delivered, or to end the process. True: do not ask the script. */
	bool (*signal)(struct run *s, struct run_thread *t, int signal);
	bool (*crash)(struct run *s, struct run_thread *t);
	/* ... the script has been asked. */
	void (*signal_over)(struct run *s, struct run_thread *t);
	/* A stopped thread goes on. True: the observer has let it go. */
	bool (*goes)(struct run *s, struct run_thread *t);
	/* CALL, CALLED, SLEEP or SLEPT. True: the observer deals with the thread. */
	bool (*call)(struct run *s, const struct tracee_event *ev);

	/* ---- places ---- */
	void (*found)(struct run *s, const struct found *f);
	/* The place is retired. True: something of it is still under way. NULL: of any place? */
	bool (*busy)(struct run *s, const struct place *place);
	/* A thread is at the place, meant by it or not; the engine is told next. NULL: the thread
	   waits, in the kernel or before its call, and no thread runs (scheduler). */
	void (*comes)(struct run *s, struct run_thread *t, struct place *place);
	/* ... the engine has been told. */
	void (*arrival)(struct run *s, struct run_thread *t, struct place *place);
	/* So many arrivals that had no consequence were decided inside the program; `others`: of
	   threads that the place is not meant for. */
	void (*passed)(struct run *s, struct place *place, unsigned long arrivals, bool others);
	/* The engine has decided this; it is about to be carried out, or (a RELEASE, see
	   apply_releases()) just was. */
	void (*decision)(struct run *s, const struct decision *d);
	/* All decisions are carried out. True: a condition has to be asked again. */
	bool (*decided)(struct run *s);
	void (*condition)(struct run *s, const struct condition_event *ev);

	/* ---- time ---- */
	void (*tick)(struct run *s); /* every tick; if the run ends at one, that is the last */
	/* Every TICKS_MS, after the check whether a thread can move. `quiet`: nothing has happened
	   since the last one. */
	void (*slow_tick)(struct run *s, uint64_t now, bool quiet);
	bool (*stuck)(struct run *s, enum stuck_question question, enum waits_answer *answer);
	/* True: the run goes on. */
	bool (*ends)(struct run *s, enum end_reason reason, double detail);
	void (*end)(struct run *s); /* the verdict is reached; everything is still there */
	/* Everything has ended; the verdict is not known yet. */
	void (*outcome)(struct run *s);
	/* `failed`: there was no run, and this is all there is to report; else NULL. */
	void (*judged)(struct run *s, struct run_result *out, const struct error *failed);
};

/* Everything that takes part in a run; each list ends with NULL. */
struct features {
	const struct observer *const *observers;
	const struct site_placer *const *placers; /* the first that wants a site sets it */
};

int observe_modules(struct run *s, enum modules_stage stage, struct run_process *p,
		    struct tracee_thread *t, struct error *err);
void observers_set(struct run *s, const struct features *features); /* NULL: nobody */

/* Those that have this function of an observer, then NULL, so that nobody is called in vain. */
const struct observer *const *run_observers(const struct run *s, size_t function);
#define observers_of(what, s)                                                                      \
	run_observers(s, offsetof(struct observer, what) / sizeof(void (*)(void)))

/* Calls the function of each observer that has one: observe(arrival, s, t, place) */
#define observe(what, s, ...)                                                                      \
	do {                                                                                       \
		for (const struct observer *const *o_ = observers_of(what, s); *o_; o_++)          \
			(*o_)->what((s)__VA_OPT__(, ) __VA_ARGS__);                                \
	} while (0)

/* The same until one returns true or -1; the variable `taken` gets that. */
#define observe_until(taken, what, s, ...)                                                         \
	do {                                                                                       \
		for (const struct observer *const *o_ = observers_of(what, s); *o_ && !(taken);    \
		     o_++)                                                                         \
			(taken) = (*o_)->what((s)__VA_OPT__(, ) __VA_ARGS__);                      \
	} while (0)

/* ---- a run -------------------------------------------------------------------------------------- */

const struct run_options *run_options(const struct run *s);
unsigned long run_number(const struct run *s); /* from 1 */
struct modules *run_symbols(const struct run *s);
struct tracee *run_tracee(const struct run *s);
struct engine *run_engine(const struct run *s);
struct script *run_scripts(const struct run *s);
struct plan *run_plan(const struct run *s); /* what the scripts say beside their places */
double run_gate_limit(const struct run *s); /* seconds; 0: for ever */
double run_time_limit(const struct run *s);
/* Data of features; see kept_make(). */
const struct kept_list *run_kept(const struct run *s);

struct run_process *run_root(const struct run *s); /* the program; NULL: not started yet */
uint64_t run_start_us(const struct run *s);	   /* of the program, as run_now_us() */
uint64_t run_elapsed_us(const struct run *s);	   /* since the start */
bool run_is_settled(const struct run *s);	   /* the program's libraries are known */
bool run_has_places(const struct run *s);	   /* of kind LOCATION, THROW, EXIT or LOAD */
/* Child processes are not traced, or were there before attach. */
bool run_has_untraced_children(const struct run *s);
/* The i-th object of the program whose file cannot be opened from here; NULL: there are not so many. */
const char *run_unreadable(const struct run *s, size_t i);
/* Events so far. Memory that was read may have changed after each. */
unsigned long run_turns(const struct run *s);
unsigned run_tick_ms(const struct run *s);

/* How the run ends, and the fault of a script. Features add to both, also of a const run. */
struct outcome *run_outcome(const struct run *s);
struct error *run_error(const struct run *s);
bool run_is_over(const struct run *s); /* the verdict is reached */
bool run_root_ended(const struct run *s);
int run_interrupted(const struct run *s); /* the signal to gatectl; or 0 */
int run_killed_by(const struct run *s);	  /* the signal of a :kill verb; or 0 */
/* The longest time that a thread was held at the gate. */
double run_held_max_ms(const struct run *s, const struct gate *g);
/* The thread that the gate limit is about, or NULL. */
struct run_thread *run_culprit(const struct run *s);
/* The wait of each thread is described, for the deadlock that was found. */
bool run_is_explained(const struct run *s);
void run_set_explained(struct run *s, bool explained);

/* The run ends now; what is left of the program is killed. */
void run_end(struct run *s);
void run_fault(struct run *s, const struct error *err);
uint64_t run_now_us(void);
/* The thread goes on, unless somebody keeps it. */
void run_go(struct run *s, struct run_thread *t);
/* The run ends now; the program goes on without gatectl. */
void run_let_go(struct run *s);
/* More runs follow: a signal to gatectl counts even after the verdict. */
void run_more_follow(struct run *s);
void run_set_interrupted(struct run *s, int signal);

/* Places may be added later, in any module; or in libraries that dlopen loads, too. */
void run_expect_places(struct run *s);
void run_expect_loads(struct run *s);

/* ---- who decides beside the engine -------------------------------------------------------------- */

/* A user looks on: rest is no verdict, limits and Ctrl-C are the user's. */
bool run_is_attended(const struct run *s);
/* Attached without a script, or with one that asks nothing: what do the threads wait for? */
bool run_only_looks(const struct run *s);
void run_attend(struct run *s);
bool run_is_halted(const struct run *s); /* no thread may go on */
void run_set_halted(struct run *s, bool halted);
bool run_is_driven(const struct run *s); /* the scheduler decides which thread runs */
void run_set_driven(struct run *s, bool driven);
/* The thread that resumes at the end of the turn, or NULL. */
const struct run_thread *run_goes_last(const struct run *s);
/* The thread whose condition is being asked, or NULL. _set: returns the one before. */
struct run_thread *run_asker(const struct run *s);
struct run_thread *run_set_asker(struct run *s, struct run_thread *t);
/* What conditions have read is not watched, but looked at now and then: each arrival counts. */
void run_set_polls(struct run *s, bool looks);

/* ---- as time passes ----------------------------------------------------------------------------- */

enum { TICKS_MS = 20 };
/* `who` (any address that is its own) wants a tick every `ms`; 0: no more. */
void ticks_wish(struct run *s, const void *who, unsigned ms);
/* Counts as an event of the program, since the last tick. */
void run_note_event(struct run *s);
bool run_has_events(const struct run *s);
enum waits_answer run_rest(const struct run *s); /* of the last check for a deadlock */
/* Slow ticks in a row in which nothing has happened but signals; _end_quiet counts from 0 again. */
unsigned run_quiet_ticks(const struct run *s);
void run_end_quiet(struct run *s);
/* The program goes on: whether it rests is not known. */
void run_goes_on(struct run *s);

/* ---- processes ---------------------------------------------------------------------------------- */

/* The process created after `p`, or the first one for NULL. Returns NULL after the last. */
struct run_process *run_process_next(const struct run *s, const struct run_process *p);
#define run_each_process(p, s) for (struct run_process *p = NULL; (p = run_process_next(s, p));)

struct run *run_of(const struct run_process *p);
const struct kept_list *run_process_kept(const struct run_process *p);
struct tracee_process *run_process_tracee(const struct run_process *p); /* NULL: has ended */
bool run_process_lives(const struct run_process *p);
int run_process_pid(const struct run_process *p);
int run_process_parent_pid(const struct run_process *p);
const char *run_process_prefix(const struct run_process *p); /* "" or "p1/" */
/* The process as inspect sees it. */
const struct dwarf_program *run_process_program(const struct run_process *p);
const struct module_list *run_process_images(const struct run_process *p);
struct module *run_process_exe(const struct run_process *p);	/* NULL: no file that can be read */
struct module *run_process_loader(const struct run_process *p); /* ld.so, or NULL: static */
uint64_t run_process_loader_base(const struct run_process *p);
/* malloc and pthread_create are a sanitizer's. */
void run_process_set_sanitized(struct run_process *p);
/* Where a thread was held when it died, in words; NULL: no thread was. */
const char *run_process_lost(const struct run_process *p);

/* ---- threads ------------------------------------------------------------------------------------ */

size_t run_thread_count(const struct run *s);
/* Threads in order of creation, those that have exited included. NULL: there are not so many. */
struct run_thread *run_thread_at(const struct run *s, size_t index);
/* The thread created after `t`, or the first one for NULL. Returns NULL after the last. */
struct run_thread *run_thread_next(const struct run *s, const struct run_thread *t);
#define run_each_thread(t, s) for (struct run_thread *t = NULL; (t = run_thread_next(s, t));)

size_t run_thread_index(const struct run_thread *t);
const char *run_thread_id(const struct run_thread *t);
struct engine_thread *run_thread_engine(const struct run_thread *t);
struct run_process *run_process_of(const struct run_thread *t);
const struct kept_list *run_thread_kept(const struct run_thread *t);
struct tracee_thread *run_thread_tracee(const struct run_thread *t); /* NULL: has exited */
bool run_thread_lives(const struct run_thread *t);
bool run_thread_is_first(const struct run_thread *t);	 /* of its process */
const char *run_thread_name(const struct run_thread *t); /* when last read, see threads_name() */
const char *run_thread_state(const struct run_thread *t);
uint64_t run_thread_routine(const struct run_thread *t); /* that libc calls first; 0: unknown */
uint64_t run_thread_block(const struct run_thread *t);	 /* glibc's struct pthread, or 0 */
/* Memory of the process. Returns 0, or -1. */
int run_thread_read(const struct run_thread *t, uint64_t address, void *out, size_t n);
int run_thread_write(const struct run_thread *t, uint64_t address, const void *bytes, size_t n);

bool run_thread_is_held(const struct run_thread *t);
/* The place and gate that hold the thread, or held it last. */
const struct engine_hold *run_thread_hold(const struct run_thread *t);
bool run_thread_is_lost(const struct run_thread *t); /* died while held */
/* The position of the last arrival or crash, for the verdict. */
const struct arrival_spot *run_thread_spot(const struct run_thread *t);
void run_thread_set_spot(struct run_thread *t, const struct arrival_spot *spot);
/* RETURN or a later kind, if one of the places of the last arrival stands at such a site; else 0. */
enum source_site_kind run_thread_stands_at(const struct run_thread *t);
/* The signal that the thread is stopped for will end the process. */
bool run_thread_crashes(const struct run_thread *t);
void run_thread_set_crashes(struct run_thread *t, bool crashes);

/* A user keeps the thread (interactive/): it does not go on with the others. */
enum run_parked {
	NOT_PARKED,
	PARKED,
	PARKED_STAYS, /* ... until all go on, since it got where it was sent */
};
enum run_parked run_thread_parked(const struct run_thread *t);
void run_thread_park(struct run_thread *t, enum run_parked how);
/* A thread that would go on, but everything is halted, or the thread is parked. */
bool run_thread_is_paused(const struct run_thread *t);
void run_thread_pause(struct run_thread *t);
void run_thread_unpause(struct run *s, struct run_thread *t);
/* The thread has got where it was sent; calls_scope() is this scope. */
void run_thread_sent(struct run_thread *t, uint64_t scope);

/* ---- places ------------------------------------------------------------------------------------- */

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

const struct kept_list *run_place_kept(const struct run_place *p);
const struct location *run_place_location(const struct run_place *p);
/* The location names an object, and was found in none. */
bool run_place_lacks_object(const struct run_place *p);
/* The nearest match in the object that the location names; NULL: none, or the place was found. */
const char *run_place_nearest(const struct run_place *p);
/* Distinct addresses in the first image in which the place was found. */
size_t run_place_sites(const struct run_place *p);
const struct sites_list *run_place_results(const struct run_place *p);
void run_place_add_result(struct run_place *p, struct source_sites *sites); /* owned by the place */
const struct placed_list *run_place_placed(const struct run_place *p);
bool run_place_ended(const struct run_place *p); /* retired, and no elision of it is under way */

/* ---- C expressions of scripts: at(LOCATION, { when = "EXPR" }) and :when "EXPR" ----------------- */

/* Parses the expressions of the place. Returns 0, or -1 with *err set: the location, the column and
   what is wrong. */
int conditions_parse(const struct place *place, struct error *err);
/* Checks the names of the expressions at each site of the place in the process. Returns as
   conditions_parse(). */
int conditions_check(struct run_process *p, const struct place *place,
		     const struct source_sites *sites, struct error *err);
/* For struct engine_world; `ctx` is the run. */
enum engine_answer conditions_ask(void *ctx, const char *expression, const struct arrival *a,
				  bool again, struct error *err);

#endif
