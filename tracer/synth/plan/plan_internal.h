/*
 * The schedule as plans are made from it. WAKE is no step here, and a lock is asked for when it is
 * got: who waits for one does nothing until then. Nor is it a step to come back from a wait in the
 * kernel: the call was made before, and what the thread does then are its next steps.
 */
#ifndef GATECTL_SYNTH_PLAN_PLAN_INTERNAL_H
#define GATECTL_SYNTH_PLAN_PLAN_INTERNAL_H

#include "tracer/synth/plan/plan.h"

#define PLAN_NONE ((size_t)-1)

struct plan_step {
	const struct schedule_step *step;
	size_t index;	       /* plan_step_at()'s */
	size_t before, behind; /* the thread's own; NONE */
	size_t waits_until;    /* the view's next step when it came back from the kernel; NONE */
	size_t segment;
	bool forked; /* its thread came to life in the middle of its line */
	bool stands; /* ... at the thread's next step when another thread goes on behind this one */
	size_t line_first; /* the first step of this execution of its line */
	size_t line_last;  /* ... of which that one knows the last: plan_line_last() */
	size_t call_first; /* ... and the first one of what its instruction calls; itself */
};

struct plan_segment {
	size_t first, last;
	bool preempted; /* its thread could have gone on */
};

struct plan_view {
	const struct schedule *s;
	const struct plan_words *words;
	ARRAY(struct plan_step) steps;
	ARRAY(struct plan_segment) segments; /* a pending step is one of its own */
	ARRAY(size_t) creates, ends, forks;  /* the steps that create a thread, end one, fork */
	size_t over; /* so many steps were; behind them are joins from which nobody went on, ... */
	size_t done; /* ... and behind those the pending steps */
};
void plan_view_init(struct plan_view *v, const struct schedule *s, const struct plan_words *words);
void plan_view_fini(struct plan_view *v);
/* Has it begun, and blocks when the next segment begins? */
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

/* Does the caller want no plan any more? Asked every now and then: `step` is any number that
   grows. */
static inline bool plan_is_over(const struct plan_view *v, size_t step)
{
	enum { EVERY = 1024 };

	return step % EVERY == 0 && v->words->is_over && v->words->is_over(v->words->ctx);
}

/* The last step of the execution of its line that the step is in. */
static inline size_t plan_line_last(const struct plan_view *v, size_t i)
{
	return v->steps.items[v->steps.items[i].line_first].line_last;
}

/* Is it the end of the whole process? */
static inline bool plan_ends_process(const struct plan_view *v, size_t i)
{
	return plan_op(v, i) == STRATEGY_END &&
	       plan_step(v, i)->point.object == STRATEGY_ANY_OBJECT;
}

static inline bool plan_is_access(enum strategy_op op)
{
	return op == STRATEGY_READ || op == STRATEGY_WRITE || op == STRATEGY_ATOMIC;
}

bool plan_is_join(const struct plan_view *v, size_t step);

/* orders.c: `from` has been executed (`blocked`: has begun and blocks) before `to` may be. */
struct plan_edge {
	size_t from, to;
	bool blocked;
};
struct plan_edges {
	struct plan_edge *items;
	size_t count, capacity;
};
/* `most`: only the last so many are wanted, and others are counted; 0: all. False: there are too
   many steps and threads for that. */
bool plan_orders(const struct plan_view *v, enum plan_orders orders, size_t most,
		 struct plan_edges *out, size_t *left_out);

/* Compares arrays of numbers, the first one first. */
int plan_compare(const uint64_t *a, const uint64_t *b, size_t count);

/* ---- related.c: steps that are about the same objects ---- */

struct plan_indexes {
	size_t *items;
	size_t count, capacity;
};
struct plan_group {
	size_t first;  /* a step of it, wherever that is */
	size_t latest; /* the last one that was added; NONE */
	size_t region; /* groups whose memory overlaps have one */
	size_t object; /* the first group that is about the same object */
};
struct plan_release {
	size_t lock, by;
};
/* The releases of one object by one thread; those of the object are linked. */
struct plan_releases {
	unsigned thread;
	size_t next;			  /* NONE: the last list of the object */
	ARRAY(struct plan_release) items; /* both steps ascend */
};
struct plan_related {
	const struct plan_view *v;
	ARRAY(struct plan_group) groups; /* by regions */
	ARRAY(size_t) regions; /* the first group of each; behind them the number of groups */
	size_t *group_of;      /* by step */
	size_t *earlier;       /* by step: the one before it in its group; NONE */
	struct plan_indexes wild,
		sync; /* groups that may be about any object; that wait or signal */
	ARRAY(struct plan_releases) lists;
	size_t *lists_of;	   /* by plan_group.object: 1 + its first list; 0: there is none */
	struct plan_indexes *held; /* by thread: steps that took the locks it holds */
};
/* The class of a step: the properties, other than its object, that matters() of orders.c reads. */
void plan_related_init(struct plan_related *r, const struct plan_view *v,
		       unsigned (*class_of)(const struct plan_view *v, size_t step));
void plan_related_fini(struct plan_related *r);
/* Adds the groups with which an order of the step may matter. */
void plan_related(const struct plan_related *r, size_t step, struct plan_indexes *out);
/* The step is done from now on; steps are added in their order. */
void plan_related_add(struct plan_related *r, size_t step);
/* The first list of the step's object; NONE. */
size_t plan_releases_first(const struct plan_related *r, size_t step);
/* The last release of a lock that was taken before the step `before`; NONE. */
size_t plan_release_before(const struct plan_releases *list, size_t before);

/* Of threads' ids: is it "p1/worker#2" with "p1/main"? */
bool plan_same_process(const char *a, const char *b);
/* A copy of the process is made, with all that its memory is by then. */
bool plan_forks(const struct schedule_step *step);

/* places.c */
struct plan_placing {
	struct gate_plan *p;
	const struct plan_view *v;
	const struct plan_words *words;
	struct error *err;
	/* Of a segment all that its thread does before it stands still has been done, also what
	   is no step. */
	bool all;
};
/* Where it is held before `step`, and where it is opened that holds at `edge`; `named`: the step
   that it is called after. A place of g->p; -1: nowhere. */
int plan_hold(struct plan_placing *g, size_t step, size_t *out);
int plan_open(struct plan_placing *g, const struct plan_edges *edges, const struct plan_edge *edge,
	      size_t *out, size_t *named);
void plan_place_fini(struct plan_place *place);
bool plan_is_same_place(const struct schedule_where *a, const struct schedule_where *b, bool line);
/* "worker#1" and "worker#2" run the same code. */
bool plan_are_alike(const char *a, const char *b);

/* words.c */
/* Does the line hold a loop and its body? How often a place there counts is the compiler's
   choice. */
bool plan_is_loop(const char *text);
enum plan_tense { PLAN_DOES, PLAN_DID };
/* "reads `count`"; without the place. */
void plan_deed(const struct schedule_step *step, const struct plan_words *words, struct str *out);
/* "worker1_read_count": an identifier. */
char *plan_name(const struct schedule *s, const struct schedule_step *step, enum plan_tense tense);

/* story.c: lines of comment, with their --. */
void plan_story(const struct gate_plan *p, const struct plan_view *v,
		const struct plan_words *words, const char *outcome, struct str *out);
#endif
