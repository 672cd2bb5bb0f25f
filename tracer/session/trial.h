/* What gatectl prove and --repeat look at in a run: trial.c and order_log.c. */
#ifndef GATECTL_SESSION_TRIAL_H
#define GATECTL_SESSION_TRIAL_H

#include "tracer/session/internal.h"

/* trial.c; nothing happens where session_options.trial is NULL */
void trial_prepare(struct session *s); /* when the scripts are loaded */
void trial_note(struct session *s, const struct decision *d);
void trial_tick(struct session *s, uint64_t now);
/* Nobody else can move: who is held back is let go. False: nobody is. */
bool trial_give_way(struct session *s);
void trial_judge(struct session *s, struct session_evidence *out); /* when it is over */
void trial_free(struct session *s);

/* order_log.c; nothing happens where session_options.order_log is NULL */
void order_log_decision(struct session *s, const struct decision *d);
void order_log_signal(struct session *s, const struct session_thread *t, const char *signal);

#endif
