#include "tracer/source/accesses.h"

#include "tracer/dwarf/cfi.h"
#include "tracer/dwarf/dies.h"
#include "tracer/elf/module_tables.h"

#include <libdwarf/dwarf.h>

enum { FUNCTION_MAX = 64 << 20 }; /* no real function is longer */

struct accesses {
	struct module *module;
	struct die_table *dies; /* NULL: all code is wanted */
	void (*each)(void *ctx, const struct source_access *a);
	void *ctx;
	ARRAY(uint8_t) bytes; /* of one function */
	bool found;
};

/* Is rbp the frame pointer here? Then the frame's address is said by it: itself, or (where the stack was
   aligned to more than 16 bytes) an expression that begins with it. */
static bool is_framed(struct module *m, uint64_t offset)
{
	struct cfi_row row;
	ERROR(ignored);

	if (frames_row(m, offset, &row, &ignored) <= 0)
		return false;
	if (row.cfa.kind == CFI_EXPRESSION)
		return row.cfa.size && row.cfa.code[0] == DW_OP_breg0 + ARCH_DWARF_FP;
	return row.cfa_register == ARCH_DWARF_FP;
}

static bool touches(const struct arch_shared *s)
{
	return s->reads || s->writes || s->pauses;
}

/* Of a place that nobody writes there is nothing to say. */
static bool is_wanted(const struct module *m, const struct arch_shared *s)
{
	return s->pauses || s->writes ||
	       (s->reads && !(s->fixed && module_is_constant(m, s->fixed)));
}

/* What the first instruction says for which it makes a difference holds for its whole function. */
static void decide(struct accesses *w, const uint8_t *bytes, size_t n, struct source_access *a,
		   bool *known)
{
	struct arch_shared framed;

	arch_shared(bytes, n, a->offset, true, &framed);
	if (touches(&framed))
		return;
	*known = true;
	a->framed = is_framed(w->module, a->offset);
	if (a->framed)
		a->what = framed;
}

static void decode(struct accesses *w, uint64_t low, const uint8_t *bytes, size_t n)
{
	struct source_access a = {0};
	bool known = false;

	for (size_t at = 0; at < n; at += a.what.length) {
		a.offset = low + at;
		if (arch_shared(bytes + at, n - at, a.offset, a.framed, &a.what) < 0)
			return;
		if (touches(&a.what) && !known)
			decide(w, bytes + at, n - at, &a, &known);
		if (is_wanted(w->module, &a.what))
			w->each(w->ctx, &a);
	}
}

static bool is_described(struct accesses *w, uint64_t offset)
{
	const struct die_unit *u = dies_unit_at(w->dies, offset);

	return u && u->has_stmt_list;
}

static void visit(void *ctx, uint64_t low, uint64_t high)
{
	struct accesses *w = ctx;
	size_t size = high - low < FUNCTION_MAX ? high - low : FUNCTION_MAX;

	if (!module_is_code(w->module, low) || (w->dies && !is_described(w, low)))
		return;
	if (frames_is_signal(w->module, low)) /* begins a byte before its code: that is a rule */
		return;
	w->found = true;
	while (w->bytes.count < size)
		*array_add(&w->bytes) = 0;
	size = module_bytes(w->module, low, w->bytes.items, size);
	decode(w, low, w->bytes.items, size);
}

bool source_accesses(struct module *m, bool described,
		     void (*each)(void *ctx, const struct source_access *a), void *ctx)
{
	struct accesses w = {.module = m, .each = each, .ctx = ctx};
	ERROR(ignored);

	if (described && !(w.dies = dies_table(m, &ignored)))
		return false;
	frames_each(m, visit, &w);
	array_fini(&w.bytes);
	return w.found;
}
