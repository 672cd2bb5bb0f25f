/* LOCATION:read and LOCATION:write: the instruction of a statement that reads what the statement
   writes, and the one that writes it. Accesses count that a search takes for points: not those to
   the thread's own frame. */
#include "tracer/source/lines/resolve.h"

#include "tracer/arch/arch.h"

struct part_access {
	struct source_access at;
	struct arch_operand operand;
	uint64_t size; /* 0: several operands, or an implied one */
};

/* The accesses of one copy of the statement, in the order of their addresses. */
struct part_search {
	struct resolver *r;
	const struct source_site *copy;
	struct line_unit *lines;
	ARRAY(struct part_access) found;
};

/* Optimised code has instructions of other statements between. */
static bool is_on_its_lines(const struct part_search *p, uint64_t offset)
{
	const struct source_site *s = p->copy;
	const struct line_row *row = p->lines ? lines_row_at(p->lines, offset) : NULL;
	const char *file = row ? lines_file(p->lines, row->file) : NULL;
	const struct source_file *text;

	if (!file || !s->file || !function_same_file(file, s->file))
		return false;
	text = lines_source(p->r->symbols, s->file);
	return row->line == s->line ||
	       (text && row->line > s->line && source_spans(text, s->line, row->line));
}

static bool parts_is_in(const struct part_search *p, uint64_t offset)
{
	array_each(const struct module_range, r, &p->copy->ranges)
		if (offset >= r->low && offset < r->high)
			return is_on_its_lines(p, offset);
	return false;
}

static void parts_add(void *ctx, const struct source_access *a)
{
	struct part_search *p = ctx;
	const struct arch_regs none = {0};
	struct part_access *added;
	struct arch_access access;
	uint8_t bytes[ARCH_INSN_MAX];
	size_t n;

	if (!parts_is_in(p, a->offset))
		return;
	n = module_bytes(p->copy->module, a->offset, bytes, sizeof(bytes));
	added = array_add(&p->found);
	*added = (struct part_access){.at = *a};
	if (arch_operand(bytes, n, a->offset, &added->operand) &&
	    arch_accesses(bytes, n, a->offset, a->own, &none, &access, 1) == 1)
		added->size = access.size;
}

/* True if both name one address, as far as that can be seen: the registers of a pointer may
   differ. */
static bool is_alike(const struct part_access *a, const struct part_access *b)
{
	return a->size && a->size == b->size && a->operand.offset == b->operand.offset &&
	       a->operand.scale == b->operand.scale &&
	       (a->operand.base == ARCH_NO_REGISTER) == (b->operand.base == ARCH_NO_REGISTER) &&
	       (a->operand.index == ARCH_NO_REGISTER) == (b->operand.index == ARCH_NO_REGISTER);
}

static const struct part_access *first_write(const struct part_search *p)
{
	array_each(const struct part_access, a, &p->found)
		if (a->at.what.writes)
			return a;
	return NULL;
}

static const struct part_access *read_of(const struct part_search *p,
					 const struct part_access *write)
{
	const struct part_access *first = NULL;

	array_each(const struct part_access, a, &p->found) {
		if (!a->at.what.reads)
			continue;
		if (!write || a == write || is_alike(a, write))
			return a;
		first = first ? first : a;
	}
	return first;
}

/* The statement is there, but no thread can be held between its accesses. */
static void parts_none(struct resolver *r, const char *why)
{
	r->without_code = true;
	error_set(r->err, ERROR_LOCATION, "%s: %s", r->location->text, why);
}

/* One instruction is both accesses. Without a lock prefix, other threads may run between them. */
static void parts_within(struct resolver *r, const struct part_access *both)
{
	if (both->at.what.atomic) {
		parts_none(r, "one atomic instruction reads and writes, within which no thread can "
			      "be held");
		return;
	}
	error_set(r->err, ERROR_LOCATION,
		  "%s: one instruction reads and writes, within which no thread can be held",
		  r->location->text);
	error_hint(r->err,
		   "compile it with -O0; a schedule of `gatectl explore` has both as steps");
}

static void parts_add_site(struct resolver *r, const struct source_site *copy,
			   struct source_sites *out)
{
	const struct location *l = r->location;
	struct die_table *dies = dies_table(copy->module, r->err);
	const struct die_unit *unit = dies ? dies_unit_at(dies, copy->offset) : NULL;
	struct part_search p = {.r = r, .copy = copy};
	const struct part_access *write, *read, *found;

	p.lines = unit ? unit_lines(r, copy->module, unit) : NULL;
	source_accesses_in(copy->module, &copy->ranges, parts_add, &p);
	write = first_write(&p);
	read = read_of(&p, write);
	found = l->part == LOCATION_WRITE ? write : read;
	if (found && l->part == LOCATION_WRITE && read == write)
		parts_within(r, found);
	else if (found)
		instruction_site(r, copy->module, found->at.offset, found->at.what.length, out);
	array_fini(&p.found);
}

void part_sites(struct resolver *r, struct source_sites *sites)
{
	const struct location *l = r->location;
	struct source_sites whole = *sites;

	*sites = (struct source_sites){0};
	for (size_t i = 0; i < whole.count && !r->err->code; i++)
		parts_add_site(r, &whole.items[i], sites);
	if (!sites->count && !r->err->code)
		parts_none(r, l->part == LOCATION_READ
				      ? "the statement reads no memory that threads can share, as "
					"it is compiled"
				      : "the statement writes no memory that threads can share, "
					"as it is compiled");
	source_sites_fini(&whole);
}
