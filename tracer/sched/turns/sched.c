/* What a search gives to its runs, and gets from them. */
#include "tracer/sched/sched_internal.h"

#include <string.h>

struct sched_chosen *accesses_chosen(const struct sched *g, const char *module, uint64_t offset)
{
	array_each(struct sched_chosen, chosen, &g->chosen)
		if (chosen->offset == offset && strcmp(chosen->module, module) == 0)
			return chosen;
	return NULL;
}

void sched_choose(struct sched *c, const struct sched_chosen *what)
{
	struct sched_chosen *there = accesses_chosen(c, what->module, what->offset);

	if (there)
		there->atomic |= what->atomic;
	else
		*array_add(&c->chosen) = (struct sched_chosen){
			base_strdup(what->module), what->offset, what->atomic, what->frees};
}

void sched_start(struct sched *c, const struct sched_chosen *where)
{
	*array_add(&c->starts) =
		(struct sched_chosen){base_strdup(where->module), where->offset, false, false};
}

void sched_forget_told(struct sched *c, size_t count)
{
	while (c->told.count > count) {
		struct sched_race *r = &c->told.items[--c->told.count];

		for (int i = 0; i < 2; i++) {
			base_free(r->sides[i].file);
			base_free(r->sides[i].func);
			base_free(r->sides[i].thread);
			base_free(r->sides[i].locks);
		}
		base_free(r->variable);
		base_free(r->before);
		base_free(r->between);
		base_free(r->after);
	}
}

void sched_paths_cut(struct sched_paths *p, size_t count)
{
	while (p->count > count)
		base_free(p->items[--p->count]);
}

void sched_paths_copy(struct sched_paths *to, const struct sched_paths *from)
{
	sched_paths_cut(to, 0);
	array_each(char *const, path, from)
		*array_add(to) = base_strdup(*path);
}

void sched_fini(struct sched *c)
{
	schedule_fini(&c->schedule);
	str_fini(&c->last_steps);
	str_fini(&c->last_threads);
	str_fini(&c->last_words);
	sched_paths_cut(&c->paths, 0);
	array_fini(&c->paths);
	array_fini(&c->accesses);
	array_fini(&c->looked);
	array_fini(&c->modules);
	array_fini(&c->freeing);
	sched_forget_told(c, 0);
	array_fini(&c->told);
	array_each(struct sched_chosen, chosen, &c->chosen)
		base_free(chosen->module);
	array_fini(&c->chosen);
	array_each(struct sched_chosen, start, &c->starts)
		base_free(start->module);
	array_fini(&c->starts);
	array_fini(&c->code);
	array_fini(&c->unbound);
	array_fini(&c->entries);
	array_fini(&c->worth_granting);
	base_free(c->stuck);
	c->stuck = NULL;
}
