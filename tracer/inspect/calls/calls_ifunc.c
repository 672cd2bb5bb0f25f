/*
 * IFUNCs: functions that choose their implementation at load time. The dynamic linker has written
 * the choice into relocated slots, so no code of the program has to run.
 */
#include "tracer/inspect/calls/calls.h"

#include <string.h>

struct ifunc_search {
	const struct dwarf_program *program;
	struct module *owner; /* module that defines the IFUNC */
	const struct elf_symbol *ifunc;
	struct module *module; /* module whose relocations are searched */
	uint64_t bias;
	uint64_t target; /* address; 0: not found yet */
};

static bool calls_ifunc_means(const struct ifunc_search *s, const struct module_relocation *r)
{
	if (r->type == R_X86_64_IRELATIVE)
		return s->module == s->owner && (uint64_t)r->add == s->ifunc->offset;
	return (r->type == R_X86_64_JUMP_SLOT || r->type == R_X86_64_GLOB_DAT) && r->symbol &&
	       strcmp(r->symbol, s->ifunc->name) == 0;
}

/* Returns the address in a relocated slot, or 0. With lazy binding a GOT entry points to the
   dynamic linker before the first call, so only code of the IFUNC's own module is accepted. */
static uint64_t filled_in(const struct ifunc_search *s, uint64_t address)
{
	uint64_t target, bias;

	if (s->program->read(s->program->ctx, address, &target, sizeof(target)) < 0)
		return 0;
	if (s->program->module_at(s->program->ctx, target, &bias) != s->owner ||
	    !module_is_code(s->owner, target - bias) || target - bias == s->ifunc->offset)
		return 0;
	return target;
}

static bool visit_relocation(void *ctx, const struct module_relocation *r)
{
	struct ifunc_search *s = ctx;

	if (calls_ifunc_means(s, r))
		s->target = filled_in(s, r->offset + s->bias);
	return s->target != 0;
}

static bool search_module(struct ifunc_search *s, struct module *m, uint64_t bias)
{
	s->module = m;
	s->bias = bias;
	return module_each_relocation(m, visit_relocation, s);
}

uint64_t ifunc_target(const struct dwarf_program *program, struct module *m, uint64_t bias,
		      const struct elf_symbol *ifunc)
{
	struct ifunc_search s = {.program = program, .owner = m, .ifunc = ifunc};
	bool found = search_module(&s, m, bias);
	struct module *other;

	for (size_t i = 0; !found && (other = dwarf_module(program, i, &bias)); i++)
		if (other != m)
			found = search_module(&s, other, bias);
	return s.target;
}
