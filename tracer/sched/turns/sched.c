/* Chosen places and reported races, which a search passes to its runs and collects from them. */
#include "tracer/sched/sched_internal.h"

#include <string.h>

void sched_places_add(struct sched_places *p, const struct sched_chosen *place)
{
	struct sched_chosen *copy = array_add(p);

	*copy = *place;
	copy->module = base_strdup(place->module);
}

void sched_places_copy(struct sched_places *to, const struct sched_places *from)
{
	array_each(const struct sched_chosen, place, from)
		sched_places_add(to, place);
}

struct sched_chosen *sched_places_find(const struct sched_places *p, const char *module,
				       uint64_t offset)
{
	array_each(struct sched_chosen, place, p)
		if (place->offset == offset && strcmp(place->module, module) == 0)
			return place;
	return NULL;
}

void sched_places_clear(struct sched_places *p)
{
	array_each(struct sched_chosen, place, p)
		base_free(place->module);
	array_fini(p);
}

void sched_choose(struct sched *c, const struct sched_chosen *what)
{
	struct sched_chosen *there = sched_places_find(&c->chosen, what->module, what->offset);

	if (there)
		there->atomic |= what->atomic;
	else
		sched_places_add(&c->chosen, what);
}

void sched_forget_reported(struct sched *c, size_t count)
{
	while (c->reported.count > count) {
		struct sched_race *r = &c->reported.items[--c->reported.count];

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

void sched_fini(struct sched *c)
{
	schedule_fini(&c->schedule);
	str_fini(&c->last_steps);
	str_fini(&c->last_threads);
	str_fini(&c->last_words);
	str_fini(&c->left);
	schedule_names_fini(&c->paths);
	array_fini(&c->accesses);
	array_fini(&c->looked);
	array_fini(&c->modules);
	array_fini(&c->freeing);
	callers_fini(&c->callers);
	sched_forget_reported(c, 0);
	array_fini(&c->reported);
	sched_places_clear(&c->chosen);
	sched_places_clear(&c->starts);
	array_fini(&c->code);
	array_fini(&c->unbound);
	array_fini(&c->entries);
	array_fini(&c->hot);
	base_free(c->stuck);
	c->stuck = NULL;
}
