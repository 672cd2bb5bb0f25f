/*
 * Inside session. One file, one idea:
 *
 *	session.c    a run from launch to verdict; the dispatch of events
 *	images.c     which modules a process has, and where they are loaded
 *	places.c     places of the script <-> sites in processes
 *	arrivals.c   a site hit or an event becomes an arrival at places
 *	after.c      `after = true`: when has the statement been executed?
 *	apply.c      the engine's decisions are carried out
 *	threads.c    the ids of threads and processes
 *	start.c      the start routine of a thread
 *	program.c    what a script asks of the program: variables, frames, expressions, calls
 *	pages.c      the program's memory as conditions see it
 *	tls.c        where a thread's thread-local variables are
 *	depend.c     shut conditions are asked again when what they have read changes
 *	watch.c      threads that are to be reported once they block in the kernel
 *	stuck.c      can anybody still move? who waits for whom
 *	waiting.c    what each thread does or waits for, for words and reports
 *	caller.c     where in the tester's code a thread is that is not held
 *	timeline.c   what happened, in order
 *	hints.c      who opens a gate, what came nearest to a place
 *	explain.c    the verdict in words
 *	report.c     the JSON record
 *	capture.c    the program's output, where an expect asks for it
 */
#ifndef GATECTL_SESSION_INTERNAL_H
#define GATECTL_SESSION_INTERNAL_H

#include "gates/waits.h"
#include "lua/script.h"
#include "tracer/session/session.h"
#include "tracer/symbols/state.h"
#include "tracer/target/target.h"

/* ---- images --------------------------------------------------------------------------------- */

struct image {
	struct module *module;
	uint64_t bias;
	uint64_t link; /* its struct link_map in the program, 0 unknown */
	bool seen;     /* while the list is compared with the program's */
};

/* How many threads of a process began in this start routine. */
struct ordinal {
	char *start;
	unsigned count;
};

enum { PAGE_BYTES = 4096, PAGES = 4 };

/* pages.c: a page as it was in this turn */
struct page {
	uint64_t base;
	unsigned long turn; /* 0: nothing */
	uint8_t bytes[PAGE_BYTES];
};

struct session_process {
	struct session *session;
	struct target_process *target;	/* NULL once it is gone */
	struct symbols_program program; /* itself, for symbols */
	struct page pages[PAGES];
	unsigned page_next;
	struct target_watch watches[TARGET_WATCHES]; /* depend.c: what is set now */
	size_t watch_count;
	unsigned rewatched; /* how often they became others since nobody was asked here */
	char *prefix;	    /* "" or "p1/" */
	int pid;
	int parent_pid;
	ARRAY(struct image) images;
	struct module *exe;    /* NULL: its file is none that we can read */
	struct module *loader; /* ld.so, or NULL: static */
	uint64_t loader_base;
	struct target_site *load_site; /* trap at _dl_debug_state, or NULL */
	bool settled;		       /* the libraries it starts with are loaded */
	ARRAY(struct ordinal) ordinals;
	ARRAY(char *) lost_held; /* threads that died while held: at what, in words */
};

/* ---- sites ---------------------------------------------------------------------------------- */

enum act_kind {
	ACT_ARRIVE,
	ACT_AFTER_BEGIN, /* the statement begins; its exits are ACT_AFTER_END */
	ACT_AFTER_END,
	ACT_CALL_BEGIN, /* the first instruction of a function; the return address gets ACT_CALL_END */
	ACT_CALL_END,
	ACT_SYSCALL, /* syscall(3): an arrival if it is exit_group that is called */
	ACT_LOADER,  /* _dl_debug_state */
};

/* What a hit of a site means for one place. */
struct act {
	enum act_kind kind;
	struct place *place;
	const struct symbols_site *info; /* NULL for event places */
	uint64_t bias;
};

/* target_site->user; shared with forked children; lives until the session ends. */
struct site_use {
	ARRAY(struct act) acts;
};

/* A trap that serves a place. */
struct placed {
	struct session_process *process;
	struct target_site *site;
};

/* place->user */
enum { PASSERS = 4 };

struct session_place {
	const struct engine_thread *passers[PASSERS]; /* came by, but are not meant by `thread` */
	char *nearest; /* why it is not in the object that was loaded for it; or NULL */
	struct location location;
	bool located; /* `location` is valid */
	bool found;   /* has been found in some image */
	size_t sites; /* distinct addresses in the first image it was found in */
	ARRAY(struct symbols_sites *) results;
	ARRAY(struct placed) placed;
};

/* ---- threads -------------------------------------------------------------------------------- */

struct after_frame {
	const struct place *place;
	const struct symbols_site *info;
	uint64_t bias;
	uint64_t frame; /* canonical frame address */
};

/* Memory that a condition has looked at. */
struct depend_read {
	struct session_process *process;
	uint64_t address;
	uint32_t size;
	uint64_t sum; /* of its bytes, as they were */
};

/* waiting.c: what a thread does when the run ends. Names and files belong to modules. */
struct waiting {
	const char *kind; /* "gate", "mutex", "rwlock", "condition", "semaphore", "barrier", "join",
			     "process", "pipe", "futex", "blocked", "running", "stopped", "exited";
			     NULL: has exited before */
	struct str text;  /* "waits for mutex bob held by teller#2"; without the place */
	char *object;	  /* the gate, or what names the lock in the source; or NULL; owned */
	ARRAY(const struct engine_thread *) on; /* who could end it, as far as known */
	const char *func, *file;		/* where in the tester's code; NULL unknown */
	unsigned line;
	const char *taken_file; /* where its owner took the lock; NULL unknown */
	unsigned taken_line;
	bool held;     /* at a gate, or by a function of the script */
	bool in_cycle; /* part of what the verdict's first line is about */
};

struct session_thread {
	struct engine_thread *engine;
	struct target_thread *target; /* NULL once it is gone */
	struct session_process *process;
	ARRAY(struct after_frame) frames;
	uint64_t held_since; /* us; 0: not held */
	struct engine_hold hold;
	const char *hold_file, *hold_func; /* where it was stopped, for the verdict */
	unsigned hold_line;
	bool watched;
	struct target_block watched_look; /* the last one */
	struct waiting waiting;		  /* at the verdict */
	const char *state;
	enum symbols_site_kind at_return; /* RETURN or TAIL: where it stands; else 0 */
	struct symbols_stack calls;	  /* program.c: of this stop, as far as asked for */
	bool calls_all;			  /* there are no more */
	ARRAY(struct depend_read) reads;  /* of the condition that was asked last */
	bool reads_call;		  /* it has called functions: what they read is not known */
	unsigned names_read;
	char comm[32]; /* its name when it was last asked for */
};

/* ---- timeline ------------------------------------------------------------------------------- */

enum happening {
	HAPPENED_ARRIVAL,
	HAPPENED_HOLD,
	HAPPENED_RELEASE,
	HAPPENED_OPEN,
	HAPPENED_EVENT,
	HAPPENED_LOG,
	HAPPENED_THREAD_START,
	HAPPENED_THREAD_EXIT,
	HAPPENED_FORK,
	HAPPENED_EXEC,
	HAPPENED_SIGNAL,
	HAPPENED_KILL,
};

struct happened {
	unsigned long seq;
	uint64_t t_us; /* since the program was started */
	enum happening what;
	const struct engine_thread *thread; /* or NULL */
	const struct place *place;
	const struct gate *gate;
	char *text;		 /* or NULL; owned */
	const char *file, *func; /* where in the source; NULL unknown; a module owns them */
	unsigned line;
};

enum { TIMELINE_LAST = 20, TIMELINE_MOST = 1000000 };

struct timeline {
	uint64_t start_us;
	unsigned long seq;
	bool keep; /* all of it, for a report; else only the last ones */
	ARRAY(struct happened) all;
	struct happened last[TIMELINE_LAST];
};

/* depend.c */
struct depend {
	bool stale;	    /* conditions were asked: what is watched has to be looked over */
	bool active;	    /* a thread is held by a condition that has read memory */
	bool looks;	    /* by looking alone: too many words, or no debug registers */
	bool refused;	    /* there are no debug registers to be had */
	unsigned period_ms; /* between two looks */
	uint64_t next_us;   /* the next one */
};

struct capture; /* capture.c */

struct session {
	const struct session_options *options;
	struct symbols *symbols;
	struct target *target;
	struct engine *engine;
	struct script *script;
	struct plan plan;
	double gate_limit, time_limit;
	struct timeline timeline;
	ARRAY(struct session_process *) processes;
	ARRAY(struct session_thread *) threads;
	ARRAY(struct site_use *) uses;
	ARRAY(double) held_max; /* by gate index, ms */
	struct session_process *root;
	unsigned long run_number;
	unsigned untraced_children; /* --no-follow */
	unsigned children;	    /* child processes so far */
	bool has_places;   /* of kind LOCATION or THROW or EXIT or LOAD: libraries matter */
	bool loads_matter; /* pending locations or LOAD places: keep the trap in the loader */
	unsigned events;   /* since the last tick */
	unsigned tick_ms;
	uint64_t slow_us;	      /* when limits and deadlocks were looked for last */
	unsigned long turns;	      /* events so far, and other reasons to read memory anew */
	struct session_thread *asker; /* whose condition is being asked, or NULL */
	struct depend depend;
	unsigned watching;
	struct outcome outcome;
	bool explained;	   /* the threads' `why` is that of the deadlock found */
	unsigned doubt;	   /* ticks for which a deadlock is not looked for */
	bool over;	   /* the verdict is reached, the tree is being killed */
	bool root_settled; /* the first image of the program is resolved: later ones may lack places */
	bool root_ended;
	int killed_by; /* a :kill verb's signal */
	int interrupted;
	struct error fault;
	struct session_thread *culprit; /* the thread that a limit or a deadlock is about */
	struct str cycle;		/* the wait-for cycle in words */
	struct capture *out, *errs;
};

/* session.c: the run ends now; what is left is killed. */
void session_end(struct session *s);
void session_fault(struct session *s, const struct error *err);
uint64_t session_now_us(void);
void session_set_tick(struct session *s); /* as often as somebody needs it */

/* images.c */
int images_exec(struct session *s, struct session_process *p, struct target_thread *t,
		struct error *err);
/* The loader is at _dl_debug_state: compares lists; new modules are appended to `loaded`. */
struct module_list {
	struct image *items;
	size_t count, capacity;
};
void images_update(struct session *s, struct session_process *p, struct module_list *loaded,
		   bool *consistent);
struct image *images_at(struct session_process *p, uint64_t address);
/* Like images_at, but reads the program's list again where the address is in no known image. */
struct image *images_find(struct session *s, struct session_process *p, uint64_t address);
void images_copy(struct session_process *to, const struct session_process *from);
void images_explain_refusal(struct symbols *symbols, const char *program, struct error *err);
bool images_is_sanitized(struct symbols *symbols, const char *program);

/* places.c */
int places_prepare(struct session *s, struct error *err); /* parses every location */
int places_settle(struct session *s, struct session_process *p, struct target_thread *t,
		  bool strict, struct error *err);
int places_loaded(struct session *s, struct session_process *p, struct target_thread *t,
		  const struct module_list *loaded, struct error *err);
void places_act(struct site_use *use, const struct act *act); /* adds it in its order */
void places_retire(struct session *s, struct place *place);
struct site_use *places_use(struct session *s, struct session_process *p, struct target_thread *t,
			    uint64_t address, struct target_site **site, struct error *err);
void places_copy(struct session *s, struct session_process *to, struct session_process *from);
void places_forget(struct session *s, struct session_process *p, uint64_t low, uint64_t high);
void places_free(struct session *s);

/* arrivals.c */
void arrivals_site(struct session *s, struct session_thread *t, struct target_site *site);
void arrivals_event(struct session *s, struct session_thread *t, enum place_kind kind, int signal);
void arrivals_load(struct session *s, struct session_thread *t, const struct module_list *loaded);

/* after.c: does the act mean an arrival now? Keeps the thread's frames. */
bool after_act(struct session *s, struct session_thread *t, const struct act *a, uint64_t address,
	       const struct arch_regs *regs);

/* apply.c */
void apply_decisions(struct session *s);
/* The thread is not held any more, or the run ends: for how long was it? */
void apply_note_held(struct session *s, struct session_thread *t);

/* threads.c */
struct session_process *threads_process(struct session *s, struct target_process *p);
struct session_thread *threads_new(struct session *s, struct session_process *p,
				   struct target_thread *t, const char *start);
void threads_gone(struct session *s, struct session_thread *t);
void threads_become_main(struct session *s, struct session_thread *t);
/* Forgets who died while held: it was nobody's fault. */
void threads_forgive(struct session_process *p);
struct session_thread *threads_of(const struct engine_thread *t);
const char *threads_name(void *ctx, const struct engine_thread *t);
const char *threads_state(void *ctx, const struct engine_thread *t);
void threads_free(struct session *s);

/* start.c: the start routine's name; malloc'd, never NULL. */
char *start_routine(struct session *s, struct session_process *p, struct target_thread *t);

/* program.c: the table of functions for scripts; for a process, its own for symbols */
void program_functions(struct session *s, struct script_program *out);
void program_init(struct session_process *p);
/* The thread goes on: its frames are no more. */
void program_forget(struct session_thread *t);

/* pages.c: 0, or -1 */
int pages_read(struct session_process *p, uint64_t address, void *buf, size_t n);
int pages_write(struct session_process *p, uint64_t address, const void *buf, size_t n);
void pages_forget(struct session *s); /* what was read may have changed */

/* tls.c: where the thread's block of the module begins. 0, or -1: not made yet, or none */
int tls_block(struct session_thread *t, const struct module *m, uint64_t *base);

/* depend.c */
void depend_begin(struct session *s, struct session_thread *t); /* its condition is asked now */
void depend_end(struct session *s);
void depend_read(struct session *s, struct session_process *p, uint64_t address, const void *bytes,
		 size_t n);
void depend_called(struct session *s);
void depend_state(struct session *s, const struct session_thread *of); /* running, blocked ... */
void depend_gone(struct session *s, struct session_thread *t);
/* After all decisions: watches what has to be watched now. True: a store has come between what a
   condition has read and the moment from which on it is watched: it has to be asked again. */
bool depend_update(struct session *s);
bool depend_is_asked(const struct session_thread *t); /* held until a function says yes */
/* Just now: has anything that shut conditions have read changed, or can that not be told? */
bool depend_changed(struct session *s);
bool depend_look(struct session *s); /* at a tick: has something changed, without a trap? */
/* How the condition of a held thread is watched, where that is not by debug registers. */
void depend_describe(const struct session *s, const struct session_thread *t, struct str *out);

/* watch.c */
void watch_begin(struct session *s, struct session_thread *t);
void watch_end(struct session *s, struct session_thread *t);
void watch_look(struct session *s);

/* stuck.c: judged from /proc; WAITS_MOVING is the answer where anything is in doubt. */
enum waits_answer stuck_judge(struct session *s);
bool stuck_is_vfork(long number); /* a system call in which a parent waits for its child's exec */
/* What the thread waits for; WAIT_NOT where it can move, or might. */
void stuck_wait_of(struct session *s, struct session_thread *t, const struct target_block *b,
		   struct wait *w);

/* waiting.c */
void waiting_look_all(struct session *s); /* before the tree is killed: what everybody does */
void waiting_sentence(const struct session_thread *t,
		      struct str *out); /* "T waits for ... at F:L" */
void waiting_fini(struct waiting *w);

/* caller.c: func, file and line of a thread that runs or is blocked. It is stopped for a moment
   (target_pause). False: it cannot be told. */
bool caller_find(struct session *s, struct session_thread *t, struct waiting *w);

/* explain.c: a file as it is shown: relative to the working directory where it is below */
const char *shown_path(const char *file);

/* timeline.c */
void timeline_init(struct timeline *tl, bool keep);
void timeline_fini(struct timeline *tl);
void timeline_add(struct session *s, enum happening what, const struct engine_thread *t,
		  const struct place *p, const struct gate *g, const char *text);
const char *timeline_word(enum happening what);
void timeline_line(const struct happened *h, struct str *out);

/* explain.c */
void explain_verdict(struct session *s, enum verdict v, struct str *out);

/* hints.c */
void hints_gates(struct session *s, struct str *out);
void hints_missing(struct session *s, const struct place *p, struct str *out);
void hints_pass_by(struct session_place *place, const struct engine_thread *t);

/* report.c */
void report_json(struct session *s, enum verdict v, int status, struct str *out);

void report_error(struct session *s, const struct error *err, struct str *out);

/* capture.c: a pipe for the program to write to; what comes is passed on to `to_fd` and kept. */
struct capture *capture_new(int to_fd, int *write_fd, struct error *err);
const char *capture_finish(struct capture *c); /* all of it; valid until capture_free */
void capture_free(struct capture *c);

#endif
