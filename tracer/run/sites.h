/*
 * Sites: addresses with a trap, and what it means when a thread gets there.
 *
 * A trap may serve several: a place of the script, the end of a statement that began elsewhere, a look at
 * the function around a place that nobody reaches. Each of these is an act, and each act has an owner: a
 * feature's table of functions. Whoever wants to see threads come by fills in one and puts acts; nobody
 * else has to know of it.
 */
#ifndef GATECTL_RUN_SITES_H
#define GATECTL_RUN_SITES_H

#include "tracer/run/state.h"

struct act;

/* A thread at a site. */
struct hit {
	struct session_thread *thread;
	struct target_site *site;
	uint64_t address;
	struct arch_regs regs; /* where an owner there asks for them */
};

enum hit_answer {
	HIT_SEEN,    /* no arrival */
	HIT_ARRIVAL, /* at the act's place */
	HIT_TAKEN, /* the owner has seen to the thread: nothing more is done with it in this turn */
};

struct site_owner {
	const char *name;
	bool ends;	   /* what began at another site: asked before those that begin something */
	bool once;	   /* of a place at one address, whatever statements begin there */
	bool outlives;	   /* asked also when its place is retired */
	bool no_registers; /* `hit` does not look at hit->regs */
	/* A thread is there. May put and remove acts. */
	enum hit_answer (*hit)(struct session *s, const struct act *a, const struct hit *h);
	/* Will it never ask for a hit again? NULL: when its place is retired; without a place never. */
	bool (*idle)(const struct act *a);
};

struct act {
	const struct site_owner *owner;
	unsigned what;			/* in the owner's own words */
	struct place *place;		/* or NULL */
	const struct source_site *info; /* NULL for event places */
	uint64_t bias;
};

/* target_site->user; shared with forked children; lives until the session ends. */
struct site_use {
	ARRAY(struct act) acts;
};

/* The trap at this address, made where there is none; `site` may be NULL. NULL with an error. */
struct site_use *sites_use(struct session *s, struct session_process *p, struct target_thread *t,
			   uint64_t address, struct target_site **site, struct error *err);
/* Is there an act of this owner, with the same `what`, place and info? */
bool sites_has(const struct site_use *use, const struct act *act);
/* Adds it in its order: without a place, then ends, then the others as the places were written; but of
   statements that begin at one address the first one is first. */
void sites_act(struct site_use *use, const struct act *act);
/* Both; the trap is one of those that serve the act's place. */
int sites_put(struct session *s, struct session_process *p, struct target_thread *t,
	      uint64_t address, const struct act *act, struct error *err);
/* A forked child has copies of all traps; what was mapped at [low, high) is gone, and the traps there. */
void sites_copy(struct session *s, struct session_process *to, struct session_process *from);
void sites_forget(struct session *s, struct session_process *p, uint64_t low, uint64_t high);
/* Needs nobody the trap any more? */
bool sites_idle(const struct site_use *use);

/* The canonical frame address of the frame that the thread is in, at this address of the act's module. */
uint64_t sites_frame(const struct act *a, uint64_t address, const struct arch_regs *regs);
/* Does a jump at the act's site go out of its ranges? Only an indirect one may stay inside. */
bool sites_leaves(const struct act *a, const struct hit *h);

/* Of a place of the script; places.c. */
extern const struct site_owner arrival_owner;

/* ---- what a place needs --------------------------------------------------------------------- */

/* A place whose arrival is not just a thread at an address. */
struct site_placer {
	bool (*wants)(const struct place *place, const struct source_site *info);
	/* Puts all that is needed; `act` is that of the arrival. 0, or -1. */
	int (*put)(struct session *s, struct session_process *p, struct target_thread *t,
		   struct act act, struct error *err);
};

#endif
