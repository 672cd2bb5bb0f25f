/* Shadow memory: the last write, and the last reads, of each byte of the program's memory. */
#include "tracer/sched/races/races_internal.h"

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

static void free_variable(struct shadow *s, uint32_t number)
{
	struct shadow_variable *v = variable_of(s, number);

	free_reads(s, v);
	v->next = s->free_variable;
	s->free_variable = number;
}

/* ---- one variable --------------------------------------------------------------------------- */

static bool shadow_is_same(const struct shadow_seen *a, const struct shadow_seen *b)
{
	return a->clock == b->clock && a->thread == b->thread && a->place == b->place &&
	       a->locks == b->locks && a->writes == b->writes && a->atomic == b->atomic;
}

static void compare_seen(struct races *r, uint64_t address, const struct shadow_seen *before,
			 const struct shadow_seen *now)
{
	if (before->clock && before->thread != now->thread && !(before->atomic && now->atomic) &&
	    !races_is_ordered(r, before))
		races_found(r, address, before, now);
}

/* Moves the read to a list, which holds all reads from now on. */
static void keep_all_reads(struct shadow *s, struct shadow_variable *v)
{
	v->reads = new_reads(s);
	*array_add(&s->reads.items[v->reads - 1].list) = v->read;
	v->read = (struct shadow_seen){0};
}

static void note_read(struct races *r, struct shadow_variable *v, const struct shadow_seen *now)
{
	struct shadow *s = &r->shadow;
	struct read_list *reads;

	if (!v->reads &&
	    (!v->read.clock || v->read.thread == now->thread || races_is_ordered(r, &v->read))) {
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

static void compare_reads(struct races *r, const struct shadow_variable *v, uint64_t address,
			  const struct shadow_seen *now)
{
	compare_seen(r, address, &v->read, now);
	if (v->reads)
		array_each(struct shadow_seen, read, &r->shadow.reads.items[v->reads - 1].list)
			compare_seen(r, address, read, now);
}

static void note_write(struct races *r, struct shadow_variable *v, uint64_t address,
		       const struct shadow_seen *now)
{
	compare_reads(r, v, address, now);
	free_reads(&r->shadow, v);
	v->read = (struct shadow_seen){0};
	v->write = *now;
}

static void touch(struct races *r, struct shadow_variable *v, uint64_t cell,
		  const struct shadow_seen *now)
{
	uint64_t address = cell * CELL + (unsigned)__builtin_ctz(v->bytes);

	/* A write clears the reads, so an equal access was compared with everything that is
	   kept. */
	if (!v->reads && shadow_is_same(now->writes && !v->read.clock ? &v->write : &v->read, now))
		return;
	compare_seen(r, address, &v->write, now);
	if (now->writes)
		note_write(r, v, address, now);
	else
		note_read(r, v, now);
}

/* ---- cells ---------------------------------------------------------------------------------- */

/* Splits other bytes off into a variable with the same accesses. */
static void split(struct shadow *s, uint32_t number, uint8_t bytes)
{
	uint32_t other = new_variable(s);
	struct shadow_variable *v = variable_of(s, number), *o = variable_of(s, other);

	*o = *v;
	o->bytes = v->bytes & (uint8_t)~bytes;
	v->bytes &= bytes;
	v->next = other;
	o->reads = 0;
	if (v->reads) {
		o->reads = new_reads(s);
		array_each(const struct shadow_seen, read, &s->reads.items[v->reads - 1].list)
			*array_add(&s->reads.items[o->reads - 1].list) = *read;
	}
}

static void touch_cell(struct races *r, uint64_t cell, uint8_t bytes, const struct shadow_seen *now)
{
	struct shadow *s = &r->shadow;
	uint64_t *first = table_at(&s->cells, cell);
	uint8_t left = bytes;

	for (uint32_t i = (uint32_t)*first; i && left; i = variable_of(s, i)->next) {
		if (!(variable_of(s, i)->bytes & bytes))
			continue;
		if (variable_of(s, i)->bytes & ~bytes)
			split(s, i, bytes);
		touch(r, variable_of(s, i), cell, now);
		left &= (uint8_t)~variable_of(s, i)->bytes;
	}
	if (left) {
		uint32_t number = new_variable(s);
		struct shadow_variable *v = variable_of(s, number);

		v->bytes = left;
		v->next = (uint32_t)*first;
		*first = number;
		touch(r, v, cell, now);
	}
}

static uint8_t bytes_of(uint64_t cell, uint64_t low, uint64_t last)
{
	unsigned from = cell == low / CELL ? low % CELL : 0;
	unsigned to = cell == last / CELL ? last % CELL : CELL - 1;

	return (uint8_t)(0xff << from) & (uint8_t)(0xff >> (CELL - 1 - to));
}

void shadow_access(struct races *r, uint64_t address, uint64_t size, const struct shadow_seen *now)
{
	uint64_t last = address + size - 1;

	for (uint64_t cell = address / CELL; cell <= last / CELL; cell++)
		touch_cell(r, cell, bytes_of(cell, address, last), now);
}

/* ---- freed memory --------------------------------------------------------------------------- */

static struct table_walk cells_of(struct shadow *s, uint64_t address, uint64_t last)
{
	return (struct table_walk){
		.table = &s->cells, .first = address / CELL, .last = last / CELL};
}

void shadow_compare(struct races *r, uint64_t address, uint64_t size, const struct shadow_seen *now)
{
	uint64_t last = address + size - 1;
	struct table_walk w = cells_of(&r->shadow, address, last);

	while (table_next(&w)) {
		uint8_t bytes = bytes_of(w.key, address, last);

		for (uint32_t i = (uint32_t)*w.value; i; i = variable_of(&r->shadow, i)->next) {
			const struct shadow_variable *v = variable_of(&r->shadow, i);
			unsigned both = v->bytes & bytes;
			uint64_t at;

			if (!both)
				continue;
			at = w.key * CELL + (unsigned)__builtin_ctz(both);
			compare_seen(r, at, &v->write, now);
			compare_reads(r, v, at, now);
		}
	}
}

/* Removes bytes from the variables from number `first` on. Returns the first variable that is
   left. */
static uint32_t forget_bytes(struct shadow *s, uint32_t first, uint8_t bytes)
{
	uint32_t *link = &first;

	while (*link) {
		uint32_t number = *link;
		struct shadow_variable *v = variable_of(s, number);

		v->bytes &= (uint8_t)~bytes;
		if (v->bytes) {
			link = &v->next;
			continue;
		}
		*link = v->next;
		free_variable(s, number);
	}
	return first;
}

void shadow_forget(struct shadow *s, uint64_t address, uint64_t size)
{
	uint64_t last = address + size - 1;
	struct table_walk w = cells_of(s, address, last);

	while (table_next(&w))
		*w.value = forget_bytes(s, (uint32_t)*w.value, bytes_of(w.key, address, last));
}

void shadow_clear(struct shadow *s)
{
	table_clear(&s->cells);
	array_each(struct read_list, reads, &s->reads)
		array_fini(&reads->list);
	s->variables.count = s->reads.count = 0;
	s->free_variable = s->free_reads = 0;
}

void shadow_fini(struct shadow *s)
{
	shadow_clear(s);
	table_fini(&s->cells);
	array_fini(&s->variables);
	array_fini(&s->reads);
}
