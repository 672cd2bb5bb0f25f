/*
 * Versions of a virtual destructor (Itanium C++ ABI 2.6, 5.1.4.3): D2 destroys the class, D1 also
 * its virtual bases, D0 also frees the memory. A version calls the one below it or contains an
 * inlined copy of it; the source is executed once, in the lowest one.
 */
#include "tracer/source/lines/resolve.h"

#include "tracer/arch/arch.h"

#include <string.h>

/* A version of the destructor that another version may call. */
struct below {
	struct module *module;
	const char *name;
	uint64_t offset;
	uint64_t slot; /* its entry in the global offset table; 0 if it has none */
};

/* Returns the digit of a destructor's linkage name: 0, 1, or 4, which stands for all
   versions (gcc); else NULL. */
static const char *digit_of(const char *linkage)
{
	size_t n = linkage ? strlen(linkage) : 0;
	const char *end;

	if (n < strlen("_ZD0Ev") || strncmp(linkage, "_Z", 2) != 0)
		return NULL;
	end = linkage + n - strlen("D0Ev");
	return end[0] == 'D' && strchr("014", end[1]) && strcmp(end + 2, "Ev") == 0 ? end + 1
										    : NULL;
}

static bool take_slot(void *ctx, const struct module_relocation *r)
{
	struct below *b = ctx;

	if (r->symbol && strcmp(r->symbol, b->name) == 0)
		b->slot = r->offset;
	return b->slot;
}

/* True for a copy of the function that the compiler specialised: NAME.specialized.N (clang 19),
   NAME.constprop.N (gcc). */
static bool is_clone(const struct below *b, uint64_t offset)
{
	const struct elf_symbol *s = module_symbol_at(b->module, offset, true);
	size_t n = strlen(b->name);

	return s && s->offset == offset && strncmp(s->name, b->name, n) == 0 && s->name[n] == '.';
}

static bool leads_to(const struct below *b, uint64_t address, const struct arch_insn *in)
{
	if ((in->flow == ARCH_FLOW_CALL || in->flow == ARCH_FLOW_JUMP) &&
	    (in->target == b->offset || is_clone(b, in->target)))
		return true;
	return b->slot &&
	       (in->flow == ARCH_FLOW_CALL || in->flow == ARCH_FLOW_JUMP ||
		in->flow == ARCH_FLOW_CALL_INDIRECT || in->flow == ARCH_FLOW_JUMP_INDIRECT) &&
	       call_slot(b->module, address, in) == b->slot;
}

/* True if the range calls or jumps to the version. `at_once`: before any access to
   memory, jump or call. */
static bool range_calls(const struct below *b, const struct module_range *range, bool at_once)
{
	const struct arch_regs none = {0};
	uint8_t bytes[ARCH_INSN_MAX];
	struct arch_access access;
	struct arch_insn in;

	for (uint64_t at = range->low; at < range->high; at += in.length) {
		size_t n = module_bytes(b->module, at, bytes, sizeof(bytes));

		if (arch_decode(bytes, n, at, &in) < 0)
			return false;
		if (leads_to(b, at, &in))
			return true;
		if (at_once && (in.flow != ARCH_FLOW_NEXT ||
				arch_access(bytes, n, at, &none, NULL, &access) == 0))
			return false;
	}
	return false;
}

static bool version_calls(struct module *m, const char *linkage, const struct flow_ranges *code,
			  bool at_once)
{
	const char *digit = digit_of(linkage);
	char *name = digit ? base_strdup(linkage) : NULL;
	struct below b = {.module = m, .name = name};
	bool found = false;

	for (char d = '2'; digit && d > (*digit == '4' ? '0' : *digit) && !found; d--) {
		name[digit - linkage] = d;
		b.slot = 0;
		if (module_symbol(m, name, &b.offset, NULL) < 0 || flow_in_ranges(code, b.offset))
			continue; /* an alias of this version */
		module_each_relocation(m, take_slot, &b);
		array_each(const struct module_range, range, code)
			found = found || range_calls(&b, range, at_once);
	}
	base_free(name);
	return found;
}

/*
 * gcc does not name the version of an inlined copy. A copy that passes on to another version calls
 * it at once; a destructor that destroys another object of its class first has to read the address
 * of that object.
 */
static bool copy_calls(struct module *m, const char *linkage, struct scope_ref copy)
{
	const struct flow_ranges code = scope_code(copy);
	uint64_t entry = scope_entry(copy);

	array_each(const struct module_range, r, &code) {
		struct module_range rest = {entry, r->high};

		if (entry >= r->low && entry < r->high)
			return version_calls(m, linkage, &(struct flow_ranges){&rest, 1, 1}, true);
	}
	return false;
}

bool destructor_calls(struct resolver *r, const struct instance *i)
{
	struct module_range ranges[2];
	struct flow_ranges code;
	struct function f;

	if (!i->scope.scope) {
		code = symbol_ranges(i->module, i->symbol, ranges);
		return version_calls(i->module, i->symbol->name, &code, false);
	}
	if (!resolve_function(r, i->module, i->scope, &f) || !digit_of(f.linkage))
		return false;
	if (i->scope.scope->kind == SCOPE_INLINED)
		return copy_calls(i->module, f.linkage, i->scope);
	code = scope_code(i->scope);
	return version_calls(i->module, f.linkage, &code, false);
}

/* True if the function contains an inlined copy of the same destructor. */
static bool has_copy(struct resolver *r, struct module *m, struct scope_ref scope)
{
	struct scope *all = scope.unit->scopes.items;
	struct function f, inner;

	if (!resolve_function(r, m, scope, &f) || !digit_of(f.linkage))
		return false;
	for (uint32_t i = (uint32_t)(scope.scope - all) + 1; i < scope.scope->end; i++)
		if (all[i].kind == SCOPE_INLINED &&
		    resolve_function(r, m, (struct scope_ref){scope.unit, &all[i]}, &inner) &&
		    inner.named.scope == f.named.scope)
			return true;
	return false;
}

bool destructor_passes_on(struct resolver *r, struct module *m, struct scope_ref scope)
{
	return scope.scope && (destructor_calls(r, &(struct instance){m, scope, NULL}) ||
			       (scope.scope->kind == SCOPE_FUNCTION && has_copy(r, m, scope)));
}
