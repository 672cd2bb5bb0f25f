/* State of a run: processes, threads and modules of the program, and places of the script. */
#ifndef GATECTL_RUN_RUN_INTERNAL_H
#define GATECTL_RUN_RUN_INTERNAL_H

#include "tracer/run/run.h"

struct inside_site;

/* ---- images --------------------------------------------------------------------------------- */

/* The number of threads of a process that began in this start routine. */
struct ordinal {
	char *start;
	unsigned count;
};

enum { PAGE_BYTES = 4096, PAGES = 4 };

/* A page of the program's memory, see pages.c. */
struct page {
	uint64_t base;
	unsigned long turn; /* the turn in which it was read; 0: not read */
	uint8_t bytes[PAGE_BYTES];
};

struct run_process {
	struct run *run;
	size_t index;		       /* in order of creation */
	struct kept_list kept;	       /* per-feature data */
	struct tracee_process *tracee; /* NULL once the process has ended */
	struct dwarf_program program;  /* the process as inspect sees it */
	struct page pages[PAGES];
	unsigned page_next;
	char *prefix; /* "" or "p1/" */
	int pid;
	int parent_pid;
	struct module_list images;
	struct module *exe;    /* NULL: the file cannot be read */
	struct module *loader; /* ld.so, or NULL: static */
	uint64_t loader_base;
	struct tracee_site *load_site; /* trap at _dl_debug_state, or NULL */
	bool settled;		       /* its initial libraries are loaded */
	bool sanitized; /* malloc and pthread_create are a sanitizer's; known once settled */
	ARRAY(struct ordinal) ordinals;
	ARRAY(char *) lost_held; /* where threads were held when they died, as text */
};

/* ---- sites ---------------------------------------------------------------------------------- */

/* The value of place->user. */
struct run_place {
	struct kept_list kept; /* per-feature data */
	char *nearest;	       /* see run_place_nearest(); or NULL */
	struct location location;
	bool located; /* `location` is valid */
	bool found;   /* found in some image */
	bool ended;   /* retired, and no elision of it is under way */
	size_t sites; /* distinct addresses in the first image it was found in */
	struct sites_list results;
	struct placed_list placed;
};

/* ---- threads -------------------------------------------------------------------------------- */

struct run_thread {
	size_t index;	       /* in order of creation */
	struct kept_list kept; /* per-feature data */
	struct engine_thread *engine;
	struct tracee_thread *tracee; /* NULL once the thread has exited */
	struct run_process *process;
	uint64_t scheduler_block; /* thread pointer at the start, glibc's struct pthread; or 0 */
	uint64_t held_since;	  /* microseconds; 0: not held */
	bool gone_first;	  /* resumed already, before its RELEASE is applied */
	struct engine_hold hold;
	/* position of the last stop, for the verdict; scope 0: at no place */
	struct arrival_spot spot;
	bool lost;    /* died while held, at `hold` */
	bool crashes; /* crash/: its pending signal will end the process */
	const char *state;
	enum run_parked parked;
	bool paused;	     /* stopped only because all threads are halted or it is parked */
	uint64_t sent_scope; /* scope of its target while it stands there; or 0 */
	enum source_site_kind
		at_return;	    /* RETURN or later: kind of site that a place stands at; or 0 */
	struct inspect_stack calls; /* program.c: call frames at this stop, as far as read */
	uint64_t calls_seen_from;   /* scope of the place that they were read for */
	bool calls_all;		    /* `calls` is complete */
	unsigned names_read;
	char comm[32]; /* the kernel's name of the thread, when last read */
	int comm_file; /* open file with that name; or -1 */
};

struct tick_wish {
	const void *who;
	unsigned ms;
};

enum {
	OBSERVERS_MOST = 32,
	OBSERVER_FUNCTIONS = sizeof(struct observer) / sizeof(void (*)(void)),
};

/* For each function of struct observer: the observers that implement it, then NULL. */
struct observers {
	const struct observer *of[OBSERVER_FUNCTIONS][OBSERVERS_MOST + 1];
};

/* Reasons to follow the loading of libraries. */
struct run_loading {
	bool has_places;   /* places of kind LOCATION, THROW, EXIT or LOAD exist */
	bool loads_matter; /* pending locations or LOAD places: keep the trap in the loader */
	bool root_settled; /* the program's first image is resolved: later images may lack places */
};

/* Deciders other than the engine. */
struct run_control {
	bool attended; /* a user steers the run: deadlock is no verdict, no limit applies */
	bool halted;   /* no thread may be resumed */
	bool driven;   /* the scheduler decides which thread runs: stops_check() does not apply */
};

struct run {
	const struct run_options *options;
	struct convert_record *record;		  /* see run_record() */
	struct kept_list kept;			  /* per-feature data */
	const struct site_placer *const *placers; /* of features.c */
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
	bool untraced_children; /* some exist or existed: --no-follow, or from before attach */
	struct run_loading loading;
	struct run_control control;
	unsigned children; /* child processes so far */
	unsigned events;   /* since the last slow tick */
	unsigned signals;  /* signals to the program among `events` */
	unsigned tick_ms;  /* current interval, the least of `tick_wishes` */
	ARRAY(struct tick_wish) tick_wishes;
	uint64_t start_us;	      /* when the program was started */
	uint64_t slow_us;	      /* when limits and deadlocks were last checked */
	unsigned long turns;	      /* events so far, and other reasons to read memory anew */
	struct run_thread *turned;    /* the thread whose event this turn handles, or NULL */
	struct run_thread *goes_last; /* `turned`, if it is resumed at the end of the turn */
	struct run_thread *asker;     /* whose condition is being asked, or NULL */
	/* memory that conditions have read is polled, not watched: each arrival matters */
	bool looks;
	enum waits_answer rest; /* result of the last check for a deadlock */
	unsigned quiet_ticks;	/* successive slow ticks without events other than signals */
	struct outcome outcome;
	bool explained; /* each thread's wait is described, for the deadlock found */
	bool over;	/* the verdict is reached, the tree is being killed */
	bool root_ended;
	ARRAY(char *) unread; /* objects of the program whose files cannot be opened */
	int killed_by;	      /* the signal of a :kill verb */
	int interrupted;
	const struct run *copy_of; /* the run that owns `tracee`; NULL: this one */
	bool counts_late; /* an interrupt counts even after the verdict: more runs follow */
	struct error fault;
	struct run_thread *culprit; /* the thread that exceeded the gate limit */
};

/* Adds the time that the thread was held to `held_max`, and marks it as not held. */
void run_note_held(struct run *s, struct run_thread *t);
void ticks_tick(struct run *s);

#endif
