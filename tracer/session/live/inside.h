/* Inside live: the files live.c, step.c, show.c and input.c. */
#ifndef GATECTL_SESSION_LIVE_INSIDE_H
#define GATECTL_SESSION_LIVE_INSIDE_H

#include "tracer/session/internal.h"
#include "tracer/session/live/live.h"

/* When a thread that is sent off is there. The frame it was sent from is `frame`. */
enum live_reach {
	REACH_ANY,    /* whenever it comes by */
	REACH_FRAME,  /* in that frame, or in one around it */
	REACH_AROUND, /* only in one around it */
	REACH_CALL,   /* never: where the call or jump there goes to is what is meant */
};
struct live_stop {
	uint64_t address;
	enum live_reach reach;
};
struct live_sent {
	struct session_thread *thread; /* NULL: nobody is sent */
	uint64_t frame;
	ARRAY(struct live_stop) stops; /* an address may have several */
	ARRAY(struct placed) placed;
};

struct live {
	struct session session;
	struct session_options options; /* without its scripts: they come by live_load */
	const struct live_ui *ui;
	struct symbols *symbols;
	enum live_state state;
	bool began;		       /* `session` is in use */
	bool is_asked;		       /* Ctrl-C */
	unsigned asked_ticks;	       /* since then */
	struct session_thread *roused; /* by the program's own Ctrl-C, which was dropped; or NULL */
	struct live_sent sent;
	struct session_thread *came; /* who got where it was sent */
	struct session_result result;
};

/* Is it in code of the tester's own, with lines, and not in the system's libraries? */
bool live_is_own(const struct session_thread *t, const struct symbols_call *call);
/* By id, or by number (from 1). NULL with an error. */
struct session_thread *live_thread(struct live *l, const char *name, struct error *err);
struct session_thread *live_living(struct live *l, const char *name, struct error *err);
/* The calls of a stopped thread; the caller gives them back. 0, or -1. */
int live_calls(struct session_thread *t, struct symbols_stack *out, struct error *err);
/* Where the location is in this process. 0 with at least one, or -1. */
int live_resolve(struct live *l, const struct session_process *p, const char *text,
		 struct symbols_sites *out, struct error *err);
/* input.c: does the program wait for what the person types? Then it is their turn to type. */
bool live_reads_terminal(struct session *s);
/* It has to be there, and stopped. */
int live_needs_program(const struct live *l, struct error *err);

#endif
