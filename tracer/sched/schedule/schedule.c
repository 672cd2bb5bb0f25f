/* Contents of a schedule: threads, steps, texts and modules; its digest, copy and guide. */
#include "tracer/sched/schedule/schedule.h"

#include "tracer/base/table.h"

#include <string.h>

void schedule_names_cut(struct schedule_names *n, size_t count)
{
	while (n->count > count)
		base_free(n->items[--n->count]);
}

void schedule_names_fini(struct schedule_names *n)
{
	schedule_names_cut(n, 0);
	array_fini(n);
}

void schedule_names_copy(struct schedule_names *to, const struct schedule_names *from)
{
	schedule_names_cut(to, 0);
	array_each(char *const, name, from)
		*array_add(to) = base_strdup(*name);
}

/* Removes threads as well: they are numbered in order of arrival, and a digest must not depend
   on earlier runs. */
void schedule_clear(struct schedule *s)
{
	schedule_names_cut(&s->threads, 0);
	s->steps.count = s->pending.count = 0;
}

void schedule_fini(struct schedule *s)
{
	schedule_names_fini(&s->threads);
	schedule_names_fini(&s->texts);
	schedule_names_fini(&s->modules);
	base_free(s->slots);
	s->slots = NULL;
	s->slot_count = 0;
	array_fini(&s->steps);
	array_fini(&s->pending);
}

static size_t *schedule_slot_of(const struct schedule *s, const char *text)
{
	size_t at = hash_slot(hash_text(HASH_START, text)) & (s->slot_count - 1);

	while (s->slots[at] && strcmp(s->texts.items[s->slots[at] - 1], text) != 0)
		at = (at + 1) & (s->slot_count - 1);
	return &s->slots[at];
}

static void grow_slots(struct schedule *s)
{
	enum { LEAST = 64 };

	base_free(s->slots);
	s->slot_count = s->slot_count ? 2 * s->slot_count : LEAST;
	s->slots = base_alloc(s->slot_count, sizeof(*s->slots));
	for (size_t i = 0; i < s->texts.count; i++)
		*schedule_slot_of(s, s->texts.items[i]) = i + 1;
}

const char *schedule_text(struct schedule *s, const char *text)
{
	size_t *slot;

	if (!text)
		return NULL;
	if (2 * (s->texts.count + 1) > s->slot_count)
		grow_slots(s);
	slot = schedule_slot_of(s, text);
	if (!*slot) {
		*array_add(&s->texts) = base_strdup(text);
		*slot = s->texts.count;
	}
	return s->texts.items[*slot - 1];
}

unsigned schedule_thread(struct schedule *s, const char *id)
{
	for (size_t i = 0; i < s->threads.count; i++)
		if (strcmp(s->threads.items[i], id) == 0)
			return (unsigned)i;
	*array_add(&s->threads) = base_strdup(id);
	return (unsigned)s->threads.count - 1;
}

bool schedule_is_timer(const struct schedule *s, unsigned thread)
{
	static const char timer[] = SCHEDULE_TIMER;

	return strncmp(s->threads.items[thread], timer, sizeof(timer) - 1) == 0;
}

void schedule_module(struct schedule *s, const char *name)
{
	if (!schedule_module_at(s, address_of_module(name)))
		*array_add(&s->modules) = base_strdup(name);
}

const char *schedule_module_at(const struct schedule *s, uint64_t address)
{
	array_each(char *const, name, &s->modules)
		if (address_is_in(address, *name))
			return *name;
	return NULL;
}

static void move_address(uint64_t *address, const char *from, const char *to)
{
	if (*address && address_is_in(*address, from))
		*address = address_of(to, address_offset(*address));
}

static void move_step(struct schedule_step *step, const char *from, const char *to)
{
	bool is_fixed = step->point.fixed == step->point.object;

	move_address(&step->point.place, from, to);
	move_address(&step->point.fixed, from, to);
	if (is_fixed)
		step->point.object = step->point.fixed;
}

void schedule_rename_module(struct schedule *s, const char *from, const char *to)
{
	array_each(struct schedule_step, step, &s->steps)
		move_step(step, from, to);
	array_each(struct schedule_step, step, &s->pending)
		move_step(step, from, to);
	schedule_module(s, to);
}

/* Returns the order of first use for an object outside of modules, whose address differs between
   runs. */
static uint64_t object_digest(const struct strategy_point *p, struct table *came)
{
	uint64_t *number;

	if (p->fixed || p->object == STRATEGY_NO_OBJECT || p->object == STRATEGY_ANY_OBJECT)
		return p->fixed ? p->fixed : p->object;
	number = table_at(came, table_mix(p->object, 0));
	if (!*number)
		*number = came->count;
	return *number;
}

uint64_t schedule_digest(const struct schedule *s)
{
	uint64_t digest = HASH_START;
	struct table came = {0};

	array_each(const struct schedule_step, step, &s->steps) {
		digest = hash_word(digest, step->thread);
		digest = hash_word(digest, step->point.op);
		digest = hash_word(digest, step->point.place);
		digest = hash_word(digest, object_digest(&step->point, &came));
	}
	table_fini(&came);
	return digest;
}

void schedule_copy(struct schedule *to, const struct schedule *from)
{
	array_each(char *, id, &from->threads)
		schedule_thread(to, *id);
	array_each(char *, name, &from->modules)
		schedule_module(to, *name);
	array_each(const struct schedule_step, step, &from->steps) {
		struct schedule_step *copy = array_add(&to->steps);

		*copy = *step;
		copy->where = (struct schedule_where){0};
	}
}

struct strategy *schedule_guide(const struct schedule *s)
{
	ARRAY(struct strategy_point) points = {0};
	struct strategy *guide;

	array_each(const struct schedule_step, step, &s->steps)
		*array_add(&points) = step->point;
	guide = strategy_guide_exact(points.items, points.count);
	array_fini(&points);
	return guide;
}
