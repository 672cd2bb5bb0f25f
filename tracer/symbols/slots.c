/* Which function a slot of the global offset table is for, while the loader has not filled it. */
#include "tracer/symbols/module.h"

#include <string.h>

static const char *symbol_name(struct module *m, const GElf_Shdr *relocations, size_t index)
{
	Elf_Scn *table = elf_getscn(m->elf, relocations->sh_link);
	GElf_Shdr header;
	Elf_Data *data;
	GElf_Sym sym;

	if (!table || !gelf_getshdr(table, &header) || !(data = elf_getdata(table, NULL)) ||
	    !gelf_getsym(data, (int)index, &sym))
		return NULL;
	return elf_strptr(m->elf, header.sh_link, sym.st_name);
}

const char *symbols_slot_name(struct module *m, uint64_t offset)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf_Data *data;
	GElf_Rela rela;

	while ((section = elf_nextscn(m->elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA ||
		    !header.sh_link || !(data = elf_getdata(section, NULL)))
			continue;
		for (int i = 0; gelf_getrela(data, i, &rela); i++)
			if (rela.r_offset == offset && GELF_R_SYM(rela.r_info))
				return symbol_name(m, &header, GELF_R_SYM(rela.r_info));
	}
	return NULL;
}
