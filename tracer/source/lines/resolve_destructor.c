/*
 * A virtual destructor is up to three functions (Itanium C++ ABI, 2.6 and 5.1.4.3): D2 destroys what belongs to the class, D1 its
 * virtual bases, too, and D0 gives the memory back besides. One often does its part by a call of the one below it, or
 * has a copy of it inside. What the tester has written is executed once, in that one.
 */
#include "tracer/source/flow/call_returns.h"
#include "tracer/source/lines/resolve.h"

#include "tracer/arch/arch.h"

#include <string.h>

/* One that the other may be called by. */
struct below {
	struct module *module;
	const char *name;
	uint64_t offset;
	uint64_t slot; /* of the global offset table; 0: none */
};

/* The digit in the name of a D0 or D1, or of what all of them are for gcc, D4; or NULL. */
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

/* A function of its own for some arguments: NAME.specialized.N (clang 19), NAME.constprop.N (gcc). */
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

/* `at_once`: before all else. */
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

static bool calls(struct module *m, const char *linkage, const struct module_range *ranges,
		  size_t count, bool at_once)
{
	const char *digit = digit_of(linkage);
	char *name = digit ? base_strdup(linkage) : NULL;
	struct below b = {.module = m, .name = name};
	bool found = false;

	for (char d = '2'; digit && d > (*digit == '4' ? '0' : *digit) && !found; d--) {
		name[digit - linkage] = d;
		b.slot = 0;
		if (module_symbol(m, name, &b.offset, NULL) < 0 ||
		    flow_in_ranges(ranges, count, b.offset))
			continue; /* it is the same one by another name */
		module_each_relocation(m, take_slot, &b);
		for (size_t i = 0; i < count && !found; i++)
			found = range_calls(&b, &ranges[i], at_once);
	}
	base_free(name);
	return found;
}

bool destructor_symbol_calls(struct module *m, const struct elf_symbol *s)
{
	struct module_range ranges[2];
	size_t count;

	symbol_ranges(m, s, ranges, &count);
	return calls(m, s->name, ranges, count, false);
}

/*
 * Which version a copy is of gcc does not say. One that is not to be executed by itself calls another at once: a destructor that
 * calls itself for another object has to find that first.
 */
static bool copy_calls(struct module *m, const char *linkage, struct scope_ref copy)
{
	uint64_t entry = scope_entry(copy);

	for (uint32_t i = 0; i < copy.scope->range_count; i++) {
		const struct module_range *r =
			&copy.unit->ranges.items[copy.scope->first_range + i];

		if (entry >= r->low && entry < r->high)
			return calls(m, linkage, &(struct module_range){entry, r->high}, 1, true);
	}
	return false;
}

int destructor_calls(struct die_table *t, struct module *m, struct scope_ref scope, bool *out,
		     struct error *err)
{
	struct function f;

	if (function_read(t, scope, &f, err) < 0)
		return -1;
	if (!digit_of(f.linkage))
		*out = false;
	else if (scope.scope->kind == SCOPE_INLINED)
		*out = copy_calls(m, f.linkage, scope);
	else
		*out = calls(m, f.linkage, scope.unit->ranges.items + scope.scope->first_range,
			     scope.scope->range_count, false);
	return 0;
}

/* Does it have a copy of the same destructor inside? */
static int has_copy(struct die_table *t, struct scope_ref scope, bool *out, struct error *err)
{
	struct scope *all = scope.unit->scopes.items;
	struct function f, inner;

	if (function_read(t, scope, &f, err) < 0)
		return -1;
	if (!digit_of(f.linkage))
		return 0;
	for (uint32_t i = (uint32_t)(scope.scope - all) + 1; i < scope.scope->end && !*out; i++) {
		if (all[i].kind != SCOPE_INLINED)
			continue;
		if (function_read(t, (struct scope_ref){scope.unit, &all[i]}, &inner, err) < 0)
			return -1;
		*out = inner.named.scope == f.named.scope;
	}
	return 0;
}

int destructor_passes_on(struct die_table *t, struct module *m, struct scope_ref scope, bool *out,
			 struct error *err)
{
	*out = false;
	if (!scope.scope)
		return 0;
	if (destructor_calls(t, m, scope, out, err) < 0)
		return -1;
	return *out || scope.scope->kind != SCOPE_FUNCTION ? 0 : has_copy(t, scope, out, err);
}
