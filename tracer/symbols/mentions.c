/*
 * Does a file name a symbol among those it exports or imports, or contain a text? A look at the
 * sections of that kind, nothing more.
 */
#include "tracer/symbols/module.h"

#include <string.h>

bool module_mentions(const struct module *m, const char *symbol)
{
	size_t length = strlen(symbol) + 1; /* the name ends there */
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(m->elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_STRTAB ||
		    !(header.sh_flags & SHF_ALLOC))
			continue;
		data = elf_rawdata(section, NULL);
		if (data && data->d_buf && memmem(data->d_buf, data->d_size, symbol, length))
			return true;
	}
	return false;
}

bool module_contains(const struct module *m, const void *bytes, size_t n)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(m->elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
		    (header.sh_flags & (SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR)) != SHF_ALLOC)
			continue;
		data = elf_rawdata(section, NULL);
		if (data && data->d_buf && memmem(data->d_buf, data->d_size, bytes, n))
			return true;
	}
	return false;
}
