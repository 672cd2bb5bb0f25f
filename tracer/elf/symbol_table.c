/* ELF symbol tables: read once, sorted by offset, found by name through a hash or .gnu.hash. */
#include "tracer/base/hash.h"

#include "tracer/elf/elf_internal.h"

#include <string.h>

enum { VERSION_HIDDEN = 0x8000 };

/* A symbol table during reading. */
struct symbol_reader {
	struct module *m;
	const uint8_t *symbols; /* Elf64_Sym, perhaps unaligned */
	size_t count;
	const char *strings;
	size_t strings_size; /* up to the last terminated string */
	Elf_Data *versions;  /* .gnu.version of .dynsym, or NULL */
	/* Handles each symbol that has a name. */
	void (*take)(const struct symbol_reader *r, size_t index, const Elf64_Sym *sym,
		     const char *name);
	module_symbol_visit *visit;
	void *ctx;
};

/* ---- reading -------------------------------------------------------------------------------- */

static bool symbol_table_is_wanted(const Elf64_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS || sym->st_shndx == SHN_COMMON)
		return false;
	return type == STT_FUNC || type == STT_OBJECT || type == STT_GNU_IFUNC;
}

/* __TMC_END__ marks the end of .data, where the first variable of .bss may begin, too. */
static bool is_marker(const char *name)
{
	return strcmp(name, "__TMC_END__") == 0;
}

/* Returns the name without its version. Sets `hidden` unless the version is the default one. */
static const char *plain_name(struct module *m, const char *name, bool *hidden)
{
	const char *at = strchr(name, '@');
	char *copy;

	if (!at || at == name)
		return name;
	*hidden = at[1] != '@';
	copy = base_strndup(name, (size_t)(at - name));
	*array_add(&m->symbol_names) = copy;
	return copy;
}

/* True if the symbol is found only by name and version. */
static bool elf_symbol_hidden(Elf_Data *versions, size_t index)
{
	GElf_Versym version;

	return versions && gelf_getversym(versions, (int)index, &version) &&
	       version & VERSION_HIDDEN;
}

/* Ranks default versions before hidden ones, global before local, few underscores before many. */
static uint8_t rank_of(const struct elf_symbol *s)
{
	size_t underscores = strspn(s->name, "_");

	return (uint8_t)((s->hidden ? 128 : 0) + (s->global ? 0 : 64) +
			 (underscores < 63 ? underscores : 63));
}

static void keep_symbol(const struct symbol_reader *r, size_t index, const Elf64_Sym *sym,
			const char *name)
{
	bool hidden = elf_symbol_hidden(r->versions, index);
	struct elf_symbol *s;

	if (!symbol_table_is_wanted(sym) || is_marker(name))
		return;
	name = plain_name(r->m, name, &hidden);
	s = array_add(&r->m->symbols);
	s->name = name;
	s->offset = sym->st_value;
	s->size = sym->st_size;
	s->ifunc = ELF64_ST_TYPE(sym->st_info) == STT_GNU_IFUNC;
	s->function = s->ifunc || ELF64_ST_TYPE(sym->st_info) == STT_FUNC;
	s->global = ELF64_ST_BIND(sym->st_info) != STB_LOCAL;
	s->hidden = hidden;
	s->rank = rank_of(s);
}

static void visit_function(const struct symbol_reader *r, size_t index, const Elf64_Sym *sym,
			   const char *name)
{
	(void)index;
	if (symbol_table_is_wanted(sym) && ELF64_ST_TYPE(sym->st_info) == STT_FUNC && sym->st_size)
		r->visit(r->ctx, name, sym->st_value);
}

static void visit_dynamic(const struct symbol_reader *r, size_t index, const Elf64_Sym *sym,
			  const char *name)
{
	(void)index;
	r->visit(r->ctx, name, sym->st_shndx ? sym->st_value : 0);
}

static void read_symbol(const struct symbol_reader *r, size_t index)
{
	Elf64_Sym sym;

	memcpy(&sym, r->symbols + index * sizeof(sym), sizeof(sym));
	if (sym.st_name < r->strings_size && r->strings[sym.st_name])
		r->take(r, index, &sym, r->strings + sym.st_name);
}

/* Returns the versions of .dynsym, or NULL. */
static Elf_Data *elf_symbol_versions(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr h;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &h) && h.sh_type == SHT_GNU_versym)
			return elf_getdata(section, NULL);
	return NULL;
}

static void find_strings(struct symbol_reader *r, Elf *elf, size_t section)
{
	Elf_Data *data = elf_getdata(elf_getscn(elf, section), NULL);
	const char *end = data && data->d_buf ? memrchr(data->d_buf, '\0', data->d_size) : NULL;

	r->strings = data ? data->d_buf : NULL;
	r->strings_size = end ? (size_t)(end - r->strings) + 1 : 0;
}

/* Reads the tables of this type. Returns false if there are none. */
static bool read_tables(struct symbol_reader *r, Elf *elf, unsigned type)
{
	Elf_Scn *section = NULL;
	bool any = false;
	GElf_Shdr h;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &h) || h.sh_type != type)
			continue;
		data = elf_getdata(section, NULL);
		r->symbols = data ? data->d_buf : NULL;
		r->count = r->symbols ? data->d_size / sizeof(Elf64_Sym) : 0;
		find_strings(r, elf, h.sh_link);
		r->versions = type == SHT_DYNSYM ? elf_symbol_versions(elf) : NULL;
		for (size_t i = 1; i < r->count; i++)
			read_symbol(r, i);
		any = true;
	}
	return any;
}

static void symbol_table_read_all(struct symbol_reader *r)
{
	struct module *m = r->m;

	if (!read_tables(r, m->elf, SHT_SYMTAB) && module_find_debug(m) && m->debug_separate)
		read_tables(r, m->debug_elf, SHT_SYMTAB);
	read_tables(r, m->elf, SHT_DYNSYM);
}

void module_each_function(struct module *m, module_symbol_visit *visit, void *ctx)
{
	symbol_table_read_all(&(struct symbol_reader){
		.m = m, .take = visit_function, .visit = visit, .ctx = ctx});
}

void module_each_dynamic(const struct module *m, module_symbol_visit *visit, void *ctx)
{
	read_tables(&(struct symbol_reader){.take = visit_dynamic, .visit = visit, .ctx = ctx},
		    m->elf, SHT_DYNSYM);
}

/* ---- order ---------------------------------------------------------------------------------- */

/* True for a label of a begin or an end, and for assembly without a size. */
static bool is_bare(const struct elf_symbol *s)
{
	return !s->function && !s->size;
}

/* Sorts by offset; at one offset the best to show comes first, and equal names are adjacent. */
static int compare_symbols(const void *left, const void *right)
{
	const struct elf_symbol *a = left, *b = right;
	int names;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	if (is_bare(a) != is_bare(b))
		return is_bare(a) ? 1 : -1;
	if (a->rank != b->rank)
		return a->rank - b->rank;
	names = strcmp(a->name, b->name);
	return names ? names : (a->size < b->size) - (a->size > b->size);
}

static void drop_doubles(struct module *m)
{
	size_t kept = 0;

	array_each(struct elf_symbol, s, &m->symbols) {
		struct elf_symbol *last = kept ? &m->symbols.items[kept - 1] : NULL;

		if (last && last->offset == s->offset && strcmp(last->name, s->name) == 0)
			continue;
		m->symbols.items[kept++] = *s;
	}
	m->symbols.count = kept;
}

static void set_reach(struct module *m)
{
	uint64_t reach = 0;

	array_each(struct elf_symbol, s, &m->symbols) {
		if (s->offset + s->size > reach)
			reach = s->offset + s->size;
		s->reach = reach;
	}
}

void module_load_symbols(struct module *m)
{
	if (m->symbols_loaded)
		return;
	m->symbols_loaded = true;
	symbol_table_read_all(&(struct symbol_reader){.m = m, .take = keep_symbol});
	array_sort(&m->symbols, compare_symbols);
	drop_doubles(m);
	set_reach(m);
}

void module_free_symbols(struct module *m)
{
	array_each(char *, name, &m->symbol_names)
		base_free(*name);
	array_fini(&m->symbol_names);
	array_fini(&m->symbols);
	base_free(m->symbol_hash);
}

/* ---- by name -------------------------------------------------------------------------------- */

/* Returns the name's slot in the hash, or the free slot where the name belongs. */
static uint32_t *name_slot(const struct module *m, const char *name)
{
	size_t mask = m->symbol_hash_size - 1, i = hash_slot(hash_text(HASH_START, name)) & mask;

	while (m->symbol_hash[i] && strcmp(m->symbols.items[m->symbol_hash[i] - 1].name, name) != 0)
		i = (i + 1) & mask;
	return &m->symbol_hash[i];
}

/* Prefers the default version, then the global symbol, then the first one. */
static bool wins(const struct elf_symbol *a, const struct elf_symbol *b)
{
	if (a->hidden != b->hidden)
		return b->hidden;
	return a->global && !b->global;
}

static void make_hash(struct module *m)
{
	m->symbol_hash_size = 16;
	while (m->symbol_hash_size < m->symbols.count * 2)
		m->symbol_hash_size *= 2;
	m->symbol_hash = base_alloc(m->symbol_hash_size, sizeof(*m->symbol_hash));
	array_each(struct elf_symbol, s, &m->symbols) {
		uint32_t *slot = name_slot(m, s->name);

		if (!*slot || wins(s, &m->symbols.items[*slot - 1]))
			*slot = (uint32_t)(s - m->symbols.items) + 1;
	}
}

/* Finds an exported symbol without reading the tables. Most requested symbols are exported. */
static bool exported(const struct module *m, const char *name, uint64_t *offset, uint64_t *size)
{
	GElf_Sym sym;

	if (!elf_exported(m->elf, name, &sym) || !symbol_table_is_wanted(&sym) ||
	    GELF_ST_BIND(sym.st_info) == STB_LOCAL)
		return false;
	if (offset)
		*offset = sym.st_value;
	if (size)
		*size = sym.st_size;
	return true;
}

int module_symbol(struct module *m, const char *name, uint64_t *offset, uint64_t *size)
{
	uint32_t at;

	if (!m->symbols_loaded && exported(m, name, offset, size))
		return 0;
	module_load_symbols(m);
	if (!m->symbol_hash)
		make_hash(m);
	at = *name_slot(m, name);
	if (!at)
		return -1;
	if (offset)
		*offset = m->symbols.items[at - 1].offset;
	if (size)
		*size = m->symbols.items[at - 1].size;
	return 0;
}

/* ---- by offset ------------------------------------------------------------------------------ */

/* An assembly function without .size reaches to the next symbol. */
static bool symbol_table_holds(const struct module *m, const struct elf_symbol *s, uint64_t offset)
{
	if (offset - s->offset < s->size || offset == s->offset)
		return true;
	return s->size == 0 && s->function && module_is_code(m, offset);
}

const struct elf_symbol *module_symbol_at(struct module *m, uint64_t offset, bool functions)
{
	const struct elf_symbol *best = NULL, *nearest = NULL;

	module_load_symbols(m);
	for (size_t i = array_upto(&m->symbols, offset, offset); i-- > 0;) {
		const struct elf_symbol *s = &m->symbols.items[i];

		if (best && s->offset != best->offset)
			break;
		if (!best && nearest && s->offset != nearest->offset && s->reach <= offset)
			break;
		if (functions && !s->function)
			continue;
		if (!nearest)
			nearest = s;
		if (symbol_table_holds(m, s, offset) && (s->size || s->offset >= nearest->offset))
			best = s;
	}
	return best;
}

bool module_has_all_symbols(const struct module *m)
{
	GElf_Shdr h;

	return module_find_section(m->elf, ".symtab", &h) ||
	       (m->debug_separate && module_find_section(m->debug_elf, ".symtab", &h));
}

/* Lookup of an exported symbol through .gnu.hash, as ld.so does it. The section has 4 words
   (buckets, first hashed symbol, words of the Bloom filter, shift), the filter (not used here),
   the buckets, and a hash for each symbol, whose lowest bit ends a chain. */

struct hash_table {
	const uint32_t *words;
	size_t count;
	uint32_t buckets, first, bloom_words;
	Elf_Scn *symbols;
};

static uint32_t gnu_hash_hash_of(const char *name)
{
	uint32_t h = 5381;

	for (; *name; name++)
		h = h * 33 + (uint8_t)*name;
	return h;
}

static bool open_table(Elf *elf, struct hash_table *out)
{
	Elf_Scn *section = NULL;
	GElf_Shdr h;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &h) || h.sh_type != SHT_GNU_HASH)
			continue;
		data = elf_getdata(section, NULL);
		if (!data || !data->d_buf || data->d_size < 4 * sizeof(uint32_t))
			return false;
		out->words = data->d_buf;
		out->count = data->d_size / sizeof(uint32_t);
		out->buckets = out->words[0];
		out->first = out->words[1];
		out->bloom_words = out->words[2];
		out->symbols = elf_getscn(elf, h.sh_link);
		return out->buckets && out->symbols;
	}
	return false;
}

/* Returns the word of the table, or 0 after its end, because files may be damaged. */
static uint32_t word(const struct hash_table *t, uint64_t index)
{
	return index < t->count ? t->words[index] : 0;
}

/* True if the symbol at this index has the name and is not hidden by its version. */
static bool gnu_hash_is_named(Elf *elf, Elf_Data *data, const GElf_Shdr *h, uint32_t at,
			      const char *name, GElf_Sym *sym)
{
	const char *text =
		gelf_getsym(data, (int)at, sym) ? elf_strptr(elf, h->sh_link, sym->st_name) : NULL;
	return text && strcmp(text, name) == 0 && !elf_symbol_hidden(elf_symbol_versions(elf), at);
}

bool elf_exported(Elf *elf, const char *name, GElf_Sym *sym)
{
	struct hash_table t = {0};
	uint32_t hash = gnu_hash_hash_of(name), at;
	uint64_t chains;
	Elf_Data *data;
	GElf_Shdr h;

	if (!open_table(elf, &t) || !gelf_getshdr(t.symbols, &h) || h.sh_type != SHT_DYNSYM)
		return false;
	data = elf_getdata(t.symbols, NULL);
	chains = 4 + (uint64_t)t.bloom_words * 2 + t.buckets;
	at = word(&t, chains - t.buckets + hash % t.buckets);
	for (; data && at >= t.first && chains + (at - t.first) < t.count; at++) {
		uint32_t other = word(&t, chains + (at - t.first));

		if ((other | 1) == (hash | 1) && gnu_hash_is_named(elf, data, &h, at, name, sym))
			return true;
		if (other & 1)
			break;
	}
	return false;
}
