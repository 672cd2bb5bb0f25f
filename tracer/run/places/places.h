/*
 * Sites: addresses with a trap, and what it means when a thread gets there.
 *
 * One trap may serve several purposes: a place of the script, the end of a statement that began
 * elsewhere, a near miss of a place that nobody reaches. Each of these is an act, and each act has
 * an owner: a feature's table of functions. A feature that wants to see threads come by fills in a
 * table and adds acts; nothing else needs to know of it.
 */
#ifndef GATECTL_RUN_PLACES_PLACES_H
#define GATECTL_RUN_PLACES_PLACES_H

#include "tracer/run/run.h"
#include "tracer/run/modules/images.h"

struct act;

/* A thread at a site. */
struct hit {
	struct run_thread *thread;
	struct tracee_site *site;
	uint64_t address;
	struct arch_regs regs; /* filled in if an owner there asks for them */
};

enum hit_answer {
	HIT_SEEN,    /* no arrival */
	HIT_ARRIVAL, /* at the act's place */
	HIT_TAKEN,   /* the owner has dealt with the thread: leave it alone for this turn */
};

struct site_owner {
	bool ends;     /* ends what began at another site: asked before those that begin */
	bool once;     /* one act per place and address, whatever statements begin there */
	bool outlives; /* asked even when its place is retired */
	bool arrives; /* each hit is an arrival; where sites_arrives() has to be asked, it is if that says so */
	bool no_registers; /* `hit` does not look at hit->regs */
	/* A thread is there. May put and remove acts. */
	enum hit_answer (*hit)(struct run *s, const struct act *a, const struct hit *h);
	/* Will it never need another hit? NULL: it will not once its place is retired; without a
	   place, it always may. */
	bool (*idle)(const struct act *a);
};

struct act {
	const struct site_owner *owner;
	unsigned what;			/* the owner's own code */
	struct place *place;		/* or NULL */
	const struct source_site *info; /* NULL for event places */
	uint64_t bias;
	/* Why arrivals there stop, set by inside_hit(). NULL: they do not, or are few. */
	const char *stops;
	const struct place *stops_for; /* the other place there that the reason is about; or NULL */
};

struct inside_site;

/* tracee_site->user; shared with forked children; lives as long as the run. */
struct site_use {
	ARRAY(struct act) acts;
	unsigned long hits;	    /* that were reported */
	struct inside_site *inside; /* some arrivals are decided in the program; or NULL */
	unsigned refusals;	    /* attempts to put a jump there that failed ... */
	const char *refusal;	    /* ... and why the last one did; NULL: it succeeded */
	unsigned span; /* of the instructions that could move for it; 0 none, or not asked yet */
	bool span_known;
	const char *unmovable; /* why they could not; NULL: they can, or that was not asked yet */
	size_t needed_by;      /* index of an act: where sites_idle() looks first */
};

/* The trap at this address, made if there is none; `site` may be NULL. NULL with an error. Owned by
   the run. */
struct site_use *sites_use(struct run *s, struct run_process *p, struct tracee_thread *t,
			   uint64_t address, struct tracee_site **site, struct error *err);
/* Is there an act of this owner with the same `what`, place and info? */
bool sites_has(const struct site_use *use, const struct act *act);
/* Adds it in order: acts without a place first, then those that end something, then the others as
   the places were written; statements that begin at one address go in the order of the program. */
void sites_act(struct site_use *use, const struct act *act);
/* Both of the above; the trap is noted with the act's place. */
int sites_put(struct run *s, struct run_process *p, struct tracee_thread *t, uint64_t address,
	      const struct act *act, struct error *err);
/* A forked child has copies of all traps. _forget: what was mapped at [low, high) is gone, with its
   traps. */
void sites_copy(struct run *s, struct run_process *to, struct run_process *from);
void sites_forget(struct run *s, struct run_process *p, uint64_t low, uint64_t high);
/* Does nobody need the trap any more? */
bool sites_idle(struct site_use *use);

/* The canonical frame address of the thread's frame, for a pc at this address of the act's
   module. */
uint64_t sites_frame(const struct act *a, uint64_t address, const struct arch_regs *regs);
/* Does the offset in the module belong to the site's ranges? */
bool sites_inside(const struct source_site *info, uint64_t offset);
/* Does the jump at the act's site leave its ranges, or come into them, as it has to for an arrival? Only an indirect or
   conditional one may not. */
bool sites_arrives(const struct act *a, const struct hit *h);

/* For places of the script; see places.c. */
extern const struct site_owner arrival_owner;

/* ---- what a place needs --------------------------------------------------------------------- */

/* For a place whose arrival is more than a thread at an address. */
struct site_placer {
	bool (*wants)(const struct place *place, const struct source_site *info);
	/* Sets all the traps it needs; `act` is the one for the arrival. 0, or -1. */
	int (*put)(struct run *s, struct run_process *p, struct tracee_thread *t, struct act act,
		   struct error *err);
};

/* Places of the script <-> sites in processes. */

int places_prepare(struct run *s, struct error *err); /* parses every location */
/* Places from index `first` on, made while the program runs; all threads are stopped. */
int places_add(struct run *s, size_t first, struct error *err);
int places_settle(struct run *s, struct run_process *p, struct tracee_thread *t, bool strict,
		  struct error *err);
int places_loaded(struct run *s, struct run_process *p, struct tracee_thread *t,
		  const struct module_list *loaded, struct error *err);
/* Drops a place that failed; it may have some sites, or none. */
void places_drop(struct run *s, struct place *place);
void places_retire(struct run *s, struct place *place);
/* Removes those traps of the place that nobody needs any more. */
void places_sweep(struct place *place);
void places_free(struct run *s);

/* Carries out what the engine has decided. */

void apply_decisions(struct run *s);
/*
 * Of what comes next: who is let go, but for the thread that this turn is about, need not wait until everybody has been told
 * why, and traps are removed. Does nothing where somebody has to look at such a thread before it goes on.
 */
void apply_releases(struct run *s);
/* Carries out all decisions, and has what conditions have read watched. */
void run_settle(struct run *s);
void run_ask_again(struct run *s); /* memory that closed conditions have read has changed */

/*
 * Arrivals that are decided inside the program, because nothing can follow from them: of the first
 * million of a place that acts at its next one, say. The engine says how many (place_idle_arrivals), or which: of
 * all threads but one (place_only_thread), or by a condition of the script (place_condition). The site gets a count of that
 * size (tracer/resident/resident.h), and is reported again when it is used up.
 *
 * What the count has lost are arrivals: they are told to the places at the beginning of each turn. Before an arrival
 * that is reported, all counts of its places are taken back, so that its number is exact; at the end of
 * the turn they are given anew. Several counts of one place share what it has.
 */

/* A thread is at the site, and it is reported: from now on some more may not be. */
void inside_hit(struct run *s, struct run_thread *t, struct tracee_site *site);
/* A new thread is about to begin; a thread has exited. */
void inside_born(struct run *s, struct run_thread *t);
void inside_exited(struct run *s, const struct run_thread *t);
/* What was decided inside since the last time. */
void inside_tell(struct run *s);
/* Nothing more is decided there until inside_give(). */
void inside_take_back(const struct site_use *use);
void inside_take_all_back(struct run *s);
void inside_give(struct run *s);
/* Why arrivals at the place stop, or at one of its addresses. False: nothing was added to *out. */
bool inside_reason(const struct run *s, const struct place *place, struct str *out);
void inside_free(struct run *s);

#endif
