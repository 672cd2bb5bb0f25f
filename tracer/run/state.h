/*
 * What a run knows: the program's processes, their threads and modules, the places of the script.
 * What only one feature needs is kept by that feature (kept.h). A `run` is one run.
 */
#ifndef GATECTL_RUN_STATE_H
#define GATECTL_RUN_STATE_H

#include "gates/engine.h"
#include "lua/script.h"
#include "tracer/base/text/json.h"
#include "tracer/run/kept.h"
#include "tracer/run/observers.h"
#include "tracer/run/run.h"
#include "tracer/inspect/inspect.h"
#include "tracer/tracee/tracee.h"

struct inside_site;

/* ---- images --------------------------------------------------------------------------------- */

struct image {
	struct module *module;
	uint64_t bias;
	uint64_t link; /* its struct link_map in the program, 0 unknown */
	bool seen;     /* used while the list is compared with the program's */
};

/* How many threads of a process began in this start routine. */
struct ordinal {
	char *start;
	unsigned count;
};

enum { PAGE_BYTES = 4096, PAGES = 4 };

/* pages.c: a page as it was read in this turn */
struct page {
	uint64_t base;
	unsigned long turn; /* in which it was read; 0: not read */
	uint8_t bytes[PAGE_BYTES];
};

struct run_process {
	struct run *run;
	struct kept_list kept;	       /* by features */
	struct tracee_process *tracee; /* NULL once it is gone */
	struct dwarf_program program;  /* the process as inspect sees it */
	struct page pages[PAGES];
	unsigned page_next;
	char *prefix; /* "" or "p1/" */
	int pid;
	int parent_pid;
	ARRAY(struct image) images;
	struct module *exe;    /* NULL: its file is none that we can read */
	struct module *loader; /* ld.so, or NULL: static */
	uint64_t loader_base;
	struct tracee_site *load_site; /* trap at _dl_debug_state, or NULL */
	bool settled;		       /* the libraries it starts with are loaded */
	bool sanitized; /* malloc and pthread_create are a sanitizer's; known once settled */
	ARRAY(struct ordinal) ordinals;
	ARRAY(char *) lost_held; /* threads that died while held: where, in words */
};

/* ---- sites ---------------------------------------------------------------------------------- */

/* A trap that serves a place. */
struct placed {
	struct run_process *process;
	struct tracee_site *site;
};

/* place->user */
struct run_place {
	struct kept_list kept; /* by features */
	char *nearest;	       /* the nearest match in the object that was loaded for it; or NULL */
	struct location location;
	bool located; /* `location` is valid */
	bool found;   /* it has been found in some image */
	bool ended;   /* retired, and no elision of it is under way */
	size_t sites; /* distinct addresses in the first image it was found in */
	ARRAY(struct source_sites *) results;
	ARRAY(struct placed) placed;
};

/* ---- threads -------------------------------------------------------------------------------- */

/* A user keeps the thread (interactive/): it does not go on with the others. */
enum run_parked {
	NOT_PARKED,
	PARKED,
	PARKED_STAYS, /* ... until all go on, since it got where it was sent */
};

struct run_thread {
	size_t index;	       /* in order of creation */
	struct kept_list kept; /* by features */
	struct engine_thread *engine;
	struct tracee_thread *tracee; /* NULL once it is gone */
	struct run_process *process;
	uint64_t scheduler_block; /* thread pointer at its start: glibc's struct pthread; or 0 */
	uint64_t held_since;	  /* us; 0: not held */
	bool gone_first;	  /* it goes on already; its RELEASE is still to be told */
	struct engine_hold hold;
	const char *hold_file, *hold_func; /* where it was stopped, for the verdict */
	unsigned hold_line;
	uint64_t hold_scope; /* ... as the arrival has it; 0: it is at no place of a function */
	bool lost;	     /* it died while it was held, at `hold` */
	bool crashes;	     /* crash/: the signal it is stopped for will end its process */
	const char *state;
	enum run_parked parked;
	size_t parked_by;    /* ... because of this step */
	bool paused;	     /* ... it would go on, but everything is halted */
	uint64_t sent_scope; /* that of where it was sent, while it is there; or 0 */
	enum source_site_kind
		at_return; /* RETURN or a later one: what one of its places stands at; else 0 */
	struct inspect_stack calls; /* program.c: its calls at this stop, as far as read ... */
	uint64_t calls_seen_from;   /* ... by a place in this scope */
	bool calls_all;		    /* that is all of them */
	unsigned names_read;
	char comm[32]; /* its name when last read */
	int comm_file; /* ... the file it is read from, kept open; or -1 */
};

struct tick_wish {
	const void *who;
	unsigned ms;
};

/* Which libraries matter. */
struct run_loading {
	bool has_places;   /* there are places of kind LOCATION, THROW, EXIT or LOAD */
	bool loads_matter; /* pending locations or LOAD places: keep the trap in the loader */
	bool root_settled; /* the program's first image is resolved: later ones may lack places */
};

/* What decides beside the engine. */
struct run_control {
	bool attended; /* a user looks on: rest is no verdict, limits and Ctrl-C are theirs */
	bool halted;   /* ... and no thread may go on */
	bool driven;   /* the scheduler decides which thread runs: stops_check() does not apply */
};

struct run {
	const struct run_options *options;
	struct kept_list kept;			  /* by features */
	const struct site_placer *const *placers; /* features.c; and who observes: */
	struct observers observers;
	struct modules *symbols;
	struct tracee *tracee;
	struct engine *engine;
	struct script *script;
	struct plan plan;
	double gate_limit, time_limit;
	ARRAY(struct run_process *) processes;
	ARRAY(struct run_thread *) threads;
	ARRAY(struct site_use *) uses;	     /* places/places.h */
	ARRAY(struct inside_site *) insides; /* places/places.h */
	ARRAY(double) held_max;		     /* by gate index, ms */
	struct run_process *root;
	unsigned long run_number;
	bool untraced_children; /* there are or were some: --no-follow, or from before attach */
	struct run_loading loading;
	struct run_control control;
	unsigned children; /* child processes so far */
	unsigned events;   /* since the last tick */
	unsigned signals;  /* ... of these, signals to the program */
	unsigned tick_ms;  /* the current interval; the least of: */
	ARRAY(struct tick_wish) tick_wishes;
	uint64_t start_us;	      /* when the program was started */
	uint64_t slow_us;	      /* when limits and deadlocks were last checked */
	unsigned long turns;	      /* events so far, and other reasons to read memory anew */
	struct run_thread *turned;    /* whose event this turn is about, or NULL */
	struct run_thread *goes_last; /* `turned`, if it resumes at the end of the turn */
	struct run_thread *asker;     /* whose condition is being asked, or NULL */
	bool looks; /* what conditions have read is not watched, but looked at now and then: each arrival counts */
	enum waits_answer rest; /* ... result of the last check for a deadlock */
	unsigned
		quiet_ticks; /* ... slow ticks in a row in which nothing has happened but signals */
	struct outcome outcome;
	bool explained;	       /* each thread's wait is described, for the deadlock found */
	uint64_t doubt_us;     /* no check for a deadlock until then, unless something happens */
	uint64_t doubt_for_us; /* the last such pause, where each check disturbs the program */
	bool over;	       /* the verdict is reached, the tree is being killed */
	bool root_ended;
	ARRAY(char *) unread; /* objects of the program whose files cannot be opened from here */
	int killed_by;	      /* the signal of a :kill verb */
	int interrupted;
	bool counts_late; /* an interrupt counts even after the verdict: more runs follow */
	struct error fault;
	struct run_thread *culprit; /* the thread that a limit or a deadlock is about */
	struct str cycle;	    /* the wait-for cycle in words */
};

/* Lets a thread go on, or ends the run: what anybody may do to a run. */

/* The run ends now; what is left of the program is killed. */
void run_end(struct run *s);
void run_fault(struct run *s, const struct error *err);
uint64_t run_now_us(void);
/* The thread goes on, unless somebody keeps it. */
void run_go(struct run *s, struct run_thread *t);
/* The thread is no longer held, or the run ends: notes for how long it was. */
void run_note_held(struct run *s, struct run_thread *t);

/* As time passes: limits, and the question whether anything can still happen. */

enum { TICKS_MS = 20 };
/* `who` (any address that is its own) wants a tick every `ms`; 0: no more. */
void ticks_wish(struct run *s, const void *who, unsigned ms);
void ticks_tick(struct run *s);

/* The parts of a run, for features that make a run of their own (interactive/, query/). */

/* Makes the engine, the script and its places. */
int run_prepare(struct run *s, struct error *err);
int run_launch(struct run *s, struct error *err);
/* The program is a copy of another run's, which was brought to where it is now and kept there
   (tracee_keep). Its only thread, stopped as that is; NULL with the error. The target stays the other run's. */
struct run_thread *run_copy(struct run *s, const struct run *from, struct error *err);
void run_loop(struct run *s); /* to the end */
void run_turn(struct run *s, const struct tracee_event *ev);
void run_judge(struct run *s, struct run_result *out);
void run_fini(struct run *s);

/* C expressions of scripts: at(LOCATION, { when = "EXPR" }) and :when "EXPR". */

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
