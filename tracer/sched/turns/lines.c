/* Lines that are points because the tester says so: chosen places at which no access to memory stands. */
#include "tracer/sched/sched_internal.h"
#include "tracer/run/places/sites.h"

#include <string.h>

/* What comes then, up to the thread's next point, may be anything. */
static enum hit_answer hit_line(struct run *s, const struct act *a, const struct hit *h)
{
	struct scheduler *c = scheduler_of(s);
	struct sched_thread *t = sched_thread_of(h->thread);

	(void)a;
	if (!c || !c->begun || c->over || !t->thread || t->at_point)
		return HIT_SEEN;
	watch_own_code(c, t);
	t->access_count = 0;
	t->point = (struct strategy_point){.op = STRATEGY_LINE,
					   .object = STRATEGY_ANY_OBJECT,
					   .place = h->address,
					   .writes = true};
	t->function = NULL;
	t->at_point = true;
	return HIT_SEEN;
}

static const struct site_owner line_owner = {.name = "line", .no_registers = true, .hit = hit_line};

static bool is_access(const struct sched *g, const struct module *m, uint64_t offset)
{
	array_each(const struct sched_access, a, &g->accesses)
		if (a->offset == offset && a->module == m)
			return true;
	return false;
}

void lines_settled(struct run *s, struct run_process *p, struct tracee_thread *t,
		   const struct image *image)
{
	const struct sched *g = s->options->sched;
	const struct act act = {.owner = &line_owner};
	ERROR(ignored);

	array_each(const struct sched_chosen, chosen, &g->chosen) {
		struct site_use *use;

		if (chosen->frees || strcmp(chosen->module, module_name(image->module)) != 0 ||
		    is_access(g, image->module, chosen->offset))
			continue;
		use = sites_use(s, p, t, image->bias + chosen->offset, NULL, &ignored);
		if (use && !sites_has(use, &act))
			sites_act(use, &act);
	}
}
