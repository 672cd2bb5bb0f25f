/* Searches of a file for symbol names and bytes, in the sections of that kind only; the sum of its
   code; and relocations. */
#include "tracer/base/hash.h"
#include "tracer/elf/elf_internal.h"

#include <string.h>

bool module_has_string(const struct module *m, const char *symbol)
{
	size_t length = strlen(symbol) + 1; /* includes the terminating zero */
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

/* True for unwind tables, which contain no text and are large in C++ programs. */
static bool is_for_unwinding(const struct module *m, const GElf_Shdr *header)
{
	size_t names;
	const char *name = elf_getshdrstrndx(m->elf, &names) < 0
				   ? NULL
				   : elf_strptr(m->elf, names, header->sh_name);

	return name &&
	       (strncmp(name, ".eh_frame", 9) == 0 || strcmp(name, ".gcc_except_table") == 0);
}

/* Returns the next section with these flags and its bytes, or NULL. */
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

uint32_t module_code_sum(struct module *m)
{
	uint64_t hash = HASH_START;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf_Data *data;

	if (m->code_sum)
		return (uint32_t)hash_slot(m->code_sum);
	while ((section = next_section(m, section, SHF_ALLOC | SHF_EXECINSTR, &header, &data))) {
		hash = hash_word(hash, header.sh_addr);
		hash = hash_bytes(hash, data->d_buf, data->d_size);
	}
	m->code_sum = hash;
	return (uint32_t)hash_slot(hash);
}

/* ---- relocations ------------------------------------------------------------------------- */

/* Symbols that a section of relocations refers to. `data` is NULL if there are none. */
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
