/* What a run knows: the program's processes, their threads and modules, the places of the script. */
#ifndef GATECTL_RUN_RUN_INTERNAL_H
#define GATECTL_RUN_RUN_INTERNAL_H

#include "tracer/run/run.h"

struct inside_site;

/* ---- images --------------------------------------------------------------------------------- */

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
	size_t index;		       /* in order of creation */
	struct kept_list kept;	       /* by features */
	struct tracee_process *tracee; /* NULL once it is gone */
	struct dwarf_program program;  /* the process as inspect sees it */
	struct page pages[PAGES];
	unsigned page_next;
	char *prefix; /* "" or "p1/" */
	int pid;
	int parent_pid;
	struct module_list images;
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

/* place->user */
struct run_place {
	struct kept_list kept; /* by features */
	char *nearest;	       /* the nearest match in the object that was loaded for it; or NULL */
	struct location location;
	bool located; /* `location` is valid */
	bool found;   /* it has been found in some image */
	bool ended;   /* retired, and no elision of it is under way */
	size_t sites; /* distinct addresses in the first image it was found in */
	struct sites_list results;
	struct placed_list placed;
};

/* ---- threads -------------------------------------------------------------------------------- */

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
	struct arrival_spot spot; /* where it was stopped, for the verdict; no scope: at no place */
	bool lost;		  /* it died while it was held, at `hold` */
	bool crashes;		  /* crash/: the signal it is stopped for will end its process */
	const char *state;
	enum run_parked parked;
	bool paused;	     /* it would go on, but everything is halted */
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

enum {
	OBSERVERS_MOST = 32,
	OBSERVER_FUNCTIONS = sizeof(struct observer) / sizeof(void (*)(void)),
};

/* For each function of an observer: those that have it, then NULL. */
struct observers {
	const struct observer *of[OBSERVER_FUNCTIONS][OBSERVERS_MOST + 1];
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
	bool explained; /* each thread's wait is described, for the deadlock found */
	bool over;	/* the verdict is reached, the tree is being killed */
	bool root_ended;
	ARRAY(char *) unread; /* objects of the program whose files cannot be opened from here */
	int killed_by;	      /* the signal of a :kill verb */
	int interrupted;
	const struct run *copy_of; /* the run that has `tracee`; NULL: this one */
	bool counts_late; /* an interrupt counts even after the verdict: more runs follow */
	struct error fault;
	struct run_thread *culprit; /* the thread that the gate limit is about */
};

/* The thread is no longer held, or the run ends: notes for how long it was. */
void run_note_held(struct run *s, struct run_thread *t);
void ticks_tick(struct run *s);

#endif
