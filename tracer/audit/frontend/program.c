#include "tracer/audit/frontend/program.h"

#include "tracer/audit/frontend/targets.h"

enum { CHUNK = 1 << 18, FIRST = 256 };

void *program_alloc(struct audit_program *p, size_t size)
{
	size = (size + 15) & ~(size_t)15;
	if (size > CHUNK)
		return *array_add(&p->memory) = base_alloc(1, size);
	if (p->chunk.room < size) {
		p->chunk.memory = *array_add(&p->memory) = base_alloc(1, CHUNK);
		p->chunk.room = CHUNK;
	}
	p->chunk.room -= size;
	return p->chunk.memory + p->chunk.room;
}

/* ---- numbers by numbers ------------------------------------------------------------------------------------ */

static size_t program_slot_of(const struct number_map *m, unsigned key)
{
	size_t at = (key * 0x9e3779b97f4a7c15 >> 32) & (m->size - 1);

	while (m->keys[at] && m->keys[at] != key)
		at = (at + 1) & (m->size - 1);
	return at;
}

unsigned number_map_get(const struct number_map *m, unsigned key)
{
	return m->size && key ? m->values[program_slot_of(m, key)] : 0;
}

static void program_grow(struct number_map *m)
{
	struct number_map old = *m;

	m->size = old.size ? 2 * old.size : FIRST;
	m->keys = base_alloc(m->size, sizeof(*m->keys));
	m->values = base_alloc(m->size, sizeof(*m->values));
	for (size_t i = 0; i < old.size; i++)
		if (old.keys[i]) {
			size_t at = program_slot_of(m, old.keys[i]);

			m->keys[at] = old.keys[i];
			m->values[at] = old.values[i];
		}
	number_map_fini(&old);
}

void number_map_set(struct number_map *m, unsigned key, unsigned value)
{
	size_t at;

	if (2 * m->count >= m->size)
		program_grow(m);
	at = program_slot_of(m, key);
	m->count += !m->keys[at];
	m->keys[at] = key;
	m->values[at] = value;
}

void number_map_fini(struct number_map *m)
{
	base_free(m->keys);
	base_free(m->values);
	*m = (struct number_map){0};
}

/* ---- what is in it ------------------------------------------------------------------------------------------- */

struct audit_global *program_global(const struct audit_program *p, unsigned usr)
{
	unsigned index = number_map_get(&p->global_of, usr);

	return index ? &p->globals.items[index - 1] : NULL;
}

const char *program_text(const struct audit_program *p, unsigned name)
{
	return interned_text(&p->names, name);
}

bool program_is_shared(const struct audit_record *r)
{
	return !r->not_shared && (r->has_lock || r->has_atomic || r->thread_safe);
}

void program_fini(struct audit_program *p)
{
	array_each(struct audit_record, r, &p->records)
		array_fini(&r->fields);
	array_each(struct audit_function, f, &p->functions) {
		array_each(struct audit_block, b, &f->blocks)
			array_fini(&b->steps);
		array_fini(&f->blocks);
		array_fini(&f->locals);
	}
	array_each(void *, memory, &p->memory)
		base_free(*memory);
	array_fini(&p->memory);
	targets_fini(p);
	array_fini(&p->records);
	array_fini(&p->fields);
	array_fini(&p->functions);
	array_fini(&p->globals);
	number_map_fini(&p->declared);
	number_map_fini(&p->taken);
	number_map_fini(&p->record_of);
	number_map_fini(&p->field_of);
	number_map_fini(&p->function_of);
	number_map_fini(&p->global_of);
	interned_fini(&p->names);
}
