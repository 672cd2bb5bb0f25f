/*
 * An IFUNC is a function that chooses the function. What it chose stands in the tables that the
 * dynamic linker filled in when the program started: nothing has to be run for it.
 */
#include "tracer/symbols/calls.h"

#include <string.h>

/* A relocation of a loaded module. */
struct slot {
	uint64_t offset; /* of the place that was filled in */
	uint64_t type;
	int64_t add;
	const char *symbol; /* NULL: none */
};

static const char *symbol_name(Elf *elf, size_t table, uint64_t index)
{
	Elf_Scn *section = elf_getscn(elf, table);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	GElf_Shdr h;
	GElf_Sym sym;

	if (!index || !data || index > INT32_MAX || !gelf_getshdr(section, &h) ||
	    !gelf_getsym(data, (int)index, &sym))
		return NULL;
	return elf_strptr(elf, h.sh_link, sym.st_name);
}

static bool means(const struct slot *s, const struct elf_symbol *ifunc, bool own)
{
	if (s->type == R_X86_64_IRELATIVE)
		return own && (uint64_t)s->add == ifunc->offset;
	return (s->type == R_X86_64_JUMP_SLOT || s->type == R_X86_64_GLOB_DAT) && s->symbol &&
	       strcmp(s->symbol, ifunc->name) == 0;
}

struct search {
	const struct symbols_program *program;
	struct module *home; /* of the IFUNC */
	const struct elf_symbol *ifunc;
};

/* Before its first call, a slot may still lead to the linker: only code of the IFUNC's own module
   is an answer. */
static uint64_t filled_in(const struct search *s, uint64_t address)
{
	uint64_t target, bias;

	if (s->program->read(s->program->ctx, address, &target, sizeof(target)) < 0)
		return 0;
	if (s->program->module_at(s->program->ctx, target, &bias) != s->home ||
	    !module_is_code(s->home, target - bias) || target - bias == s->ifunc->offset)
		return 0;
	return target;
}

static uint64_t search_section(const struct search *s, struct module *m, uint64_t bias,
			       Elf_Scn *section, const GElf_Shdr *h)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Rela rela;

	for (size_t i = 0; data && i < data->d_size / sizeof(Elf64_Rela); i++) {
		struct slot slot = {0};
		uint64_t target;

		if (!gelf_getrela(data, (int)i, &rela))
			break;
		slot.offset = rela.r_offset;
		slot.type = GELF_R_TYPE(rela.r_info);
		slot.add = rela.r_addend;
		if (slot.type == R_X86_64_JUMP_SLOT || slot.type == R_X86_64_GLOB_DAT)
			slot.symbol = symbol_name(m->elf, h->sh_link, GELF_R_SYM(rela.r_info));
		if (!means(&slot, s->ifunc, m == s->home))
			continue;
		target = filled_in(s, slot.offset + bias);
		if (target)
			return target;
	}
	return 0;
}

static uint64_t search_module(const struct search *s, struct module *m, uint64_t bias)
{
	Elf_Scn *section = NULL;
	uint64_t target = 0;
	GElf_Shdr h;

	while (!target && (section = elf_nextscn(m->elf, section))) {
		if (gelf_getshdr(section, &h) && h.sh_type == SHT_RELA)
			target = search_section(s, m, bias, section, &h);
	}
	return target;
}

uint64_t ifunc_target(const struct symbols_program *program, struct module *m, uint64_t bias,
		      const struct elf_symbol *ifunc)
{
	struct search s = {program, m, ifunc};
	uint64_t target = search_module(&s, m, bias);

	for (size_t i = 0; !target; i++) {
		struct module *other = program->module(program->ctx, i, &bias);

		if (!other)
			break;
		if (other != m)
			target = search_module(&s, other, bias);
	}
	return target;
}
