/*
 * Inside session. One file, one idea; what belongs together has a room of its own:
 *
 *	deadlock/     can anybody still move? judged from /proc (deadlock.h, channels.h)
 *	explain/     the verdict in words (explain.h), who waits for what (waiting.h), what would have
 *		     had to happen (hints.h)
 *	near_miss/   what came nearest to a place that nobody reached (near_miss.h)
 *	report/	     what happened, in order, and the forms of --report (report.h)
 *	interactive/ a run under somebody's hand: it goes and rests (interactive.h)
 *	convert/     a gate script from a test that sleeps (convert.h)
 *	drift/	     what locations meant when a script was locked (drift.h)
 *	crash/	     a signal ends a process: where, by what, and what the others did (crash.h)
 *
 *	session.c    a run from launch to verdict; the dispatch of events
 *	ticks.c	     time passes: limits, and can anything still happen?
 *	features.c   who takes part in a run: observers and placers, one line each (features.h)
 *	observers.c  ... and who of them is asked when (observers.h)
 *	sites.c      whose a trap is, and what a hit of it means (sites.h)
 *	sanitizer.c  programs built with LeakSanitizer run, too
 *	attach.c     a program that runs already: taken over, and let go
 *	attach_say.c ... and what it waits for, said to whoever waits for it
 *	signals.c    signals to gatectl itself (signals.h)
 *	calls.c	     the calls of a stopped thread (calls.h)
 *	images.c     which modules a process has, and where they are loaded
 *	places.c     places of the script <-> sites in processes
 *	faults.c     the faulty locations of scripts, all of one run (faults.h)
 *	rounds.c     a note where the compiler made one of several rounds of a loop (rounds.h)
 *	arrivals.c   a site hit or an event becomes an arrival at places
 *	completion.c `after = true`: when has the statement been executed?
 *	elide.c	     statements that do not sleep
 *	apply.c	     the engine's decisions are carried out
 *	threads.c    the ids of threads and processes
 *	asbare.c     functions that would show the program that it is traced (asbare.h)
 *	leftover.c   processes that the program leaves behind (leftover.h)
 *	start.c	     the start routine of a thread
 *	trampoline.c ... and what it runs, where that is a trampoline (trampoline.h)
 *	program.c    what a script asks of the program: variables, frames, expressions, calls
 *	pages.c	     the program's memory as conditions see it
 *	tls.c	     where a thread's thread-local variables are
 *	watchpoints.c closed conditions are asked again when what they have read changes
 *	watch.c	     threads that are to be reported once they block in the kernel
 *	given.c	     the program's environment, arguments and input, as a script gives them
 *	ended.c	     what a script expects of the end
 *	status.c     what an error means as an exit status
 *	capture.c    the program's output, where an expect or a trial asks for it
 *	digest.c     ... and whether it is the same in another run
 *	trial.c	     prove: gates are left out of a run, and what came of it (trial.h)
 *	order_log.c  the order of events, compared over several runs
 *	order_roles.c ... where threads that are alike have changed roles (order_roles.h)
 *	query.c	     check and lines: the locations of a program that is not run
 */
#ifndef GATECTL_RUN_INTERNAL_H
#define GATECTL_RUN_INTERNAL_H

#include "gates/waits.h"
#include "lua/script.h"
#include "tracer/base/json.h"
#include "tracer/run/kept.h"
#include "tracer/run/observers.h"
#include "tracer/run/session.h"
#include "tracer/inspect/inspect.h"
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
	struct kept_list kept;	       /* by features */
	struct target_process *target; /* NULL once it is gone */
	struct dwarf_program program;  /* itself, for symbols */
	struct page pages[PAGES];
	unsigned page_next;
	char *prefix; /* "" or "p1/" */
	int pid;
	int parent_pid;
	ARRAY(struct image) images;
	struct module *exe;    /* NULL: its file is none that we can read */
	struct module *loader; /* ld.so, or NULL: static */
	uint64_t loader_base;
	struct target_site *load_site; /* trap at _dl_debug_state, or NULL */
	bool settled;		       /* the libraries it starts with are loaded */
	bool sanitized; /* malloc and pthread_create are a sanitizer's; known when settled */
	ARRAY(struct ordinal) ordinals;
	ARRAY(char *) lost_held; /* threads that died while held: at what, in words */
};

/* ---- sites ---------------------------------------------------------------------------------- */

/* A trap that serves a place. */
struct placed {
	struct session_process *process;
	struct target_site *site;
};

/* place->user */
struct session_place {
	struct kept_list kept; /* by features */
	char *nearest;	       /* why it is not in the object that was loaded for it; or NULL */
	struct location location;
	bool located; /* `location` is valid */
	bool found;   /* has been found in some image */
	bool ended;   /* retired, and no elision of it is under way */
	size_t sites; /* distinct addresses in the first image it was found in */
	ARRAY(struct source_sites *) results;
	ARRAY(struct placed) placed;
};

/* ---- threads -------------------------------------------------------------------------------- */

struct session_thread {
	size_t index;	       /* in order of creation */
	struct kept_list kept; /* by features */
	struct engine_thread *engine;
	struct target_thread *target; /* NULL once it is gone */
	struct session_process *process;
	uint64_t held_since; /* us; 0: not held */
	struct engine_hold hold;
	const char *hold_file, *hold_func; /* where it was stopped, for the verdict */
	unsigned hold_line;
	bool lost;    /* has died while it was held, at `hold` */
	bool crashes; /* crash/: the signal that it is stopped for will end its process */
	struct target_block judged; /* deadlock/: as it was when it was judged ... */
	bool is_judged; /* ... and is to be described, though it has been stopped since */
	const char *state;
	bool parked;	  /* interactive/: by hand, it does not go on with the others */
	bool stays;	  /* ... until all go on: it got where it was sent */
	size_t parked_by; /* ... because of this step */
	bool paused;	  /* ... it would go on, but everything is stopped */
	enum source_site_kind at_return; /* RETURN or TAIL: where it stands; else 0 */
	struct inspect_stack calls;	 /* program.c: of this stop, as far as asked for */
	bool calls_all;			 /* there are no more */
	unsigned names_read;
	char comm[32]; /* its name when it was last asked for */
	int comm_file; /* ... where it is read, kept open for the next time; or -1 */
};

struct tick_wish {
	const void *who;
	unsigned ms;
};

struct session {
	const struct session_options *options;
	struct kept_list kept;			  /* by features */
	const struct site_placer *const *placers; /* features.c; and who observes: */
	struct observers observers;
	struct modules *symbols;
	struct target *target;
	struct engine *engine;
	struct script *script;
	struct plan plan;
	double gate_limit, time_limit;
	ARRAY(struct session_process *) processes;
	ARRAY(struct session_thread *) threads;
	ARRAY(struct site_use *) uses; /* sites.h */
	ARRAY(double) held_max;	       /* by gate index, ms */
	struct session_process *root;
	unsigned long run_number;
	bool untraced_children; /* there are or were some: --no-follow, or made before attach */
	unsigned children;	/* child processes so far */
	bool has_places;	/* of kind LOCATION or THROW or EXIT or LOAD: libraries matter */
	bool loads_matter;	/* pending locations or LOAD places: keep the trap in the loader */
	unsigned events;	/* since the last tick */
	unsigned tick_ms;	/* now; the least of: */
	ARRAY(struct tick_wish) tick_wishes;
	uint64_t start_us;	       /* of the program */
	uint64_t slow_us;	       /* when limits and deadlocks were looked for last */
	unsigned long turns;	       /* events so far, and other reasons to read memory anew */
	struct session_thread *turned; /* whose event this turn is about, or NULL */
	bool turned_goes;	       /* ... it was let go, and goes on when the turn is over */
	struct session_thread *asker;  /* whose condition is being asked, or NULL */
	struct interactive *live;      /* somebody looks on: rest is no verdict; or NULL */
	bool attended;		       /* ... limits and Ctrl-C are theirs */
	bool halted;		       /* ... and nobody goes on */
	struct session_thread *only;   /* ... or only this one does */
	enum waits_answer rest;	       /* ... what came of the last look for a deadlock */
	unsigned quiet_ticks;	       /* ... slow ticks in which nothing has happened */
	struct outcome outcome;
	bool explained;	   /* the threads' `why` is that of the deadlock found */
	uint64_t doubt_us; /* until then a deadlock is not looked for, unless something happens */
	bool over;	   /* the verdict is reached, the tree is being killed */
	bool root_settled; /* the first image of the program is resolved: later ones may lack places */
	bool root_ended;
	bool said_withheld; /* that a child has not got the rights that it would have alone */
	int killed_by;	    /* a :kill verb's signal */
	bool killed_at;	    /* ... and the location of the expect is there */
	int interrupted;
	bool counts_late; /* ... also behind the verdict: there are more runs to come */
	bool driven; /* who goes on is somebody else's affair, so nobody looks whether anybody was forgotten */
	struct error fault;
	struct session_thread *culprit; /* the thread that a limit or a deadlock is about */
	struct str cycle;		/* the wait-for cycle in words */
};

/* go.c: the run ends now; what is left is killed. */
void session_end(struct session *s);
void session_fault(struct session *s, const struct error *err);
uint64_t session_now_us(void);
/* The thread goes on, unless somebody has it stay. */
void session_go(struct session *s, struct session_thread *t);
/* The thread is not held any more, or the run ends: for how long was it? */
void session_note_held(struct session *s, struct session_thread *t);

/* ticks.c */
enum { TICKS_MS = 20 };
/* `who` (any address of its own) wants a tick each `ms`; 0: no more. */
void ticks_wish(struct session *s, const void *who, unsigned ms);
void ticks_tick(struct session *s);

/* The parts of a run, for interactive/. */
/* Engine, script, places. */
int session_prepare(struct session *s, struct error *err);
int session_launch(struct session *s, struct error *err);
void session_turn(struct session *s, const struct target_event *ev);
void session_judge(struct session *s, struct session_result *out);
void session_fini(struct session *s);

/* attach.c */
int attach_start(struct session *s, struct error *err);
void attach_begin(struct session *s, const struct target_event *ev); /* TARGET_ATTACHED */
void attach_ended(struct session *s);				     /* nothing is left of it */
void attach_check(struct session *s); /* after each turn: is there nothing left to do? */

/* images.c */
/* What the process has execed. */
int images_exec(struct session *s, struct session_process *p, struct error *err);
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
/* All modules that are loaded, the executable first: images.count of them; base_free'd by the caller. */
struct module **images_modules(const struct session_process *p);
/* Is the OBJECT of a location loaded? What is not in it then, will not come to be there. */
bool images_have(const struct session_process *p, const char *object);
/* The canonical address of the frame that is executing at this offset of the module (NULL: of none that
   is known). Code without a description of its frames is taken to leave the stack pointer alone. */
uint64_t images_frame(struct module *m, uint64_t offset, const struct arch_regs *regs);
void images_copy(struct session_process *to, const struct session_process *from);
void images_explain_refusal(struct modules *symbols, const char *program, struct error *err);
struct module *images_program(struct session *s, struct session_process *p); /* or NULL */

/* loader.c: what the process has execed, and what it loads is seen from now on. */
int loader_exec(struct session *s, struct session_process *p, struct target_thread *t,
		struct error *err);
/* Are its libraries of interest? */
bool loader_is_wanted(struct session *s, const struct session_process *p);

/* places.c */
int places_prepare(struct session *s, struct error *err); /* parses every location */
/* Those from index `first` on were made while the program runs: all threads are stopped now. */
int places_add(struct session *s, size_t first, struct error *err);
int places_settle(struct session *s, struct session_process *p, struct target_thread *t,
		  bool strict, struct error *err);
int places_loaded(struct session *s, struct session_process *p, struct target_thread *t,
		  const struct module_list *loaded, struct error *err);
void places_retire(struct session *s, struct place *place);
/* Takes away those traps of it that nobody needs any more. */
void places_sweep(struct place *place);
void places_free(struct session *s);

/* arrivals.c */
void arrivals_site(struct session *s, struct session_thread *t, struct target_site *site);
void arrivals_event(struct session *s, struct session_thread *t, enum place_kind kind, int signal);
void arrivals_load(struct session *s, struct session_thread *t, const struct module_list *loaded);

/* apply.c */
void apply_decisions(struct session *s);
/* All decisions are carried out, and what conditions have read is watched. */
void session_settle(struct session *s);
void session_ask_again(struct session *s); /* memory that closed conditions have read has changed */

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
/* The function that its start routine was given, where that is a trampoline; NULL: not known. */
const char *threads_runs(void *ctx, const struct engine_thread *t);
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

#endif
