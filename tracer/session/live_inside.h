/* Inside live: the files live.c, live_step.c and live_show.c. */
#ifndef GATECTL_SESSION_LIVE_INSIDE_H
#define GATECTL_SESSION_LIVE_INSIDE_H

#include "tracer/session/internal.h"
#include "tracer/session/live.h"

/* Where a thread is sent: it stops at the first of these sites that it reaches in the frame `frame`
   or in one around it (0: in any). */
struct live_sent {
	struct session_thread *thread; /* NULL: nobody is sent */
	uint64_t frame;
	bool into;	    /* calls are followed: ... */
	uint64_t low, high; /* ... those of the instructions between these addresses */
	ARRAY(struct placed) placed;
};

struct live {
	struct session session;
	struct session_options options; /* without its scripts: they come by live_load */
	const struct live_ui *ui;
	struct symbols *symbols;
	enum live_state state;
	bool began; /* `session` is in use */
	struct live_sent sent;
	struct session_thread *came; /* who got where it was sent */
	struct session_result result;
};

/* By id, or by number (from 1). NULL with an error. */
struct session_thread *live_thread(struct live *l, const char *name, struct error *err);
/* The calls of a stopped thread; the caller gives them back. 0, or -1. */
int live_calls(struct session_thread *t, struct symbols_stack *out, struct error *err);
/* It has to be there, and stopped. */
int live_needs_program(const struct live *l, struct error *err);

#endif
