/* Sites are addresses with a trap; acts are the actions when a thread hits a site. A feature that
   needs traps fills in a struct site_owner and adds acts (tracer/run/README.md). */
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
	struct arch_regs regs; /* filled in if the site's owners need them */
};

enum hit_answer {
	HIT_SEEN,    /* no arrival */
	HIT_ARRIVAL, /* at the act's place */
	HIT_TAKEN,   /* the owner handles the thread, which this turn leaves alone */
};

struct site_owner {
	bool ends; /* ends what began at another site: called before owners that begin something */
	bool once; /* one act for each place and address, whatever statements begin there */
	bool outlives; /* called even if its place is retired */
	/* each hit is an arrival; where sites_arrives() is needed, each that it confirms */
	bool arrives;
	bool no_registers; /* `hit` does not read hit->regs */
	/* Called for each hit. May add and remove acts. */
	enum hit_answer (*hit)(struct run *s, const struct act *a, const struct hit *h);
	/* Returns true if the act needs no further hit. NULL: it needs none once its place is
	   retired, and always may without a place. */
	bool (*idle)(const struct act *a);
};

struct act {
	const struct site_owner *owner;
	unsigned what;			/* the owner's own code */
	struct place *place;		/* or NULL */
	const struct source_site *info; /* NULL for event places */
	uint64_t bias;
	/* The reason why threads stop there at each arrival, set by inside_hit(). NULL: they do
	   not, or rarely. */
	const char *stops;
	/* another place at the site that the reason is about; or NULL */
	const struct place *stops_for;
};

struct inside_site;

/* The value of tracee_site->user; shared with forked children; lives as long as the run. */
struct site_use {
	ARRAY(struct act) acts;
	unsigned long hits;	    /* number of reported hits */
	struct inside_site *inside; /* decides arrivals in the program; NULL: all are reported */
	unsigned refusals;	    /* failed attempts to put a jump there */
	const char *refusal;	    /* reason of the last failure; NULL: success */
	/* bytes of the instructions that a jump can replace; 0: none, or not computed */
	unsigned span;
	bool span_known;
	/* why they cannot be moved; NULL: they can, or not computed */
	const char *unmovable;
	size_t needed_by; /* index of the act that sites_idle() asks first */
};

/* Returns the trap at this address, made if needed, or NULL with *err set. `site` may be NULL. The
   run owns the result. */
struct site_use *sites_use(struct run *s, struct run_process *p, struct tracee_thread *t,
			   uint64_t address, struct tracee_site **site, struct error *err);
/* True if the site has an act of this owner with the same `what`, place and info. */
bool sites_has(const struct site_use *use, const struct act *act);
/* Adds a copy of the act in order: acts without a place, then owners that end something, then
   others in the order of the script; statements that begin at one address are in program order. */
void sites_act(struct site_use *use, const struct act *act);
/* Adds the act at the address, and records the trap for its place. Returns 0, or -1 with *err
   set. */
int sites_put(struct run *s, struct run_process *p, struct tracee_thread *t, uint64_t address,
	      const struct act *act, struct error *err);
/* Records the traps of the parent for a forked child, which has copies of them. */
void sites_copy(struct run *s, struct run_process *to, struct run_process *from);
/* Forgets the traps at [low, high), which was unmapped. */
void sites_forget(struct run *s, struct run_process *p, uint64_t low, uint64_t high);
/* True if no act needs the trap. */
bool sites_idle(struct site_use *use);

/* Returns the canonical frame address of the thread's frame, for a pc at this address of the act's
   module. */
uint64_t sites_frame(const struct act *a, uint64_t address, const struct arch_regs *regs);
/* True if the offset in the module is within the site's ranges. */
bool sites_inside(const struct source_site *info, uint64_t offset);
/* True if the jump at the act's site leaves the act's ranges, or enters them, as an arrival
   requires. Only an indirect or conditional jump may not do so. */
bool sites_arrives(const struct act *a, const struct hit *h);

/* The owner of places of the script, see places.c. */
extern const struct site_owner arrival_owner;

/* ---- what a place needs --------------------------------------------------------------------- */

/* A way to set the traps of places whose arrival is more than a thread at an address. */
struct site_placer {
	bool (*wants)(const struct place *place, const struct source_site *info);
	/* Sets all needed traps; `act` is the one for the arrival. Returns 0, or -1 with *err
	   set. */
	int (*put)(struct run *s, struct run_process *p, struct tracee_thread *t, struct act act,
		   struct error *err);
};

/* Places of the script, and their sites in processes. */

/* Parses the location of every place. Returns 0, or -1 with *err set. */
int places_prepare(struct run *s, struct error *err);
/* Adds the places from index `first` on while the program runs; all threads are stopped. Returns 0,
   or -1 with *err set. */
int places_add(struct run *s, size_t first, struct error *err);
/* Resolves all places in the initial images of a process. `strict`: an unresolved place is an
   error. Returns 0, or -1 with *err set. */
int places_settle(struct run *s, struct run_process *p, struct tracee_thread *t, bool strict,
		  struct error *err);
/* Resolves pending places in images that were loaded later. Returns 0, or -1 with *err set. */
int places_loaded(struct run *s, struct run_process *p, struct tracee_thread *t,
		  const struct module_list *loaded, struct error *err);
/* Drops a place that places_add() could not add; it may have some sites. */
void places_drop(struct run *s, struct place *place);
/* The place can never act again: removes, in every process, traps that serve no other place. */
void places_retire(struct run *s, struct place *place);
/* Removes the traps of the place that no act needs any more. */
void places_sweep(struct place *place);
void places_free(struct run *s); /* frees the places' data and all sites */

/* Decisions of the engine. */

/* Carries out all decisions. */
void apply_decisions(struct run *s);
/* Resumes threads that pending decisions release, except the thread of this turn, before observers
   are informed and traps are removed. Does nothing if an observer may have to inspect such a thread
   before it goes on. */
void apply_releases(struct run *s);
/* Carries out all decisions, and asks conditions again as long as observers request it. */
void run_settle(struct run *s);
/* Asks conditions again: memory that closed conditions have read has changed. */
void run_ask_again(struct run *s);

/* Arrivals decided inside the program, because nothing can follow from them (tracer/run/README.md).
   Reported arrivals have exact numbers: the counts of their places are taken back before. */

/* A thread has hit the site. A site that is hit often gets a jump, so that further arrivals are
   counted inside the program. */
void inside_hit(struct run *s, struct run_thread *t, struct tracee_site *site);
/* A new thread is about to begin: stubs that exclude its name exclude it also, or are given up. */
void inside_born(struct run *s, struct run_thread *t);
/* A thread has exited: stubs no longer exclude its thread pointer. */
void inside_exited(struct run *s, const struct run_thread *t);
/* Adds arrivals decided inside since the last call to their places. */
void inside_tell(struct run *s);
/* Takes the site's counts back: all arrivals are reported until inside_give(). */
void inside_take_back(const struct site_use *use);
void inside_take_all_back(struct run *s); /* takes back the counts of all sites */
void inside_give(struct run *s);	  /* gives new counts to all sites */
/* Appends the reason why threads stop at the place, or at one of its sites. Returns false if
   nothing was appended. */
bool inside_reason(const struct run *s, const struct place *place, struct str *out);
void inside_free(struct run *s); /* frees the stubs' data; the stubs stay */

#endif
