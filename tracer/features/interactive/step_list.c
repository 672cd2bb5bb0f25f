/* Steps of the user while the program is stopped: open, hold, go, only. */
#include "tracer/run/places/places.h"
#include "tracer/features/interactive/interactive_internal.h"

#include <string.h>

int interactive_open(struct interactive *l, const char *gate, struct error *err)
{
	struct gate *g;

	if (interactive_needs_program(l, err) < 0)
		return -1;
	for (size_t i = 0; (g = engine_gate_at(run_engine(l->run), i)); i++) {
		if (g->ablation || g->dropped || strcmp(g->name, gate) != 0)
			continue;
		engine_open(run_engine(l->run), g, NULL);
		apply_decisions(l->run);
		interactive_opened(l, g->name);
		return 0;
	}
	error_set(err, ERROR_USAGE, "there is no gate '%s'", gate);
	return error_hint(err, "`gates` lists them");
}

void interactive_opened(struct interactive *l, const char *gate)
{
	char *name = base_strdup(gate);

	steps_add(l, &(struct steps_step){.kind = HAND_OPEN, .what = name}, "open");
	base_free(name);
}

const char *interactive_open_gate(const struct interactive *l, size_t i)
{
	const struct gate *g;

	for (size_t k = 0; l->began && (g = engine_gate_at(run_engine(l->run), k)); k++)
		if (g->is_open && !g->ablation && i-- == 0)
			return g->name;
	return NULL;
}

int interactive_hold(struct interactive *l, const char *thread, struct error *err)
{
	struct run_thread *t = interactive_living(l, thread, err);

	if (!t)
		return -1;
	steps_add(l, &(struct steps_step){.kind = HAND_HOLD, .thread = run_thread_id(t)}, "hold");
	run_thread_park(t, PARKED);
	*steps_parked_by(t) = l->taken.steps.count - 1;
	return 0;
}

static int let_by_hand(struct interactive *l, struct run_thread *t, enum steps_kind kind,
		       const char *verb, struct error *err)
{
	int passes = interactive_let(l, t, err);

	if (passes >= 0)
		steps_add(l,
			  &(struct steps_step){
				  .kind = kind, .thread = run_thread_id(t), .passes = passes > 0},
			  verb);
	return passes < 0 ? -1 : 0;
}

int interactive_release(struct interactive *l, const char *thread, struct error *err)
{
	struct run_thread *t = interactive_living(l, thread, err);

	return t ? let_by_hand(l, t, HAND_GO, "go", err) : -1;
}

void interactive_release_all(struct interactive *l, bool noted)
{
	if (noted)
		steps_add(l, &(struct steps_step){.kind = HAND_RUN}, "run");
	run_each_thread(t, l->run)
		if (run_thread_parked(t) == PARKED_STAYS)
			run_thread_park(t, NOT_PARKED);
}

int interactive_only(struct interactive *l, const char *thread, struct error *err)
{
	struct run_thread *t = interactive_living(l, thread, err);

	if (!t || let_by_hand(l, t, HAND_ONLY, "only", err) < 0)
		return -1;
	l->only = t;
	return 0;
}
