/* View of a schedule from which plans are made. WAKE is no step. A LOCK is at the place where the
   lock is acquired, not requested. Return from a wait in the kernel is no step: what follows is the
   thread's next step. */
#ifndef GATECTL_SYNTH_PLAN_PLAN_INTERNAL_H
#define GATECTL_SYNTH_PLAN_PLAN_INTERNAL_H

#include "tracer/synth/plan/plan.h"

#define PLAN_NONE ((size_t)-1)

struct plan_step {
	const struct schedule_step *step;
	size_t index;	       /* index for plan_step_at() */
	size_t before, behind; /* previous and next step of the thread; PLAN_NONE */
	/* Next step of the view when the thread returned from the kernel; PLAN_NONE. */
	size_t waits_until;
	size_t segment;
	bool forked; /* the thread was forked in the middle of this line */
	/* The thread is at its next step when another thread runs after this one. */
	bool stands;
	size_t line_first; /* first step of this execution of the line */
	size_t line_last;  /* last step of that execution, set in line_first's step only */
	/* first step of the instruction, or of what it calls */
	size_t call_first;
};

struct plan_segment {
	size_t first, last;
	bool preempted; /* its thread could have continued */
};

struct plan_view {
	const struct schedule *s;
	const struct plan_words *words;
	ARRAY(struct plan_step) steps;
	ARRAY(struct plan_segment) segments; /* each pending step is a segment */
	ARRAY(size_t) creates, ends, forks;  /* steps that create a thread, end one, fork */
	/* Number of executed steps; then come joins that did not return. */
	size_t over;
	size_t done; /* index of the first pending step, after those joins */
};
void plan_view_init(struct plan_view *v, const struct schedule *s, const struct plan_words *words);
void plan_view_fini(struct plan_view *v);
/* True if the step has begun and blocks when the next segment begins. */
bool plan_is_blocked(const struct plan_view *v, size_t step);
bool plan_same_line(const struct schedule_where *a, const struct schedule_where *b);

static inline const struct schedule_step *plan_step(const struct plan_view *v, size_t i)
{
	return v->steps.items[i].step;
}

static inline enum strategy_op plan_op(const struct plan_view *v, size_t i)
{
	return v->steps.items[i].step->point.op;
}

/* True if the caller stops planning. Asks only every EVERY steps; `step` is any growing number. */
static inline bool plan_is_over(const struct plan_view *v, size_t step)
{
	enum { EVERY = 1024 };

	return step % EVERY == 0 && v->words->is_over && v->words->is_over(v->words->ctx);
}

/* Last step of the execution of the line that the step is in. */
static inline size_t plan_line_last(const struct plan_view *v, size_t i)
{
	return v->steps.items[v->steps.items[i].line_first].line_last;
}

/* True if the step ends the whole process. */
static inline bool plan_ends_process(const struct plan_view *v, size_t i)
{
	return plan_op(v, i) == STRATEGY_END &&
	       plan_step(v, i)->point.object == STRATEGY_ANY_OBJECT;
}

/* True for the end of a wait that no other thread has made: it cannot be held. */
static inline bool plan_ends_wait(enum strategy_op op)
{
	return op == STRATEGY_TIMEOUT || op == STRATEGY_SPURIOUS;
}

static inline bool plan_is_access(enum strategy_op op)
{
	return op == STRATEGY_READ || op == STRATEGY_WRITE || op == STRATEGY_ATOMIC;
}

bool plan_is_join(const struct plan_view *v, size_t step);

/* True for the store of an instruction whose load is the thread's step before. */
bool plan_is_store(const struct plan_view *v, size_t at);

/* orders.c: `from` has been executed (`blocked`: has begun and blocks) before `to` may be. */
struct plan_edge {
	size_t from, to;
	bool blocked;
};
struct plan_edges {
	struct plan_edge *items;
	size_t count, capacity;
};
/* Finds the orders; at most the last `most` ones (0 means all), *left_out counts the others.
   Returns false if steps times threads are too many. */
bool plan_orders(const struct plan_view *v, enum plan_orders orders, size_t most,
		 struct plan_edges *out, size_t *left_out);

/* Compares arrays of numbers lexicographically. */
int plan_compare(const uint64_t *a, const uint64_t *b, size_t count);

/* ---- related.c: steps by object ---- */

struct plan_indexes {
	size_t *items;
	size_t count, capacity;
};
struct plan_group {
	size_t first;  /* some step of the group */
	size_t latest; /* last step added; PLAN_NONE */
	size_t region; /* equal for groups whose memory overlaps */
	size_t object; /* first group of the same object */
};
struct plan_release {
	size_t lock, by;
};
/* Releases of one object by one thread; lists of one object are linked. */
struct plan_releases {
	unsigned thread;
	size_t next;			  /* PLAN_NONE in the object's last list */
	ARRAY(struct plan_release) items; /* both steps ascend */
};
struct plan_related {
	const struct plan_view *v;
	ARRAY(struct plan_group) groups; /* sorted by region */
	ARRAY(size_t) regions;		 /* first group of each region, then the number of groups */
	size_t *group_of;		 /* by step */
	size_t *earlier;		 /* by step: previous step of its group; PLAN_NONE */
	/* Groups that may concern any object; groups that wait or signal. */
	struct plan_indexes wild, sync;
	ARRAY(struct plan_releases) lists;
	size_t *lists_of;	   /* by plan_group.object: 1 + its first list; 0 if none */
	struct plan_indexes *held; /* by thread: steps that acquired its locks */
};
/* Groups the steps by object, thread and class_of(): the properties that matters() of orders.c
   reads. */
void plan_related_init(struct plan_related *r, const struct plan_view *v,
		       unsigned (*class_of)(const struct plan_view *v, size_t step));
void plan_related_fini(struct plan_related *r);
/* Adds the groups whose order with the step may matter. */
void plan_related(const struct plan_related *r, size_t step, struct plan_indexes *out);
/* Marks the step as executed; steps are added in order. */
void plan_related_add(struct plan_related *r, size_t step);
/* First list of the step's object, or PLAN_NONE. */
size_t plan_releases_first(const struct plan_related *r, size_t step);
/* Last release of a lock acquired before step `before`, or PLAN_NONE. */
size_t plan_release_before(const struct plan_releases *list, size_t before);

/* True for IDs of threads of one process, such as "p1/worker#2" and "p1/main". */
bool plan_same_process(const char *a, const char *b);
/* True for a fork(), which copies the process with its memory at that time. */
bool plan_forks(const struct schedule_step *step);

/* places.c */
struct plan_placing {
	struct gate_plan *p;
	const struct plan_view *v;
	const struct plan_words *words;
	struct error *err;
	/* PLAN_ALL: all that a segment's thread does before it stops has been done, also what is no
	   step. */
	bool all;
};
/* Finds the place that holds before `step`, or opens for `edge`; *named is the step that names the
   gate. Returns 0 with an index of g->p->places, or -1 with *g->err set. */
int plan_hold(struct plan_placing *g, size_t step, size_t *out);
int plan_open(struct plan_placing *g, const struct plan_edges *edges, const struct plan_edge *edge,
	      size_t *out, size_t *named);
void plan_place_fini(struct plan_place *place);
bool plan_is_same_place(const struct schedule_where *a, const struct schedule_where *b, bool line);
/* True for threads that run the same code, such as "worker#1" and "worker#2". */
bool plan_are_alike(const char *a, const char *b);

/* Adds the place at which a wait returns without a signal. Returns 0, or -1 with *g->err set. */
int plan_spurious(struct plan_placing *g, size_t step);

/* words.c */
/* True if the line has a loop with its body: the compiler decides how often a place in it
   counts. */
bool plan_is_loop(const char *text);
enum plan_tense { PLAN_DOES, PLAN_DID };
/* Appends what the step does, such as "reads `count`", without the place. */
void plan_deed(const struct schedule_step *step, const struct plan_words *words, struct str *out);
/* Returns an identifier such as "worker1_read_count"; the caller frees it. */
char *plan_name(const struct schedule *s, const struct schedule_step *step, enum plan_tense tense);

/* story.c: appends the story as comment lines with "--". */
void plan_story(const struct gate_plan *p, const struct plan_view *v,
		const struct plan_words *words, const char *outcome, struct str *out);
#endif
