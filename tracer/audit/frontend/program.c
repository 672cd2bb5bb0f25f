/* Memory of the program; access to names and globals. */
#include "tracer/audit/frontend/program.h"

enum { CHUNK = 1 << 18 };

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

int place_compare(struct audit_place a, struct audit_place b)
{
	if (a.file != b.file)
		return a.file < b.file ? -1 : 1;
	if (a.line != b.line)
		return a.line < b.line ? -1 : 1;
	return (a.column > b.column) - (a.column < b.column);
}

bool program_has_call(const struct audit_expr *e)
{
	bool has = e->kind == EXPR_CALL;

	for (unsigned i = 0; !has && i < e->count; i++)
		has = program_has_call(e->operands[i]);
	return has;
}

struct audit_global *program_global(const struct audit_program *p, unsigned usr)
{
	unsigned index = number_map_get(&p->global_of, usr);

	return index ? &p->globals.items[index - 1] : NULL;
}

struct audit_record *program_variables(struct audit_program *p)
{
	if (!p->variables) {
		array_add(&p->records)->kind = RECORD_VARIABLES;
		p->variables = (unsigned)p->records.count;
	}
	return &p->records.items[p->variables - 1];
}

const char *program_text(const struct audit_program *p, unsigned name)
{
	return interned_text(&p->names, name);
}

bool program_is_shared(const struct audit_record *r)
{
	return !r->not_shared && (r->has_lock || r->has_atomic || r->thread_safe);
}

bool program_is_plain(const struct audit_record *r)
{
	return r->kind == RECORD_STRUCT && !r->not_shared && !r->is_system && !program_is_shared(r);
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
	number_map_fini(&p->endings);
	number_map_fini(&p->taken);
	number_map_fini(&p->lock_parameters);
	number_map_fini(&p->stored);
	number_map_fini(&p->record_of);
	number_map_fini(&p->field_of);
	number_map_fini(&p->function_of);
	number_map_fini(&p->global_of);
	interned_fini(&p->names);
}
