/*
 * Scouts: what came nearest to a place that nobody has reached.
 *
 * Traps at the entries of the function that the place is in; at the first entry also at its ways
 * out, to see where it is left, and at copies of the line that the location does not mean. They only
 * look: no arrival is counted, nobody is held. After SCOUT_VISITS entries, or when the place has been
 * reached, they are taken away. Where one cannot be had, less is known, and less is said.
 */
#ifndef GATECTL_SESSION_SCOUTS_H
#define GATECTL_SESSION_SCOUTS_H

#include "tracer/session/internal.h"

enum { SCOUT_VISITS = 8, SCOUT_COPIES = 8 };

/* A thread has entered the function. Names and files belong to modules. */
struct scout_visit {
	const struct engine_thread *thread;
	const char *into; /* the function that this copy of it is inlined into, or NULL */
	uint64_t frame;	  /* canonical frame address */
	bool framed;	  /* `frame` is known */
	bool left; /* by a return; true, too, of a copy `into` another function: it has none to see */
	const char *file; /* of the line it went out at; NULL unknown */
	unsigned line;
};

/* The line, or the text, elsewhere than the location says. */
struct scout_copy {
	const struct symbols_site *site;
	char *location;			/* that means it; owned */
	const struct engine_thread *by; /* who was there first; NULL: nobody */
};

struct scouts {
	const char *function;		   /* that the place is in; its module owns the name */
	const struct symbols_sites *meant; /* by the location, where it was found last */
	bool complete;			   /* every way into the function is watched */
	bool many;			   /* there were more than SCOUT_VISITS entries */
	bool over;			   /* all traps have been taken away */
	ARRAY(struct scout_visit) visits;
	ARRAY(struct scout_copy) copies;
};

/* Where traps are set: scouts.c and scouts_copies.c */
struct scout_watch {
	struct session *session;
	struct session_process *process;
	struct target_thread *thread;
	struct place *place;
	const struct image *images; /* that are searched */
	size_t count;
};
bool scouts_put(const struct scout_watch *w, enum act_kind kind, const struct symbols_site *info);
struct symbols_sites *scouts_new_sites(struct place *place); /* they live as long as the place */
void scouts_watch_copies(const struct scout_watch *w);
void scouts_see_copy(const struct session_thread *t, const struct act *a);
bool scouts_copy_seen(const struct act *a);

/* The place has been found there: `sites`. Sets the traps in this process. Never fails. */
void scouts_watch(struct session *s, struct session_process *p, struct target_thread *t,
		  struct place *place, const struct symbols_sites *sites,
		  const struct image *images, size_t count);
/* Somebody has arrived at the place: its scouts are not needed any more. */
void scouts_reached(struct place *place);
/* A scout's trap was hit. */
void scouts_act(struct session *s, struct session_thread *t, const struct act *a, uint64_t address,
		const struct arch_regs *regs);
bool scouts_idle(const struct act *a); /* an act of scouts that are over */
void scouts_free(struct scouts *scouts);

#endif
