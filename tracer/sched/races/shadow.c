#include "tracer/sched/races/shadow.h"

enum { CELL = 8 };

/* ---- pools ---------------------------------------------------------------------------------- */

static struct shadow_variable *variable_of(struct shadow *s, uint32_t number)
{
	return &s->variables.items[number - 1];
}

static uint32_t new_variable(struct shadow *s)
{
	uint32_t number = s->free_variable;

	if (!number) {
		*array_add(&s->variables) = (struct shadow_variable){0};
		return (uint32_t)s->variables.count;
	}
	s->free_variable = variable_of(s, number)->next;
	*variable_of(s, number) = (struct shadow_variable){0};
	return number;
}

static uint32_t new_reads(struct shadow *s)
{
	uint32_t number = s->free_reads;

	if (!number) {
		*array_add(&s->reads) = (struct read_list){0};
		return (uint32_t)s->reads.count;
	}
	s->free_reads = s->reads.items[number - 1].next;
	return number;
}

static void free_reads(struct shadow *s, struct shadow_variable *v)
{
	struct read_list *reads;

	if (!v->reads)
		return;
	reads = &s->reads.items[v->reads - 1];
	reads->list.count = 0;
	reads->next = s->free_reads;
	s->free_reads = v->reads;
	v->reads = 0;
}

static void shadow_add_place(struct shadow *s, struct shadow_variable *v, uint32_t place)
{
	uint32_t number = s->free_link;

	for (uint32_t i = v->places; i; i = s->links.items[i - 1].next)
		if (s->links.items[i - 1].place == place)
			return;
	if (number) {
		s->free_link = s->links.items[number - 1].next;
		s->links.items[number - 1] = (struct place_link){place, v->places};
	} else {
		*array_add(&s->links) = (struct place_link){place, v->places};
		number = (uint32_t)s->links.count;
	}
	v->places = number;
}

static void free_places(struct shadow *s, struct shadow_variable *v)
{
	while (v->places) {
		struct place_link *link = &s->links.items[v->places - 1];
		uint32_t next = link->next;

		link->next = s->free_link;
		s->free_link = v->places;
		v->places = next;
	}
}

static void free_variable(struct shadow *s, uint32_t number)
{
	struct shadow_variable *v = variable_of(s, number);

	free_reads(s, v);
	free_places(s, v);
	v->next = s->free_variable;
	s->free_variable = number;
}

/* ---- one variable --------------------------------------------------------------------------- */

static bool shadow_is_same(const struct shadow_seen *a, const struct shadow_seen *b)
{
	return a->clock == b->clock && a->thread == b->thread && a->place == b->place &&
	       a->locks == b->locks && a->writes == b->writes && a->atomic == b->atomic;
}

static void races_shadow_compare(struct shadow *s, uint64_t address,
				 const struct shadow_seen *before, const struct shadow_seen *now)
{
	if (before->clock && before->thread != now->thread && !(before->atomic && now->atomic) &&
	    !s->user.is_ordered(s->user.ctx, before))
		s->user.race(s->user.ctx, address, before, now);
}

static void share(struct shadow *s, struct shadow_variable *v, const struct shadow_seen *now)
{
	if (!v->shared && (!v->places || v->owner == now->thread)) {
		v->owner = now->thread;
		shadow_add_place(s, v, now->place);
		return;
	}
	for (uint32_t i = v->places; i; i = s->links.items[i - 1].next)
		s->user.shared(s->user.ctx, s->links.items[i - 1].place);
	free_places(s, v);
	v->shared = true;
	s->user.shared(s->user.ctx, now->place);
}

/* All reads are on the list from now on. */
static void keep_all_reads(struct shadow *s, struct shadow_variable *v)
{
	v->reads = new_reads(s);
	*array_add(&s->reads.items[v->reads - 1].list) = v->read;
	v->read = (struct shadow_seen){0};
}

static void note_read(struct shadow *s, struct shadow_variable *v, const struct shadow_seen *now)
{
	struct read_list *reads;

	if (!v->reads && (!v->read.clock || v->read.thread == now->thread ||
			  s->user.is_ordered(s->user.ctx, &v->read))) {
		v->read = *now;
		return;
	}
	if (!v->reads)
		keep_all_reads(s, v);
	reads = &s->reads.items[v->reads - 1];
	array_each(struct shadow_seen, read, &reads->list) {
		if (read->thread == now->thread) {
			*read = *now;
			return;
		}
	}
	*array_add(&reads->list) = *now;
}

static void compare_reads(struct shadow *s, const struct shadow_variable *v, uint64_t address,
			  const struct shadow_seen *now)
{
	races_shadow_compare(s, address, &v->read, now);
	if (v->reads)
		array_each(struct shadow_seen, read, &s->reads.items[v->reads - 1].list)
			races_shadow_compare(s, address, read, now);
}

static void note_write(struct shadow *s, struct shadow_variable *v, uint64_t address,
		       const struct shadow_seen *now)
{
	compare_reads(s, v, address, now);
	free_reads(s, v);
	v->read = (struct shadow_seen){0};
	v->write = *now;
}

static void touch(struct shadow *s, struct shadow_variable *v, uint64_t cell,
		  const struct shadow_seen *now)
{
	uint64_t address = cell * CELL + (unsigned)__builtin_ctz(v->bytes);

	/* A write forgets the reads before it: what is here has been compared with all that there is. */
	if (!v->reads && shadow_is_same(now->writes && !v->read.clock ? &v->write : &v->read, now))
		return;
	share(s, v, now);
	races_shadow_compare(s, address, &v->write, now);
	if (now->writes)
		note_write(s, v, address, now);
	else
		note_read(s, v, now);
}

/* ---- cells ---------------------------------------------------------------------------------- */

/* The other bytes of the variable become one of their own, with the same past. */
static void split(struct shadow *s, uint32_t number, uint8_t bytes)
{
	uint32_t other = new_variable(s);
	struct shadow_variable *v = variable_of(s, number), *o = variable_of(s, other);

	*o = *v;
	o->bytes = v->bytes & (uint8_t)~bytes;
	v->bytes &= bytes;
	v->next = other;
	o->places = o->reads = 0;
	for (uint32_t i = v->places; i; i = s->links.items[i - 1].next)
		shadow_add_place(s, o, s->links.items[i - 1].place);
	if (v->reads) {
		o->reads = new_reads(s);
		array_each(const struct shadow_seen, read, &s->reads.items[v->reads - 1].list)
			*array_add(&s->reads.items[o->reads - 1].list) = *read;
	}
}

static void touch_cell(struct shadow *s, uint64_t cell, uint8_t bytes,
		       const struct shadow_seen *now)
{
	uint32_t *first = map_at(&s->cells, cell);
	uint8_t left = bytes;

	for (uint32_t i = *first; i && left; i = variable_of(s, i)->next) {
		if (!(variable_of(s, i)->bytes & bytes))
			continue;
		if (variable_of(s, i)->bytes & ~bytes)
			split(s, i, bytes);
		touch(s, variable_of(s, i), cell, now);
		left &= (uint8_t)~variable_of(s, i)->bytes;
	}
	if (left) {
		uint32_t number = new_variable(s);
		struct shadow_variable *v = variable_of(s, number);

		v->bytes = left;
		v->next = *first;
		*first = number;
		touch(s, v, cell, now);
	}
}

/* Which bytes of the cell are in [low, last]. */
static uint8_t bytes_of(uint64_t cell, uint64_t low, uint64_t last)
{
	unsigned from = cell == low / CELL ? low % CELL : 0;
	unsigned to = cell == last / CELL ? last % CELL : CELL - 1;

	return (uint8_t)(0xff << from) & (uint8_t)(0xff >> (CELL - 1 - to));
}

void shadow_access(struct shadow *s, uint64_t address, uint64_t size, const struct shadow_seen *now)
{
	uint64_t last = address + size - 1;

	for (uint64_t cell = address / CELL; cell <= last / CELL; cell++)
		touch_cell(s, cell, bytes_of(cell, address, last), now);
}

/* ---- memory that is given back -------------------------------------------------------------- */

struct comparing {
	struct shadow *shadow;
	uint64_t low, last;
	const struct shadow_seen *now;
};

static void compare_cell(void *ctx, uint64_t cell, uint32_t *first)
{
	const struct comparing *x = ctx;
	uint8_t bytes = bytes_of(cell, x->low, x->last);

	for (uint32_t i = *first; i; i = variable_of(x->shadow, i)->next) {
		const struct shadow_variable *v = variable_of(x->shadow, i);
		unsigned both = v->bytes & bytes;
		uint64_t address;

		if (!both)
			continue;
		address = cell * CELL + (unsigned)__builtin_ctz(both);
		races_shadow_compare(x->shadow, address, &v->write, x->now);
		compare_reads(x->shadow, v, address, x->now);
	}
}

void shadow_compare(struct shadow *s, uint64_t address, uint64_t size,
		    const struct shadow_seen *now)
{
	struct comparing x = {s, address, address + size - 1, now};

	map_each(&s->cells, address / CELL, x.last / CELL, compare_cell, &x);
}

/* ---- forgetting ----------------------------------------------------------------------------- */

struct forgetting {
	struct shadow *shadow;
	uint64_t low, last;
};

static void forget_cell(void *ctx, uint64_t cell, uint32_t *first)
{
	struct forgetting *f = ctx;
	uint8_t bytes = bytes_of(cell, f->low, f->last);
	uint32_t *link = first;

	while (*link) {
		uint32_t number = *link;
		struct shadow_variable *v = variable_of(f->shadow, number);

		v->bytes &= (uint8_t)~bytes;
		if (v->bytes) {
			link = &v->next;
			continue;
		}
		*link = v->next;
		free_variable(f->shadow, number);
	}
}

void shadow_forget(struct shadow *s, uint64_t address, uint64_t size)
{
	struct forgetting f = {s, address, address + size - 1};

	map_each(&s->cells, address / CELL, f.last / CELL, forget_cell, &f);
}

void shadow_clear(struct shadow *s)
{
	map_clear(&s->cells);
	array_each(struct read_list, reads, &s->reads)
		array_fini(&reads->list);
	s->variables.count = s->links.count = s->reads.count = 0;
	s->free_variable = s->free_link = s->free_reads = 0;
}

void shadow_fini(struct shadow *s)
{
	shadow_clear(s);
	map_fini(&s->cells);
	array_fini(&s->variables);
	array_fini(&s->links);
	array_fini(&s->reads);
}
