/* Relocations: which function an entry of the global offset table is for, and what else is filled in. */
#include "tracer/elf/elf_internal.h"

/* The symbols that a section of relocations refers to; `data` NULL: it has none. */
struct relocation_table {
	Elf_Data *data;
	GElf_Shdr header;
};

static struct relocation_table got_table_of(Elf *elf, const GElf_Shdr *relocations)
{
	Elf_Scn *section = elf_getscn(elf, relocations->sh_link);
	struct relocation_table t = {0};

	if (relocations->sh_link && section && gelf_getshdr(section, &t.header))
		t.data = elf_getdata(section, NULL);
	return t;
}

static const char *symbol_name(Elf *elf, const struct relocation_table *t, uint64_t index)
{
	GElf_Sym sym;

	if (!index || index > INT32_MAX || !t->data || !gelf_getsym(t->data, (int)index, &sym))
		return NULL;
	return elf_strptr(elf, t->header.sh_link, sym.st_name);
}

static bool visit_section(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
			  module_relocation_visit *visit, void *ctx)
{
	const struct relocation_table symbols = got_table_of(elf, header);
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Rela rela;

	for (int i = 0; data && gelf_getrela(data, i, &rela); i++) {
		const struct module_relocation found = {
			.offset = rela.r_offset,
			.type = (unsigned)GELF_R_TYPE(rela.r_info),
			.add = rela.r_addend,
			.symbol = symbol_name(elf, &symbols, GELF_R_SYM(rela.r_info)),
		};

		if (visit(ctx, &found))
			return true;
	}
	return false;
}

bool module_each_relocation(const struct module *m, module_relocation_visit *visit, void *ctx)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(m->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA &&
		    visit_section(m->elf, section, &header, visit, ctx))
			return true;
	return false;
}

struct got_entry {
	uint64_t offset;
	const char *name;
};

static bool is_entry(void *ctx, const struct module_relocation *r)
{
	struct got_entry *entry = ctx;

	if (r->offset == entry->offset)
		entry->name = r->symbol;
	return entry->name != NULL;
}

const char *module_got_name(const struct module *m, uint64_t offset)
{
	struct got_entry entry = {.offset = offset};

	module_each_relocation(m, is_entry, &entry);
	return entry.name;
}
