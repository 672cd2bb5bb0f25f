/*
 * Drives the engine with made-up arrivals. Decisions are compared as one line of text:
 *
 *	a:T@L arrived    h:T:G held (G, or ? for a function)    p:T:G passed    o:G:T opened
 *	e:TEXT event     l:TEXT log       r:T released      k:T:SIG killed        w:T watch
 *	d:L place dead (L+ with after)    F fault    - no thread
 *
 * The script is a double with flags (refs of :when and of custom gates) and small programs (refs of
 * :run).
 */
#ifndef TEST_GATES_DRIVE_H
#define TEST_GATES_DRIVE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "gates/engine.h"
#include "tracer/base/text/str.h"

enum { REFS = 8, OPS = 6 };

enum op { OP_END, OP_GATE, OP_UNTIL, OP_OPEN, OP_SET, OP_FAULT, OP_LOOP };

struct op_code {
	enum op op;
	struct gate *gate; /* GATE, OPEN */
	int flag;	   /* UNTIL, SET */
};

struct drive {
	struct engine *e;
	enum engine_answer flags[REFS];
	struct op_code ops[REFS][OPS];
	unsigned ready_calls, when_calls, run_calls, passed_calls, opened_calls, run_ends;
	bool passed_shuts;	   /* passed() sets its gate's flag to NO: the permit is used up */
	bool opened_sets;	   /* opened() sets its gate's flag to YES */
	enum engine_answer opened; /* result of opened() */
	const char *name;	   /* name of every thread */
	unsigned name_calls;
	struct gate *opened_opens; /* opened() opens this gate too */
	unsigned long last_count;
	const char *last_func;
	struct engine_thread *until_runs; /* every :when waits until this thread is not held */
	int passed_sets;		  /* passed() sets this flag; 0: none */
};

static enum engine_answer said(enum engine_answer a, struct error *err)
{
	if (a == ENGINE_FAULT)
		error_set(err, ERROR_SCRIPT, "x.lua:1: broken");
	return a;
}

static enum engine_answer drive_ready(void *ctx, struct gate *g, const struct arrival *a,
				      struct error *err)
{
	struct drive *d = ctx;

	(void)a;
	d->ready_calls++;
	return said(d->flags[g->script_ref], err);
}

static enum engine_answer drive_when(void *ctx, int ref, const struct arrival *a, struct error *err)
{
	struct drive *d = ctx;

	d->when_calls++;
	d->last_count = a->count;
	d->last_func = a->func;
	if (d->until_runs)
		return d->until_runs->held ? ENGINE_NO : ENGINE_YES;
	return said(d->flags[ref], err);
}

static enum engine_answer drive_run(void *ctx, int ref, const struct arrival *a, void **coroutine,
				    struct gate **gate, struct error *err)
{
	struct drive *d = ctx;
	int *pc = *coroutine, start;

	d->run_calls++;
	if (!pc)
		*coroutine = pc = base_alloc(1, sizeof(*pc));
	for (start = *pc;; ++*pc) {
		struct op_code *o = &d->ops[ref][*pc];

		switch (o->op) {
		case OP_GATE:
			++*pc;
			*gate = o->gate;
			return ENGINE_NO;
		case OP_UNTIL:
			engine_waits_until(a->place, ref);
			if (d->flags[o->flag] == ENGINE_YES)
				break;
			if (*pc > start)
				engine_changed(d->e);
			return ENGINE_NO;
		case OP_OPEN:
			engine_open(d->e, o->gate, a->thread);
			break;
		case OP_SET:
			d->flags[o->flag] = ENGINE_YES;
			break;
		case OP_LOOP:
			*pc = -1;
			break;
		case OP_FAULT:
			base_free(pc);
			return said(ENGINE_FAULT, err);
		case OP_END:
			base_free(pc);
			return ENGINE_YES;
		}
	}
}

static void drive_run_end(void *ctx, void *coroutine)
{
	struct drive *d = ctx;

	d->run_ends++;
	base_free(coroutine);
}

static enum engine_answer drive_passed(void *ctx, struct gate *g, const struct arrival *a,
				       struct error *err)
{
	struct drive *d = ctx;

	(void)a, (void)err;
	d->passed_calls++;
	if (d->passed_sets)
		d->flags[d->passed_sets] = ENGINE_YES;
	if (d->passed_shuts)
		d->flags[g->script_ref] = ENGINE_NO;
	return ENGINE_YES;
}

static enum engine_answer drive_opened(void *ctx, struct gate *g, struct error *err)
{
	struct drive *d = ctx;

	d->opened_calls++;
	if (d->opened_sets)
		d->flags[g->script_ref] = ENGINE_YES;
	if (d->opened_opens)
		engine_open(d->e, d->opened_opens, NULL);
	return said(d->opened, err);
}

static enum engine_answer drive_log_text(void *ctx, const char *text, const struct arrival *a,
					 char **line, struct error *err)
{
	struct str s = {0};

	(void)ctx;
	if (strcmp(text, "broken") == 0)
		return said(ENGINE_FAULT, err);
	if (strcmp(text, "dying") == 0)
		return ENGINE_GONE;
	str_addf(&s, "%s=%lu", text, a->count);
	*line = str_take(&s);
	return ENGINE_YES;
}

static const char *drive_name(void *ctx, const struct engine_thread *t)
{
	struct drive *d = ctx;

	(void)t;
	d->name_calls++;
	return d->name;
}

static void drive_begin(struct drive *d)
{
	struct engine_world world = {.ctx = d, .thread_name = drive_name};
	struct engine_script script = {
		.ctx = d,
		.ready = drive_ready,
		.when = drive_when,
		.run = drive_run,
		.run_end = drive_run_end,
		.passed = drive_passed,
		.opened = drive_opened,
		.log_text = drive_log_text,
	};

	*d = (struct drive){.opened = ENGINE_YES, .name = ""};
	d->e = engine_new(&world);
	engine_set_script(d->e, &script);
}

static inline void drive_say(const struct decision *d, struct str *out)
{
	const char *t = d->thread ? d->thread->id : "-", *g = d->gate ? d->gate->name : "?";

	if (out->length)
		str_add(out, " ");
	switch (d->kind) {
	case DECISION_ARRIVED:
		str_addf(out, "a:%s@%s%s", t, d->place->location, d->place->after ? "+" : "");
		break;
	case DECISION_HOLD:
		str_addf(out, "h:%s:%s", t, g);
		break;
	case DECISION_PASS:
		str_addf(out, "p:%s:%s", t, g);
		break;
	case DECISION_OPENED:
		str_addf(out, "o:%s:%s", g, t);
		break;
	case DECISION_EVENT:
		str_addf(out, "e:%s", d->text);
		break;
	case DECISION_LOG:
		str_addf(out, "l:%s", d->text);
		break;
	case DECISION_RELEASE:
		str_addf(out, "r:%s", t);
		break;
	case DECISION_KILL:
		str_addf(out, "k:%s:%d", t, d->signal);
		break;
	case DECISION_ELIDE:
	case DECISION_SPURIOUS:
		str_addf(out, "z:%s", t);
		break;
	case DECISION_WATCH:
		str_addf(out, "w:%s", t);
		break;
	case DECISION_DEAD:
		str_addf(out, "d:%s%s", d->place->location, d->place->after ? "+" : "");
		break;
	case DECISION_FAULT:
		str_add(out, "F");
		break;
	}
}

/* Decisions since the last call. */
#define decided(d, text)                                                                           \
	do {                                                                                       \
		struct str out_ = {0};                                                             \
		struct decision one_;                                                              \
		while (engine_next((d)->e, &one_))                                                 \
			drive_say(&one_, &out_);                                                   \
		assert_string_equal(str_text(&out_), text);                                        \
		str_fini(&out_);                                                                   \
	} while (0)

static inline struct engine_thread *drive_thread(struct drive *d, const char *id)
{
	return engine_thread_new(d->e, id, "worker", 1);
}

static inline struct place *drive_place(struct drive *d, const char *location)
{
	return engine_place(d->e, PLACE_LOCATION, location, "x.lua:1");
}

static inline void step_gate(struct place *p, enum step_kind kind, struct gate *g)
{
	engine_step(p, kind)->gate = g;
}

static inline void step_text(struct place *p, enum step_kind kind, const char *text)
{
	engine_step(p, kind)->text = base_strdup(text);
}

static inline void step_ref(struct place *p, enum step_kind kind, int ref)
{
	engine_step(p, kind)->script_ref = ref;
}

static inline void arrive(struct drive *d, struct engine_thread *t, struct place *p)
{
	engine_arrive(d->e, &p, 1, &(struct arrival){.thread = t, .func = "f", .file = "x.c"});
}

static inline void arrive2(struct drive *d, struct engine_thread *t, struct place *p,
			   struct place *q)
{
	engine_arrive(d->e, (struct place *[]){p, q}, 2, &(struct arrival){.thread = t});
}

static inline bool is_held(struct drive *d, struct engine_thread *t)
{
	struct engine_hold hold;

	return engine_held(d->e, t, &hold);
}

#endif
