/*
 * Does a file name a symbol among those it exports or imports, or contain a text? Only the
 * sections of that kind are searched.
 */
#include "tracer/elf/elf_internal.h"

#include <string.h>

bool module_has_string(const struct module *m, const char *symbol)
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

/* What is there for unwinding is no text, and much of a C++ program. */
static bool is_for_unwinding(const struct module *m, const GElf_Shdr *header)
{
	size_t names;
	const char *name = elf_getshdrstrndx(m->elf, &names) < 0
				   ? NULL
				   : elf_strptr(m->elf, names, header->sh_name);

	return name &&
	       (strncmp(name, ".eh_frame", 9) == 0 || strcmp(name, ".gcc_except_table") == 0);
}

/* The next section of that kind, with its bytes; NULL: there is none. */
static Elf_Scn *next_section(const struct module *m, Elf_Scn *section, uint64_t wanted,
			     GElf_Shdr *header, Elf_Data **data)
{
	while ((section = elf_nextscn(m->elf, section))) {
		if (!gelf_getshdr(section, header) || header->sh_type != SHT_PROGBITS ||
		    (header->sh_flags & (SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR)) != wanted ||
		    is_for_unwinding(m, header))
			continue;
		*data = elf_rawdata(section, NULL);
		if (*data && (*data)->d_buf)
			return section;
	}
	return NULL;
}

static bool contains(const struct module *m, uint64_t wanted, const void *bytes, size_t n)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf_Data *data;

	while ((section = next_section(m, section, wanted, &header, &data)))
		if (memmem(data->d_buf, data->d_size, bytes, n))
			return true;
	return false;
}

bool module_contains(const struct module *m, const void *bytes, size_t n)
{
	return contains(m, SHF_ALLOC, bytes, n);
}

bool module_contains_code(const struct module *m, const void *bytes, size_t n)
{
	return contains(m, SHF_ALLOC | SHF_EXECINSTR, bytes, n);
}

void module_each_code(const struct module *m, const void *bytes, size_t n, module_code_visit *visit,
		      void *ctx)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf_Data *data;

	while ((section = next_section(m, section, SHF_ALLOC | SHF_EXECINSTR, &header, &data))) {
		const uint8_t *code = data->d_buf, *end = code + data->d_size, *at = code;

		while ((at = memmem(at, (size_t)(end - at), bytes, n))) {
			visit(ctx, header.sh_addr + (uint64_t)(at - code), at, (size_t)(end - at));
			at += n;
		}
	}
}
