/*
 * One exported symbol through .gnu.hash, as ld.so finds it: nothing else of the tables is read.
 *
 * The section: number of buckets, first hashed symbol, words of the Bloom filter and its shift, as
 * 32 bits each; the filter; the buckets; for each hashed symbol its hash, the lowest bit set at the
 * end of a bucket's chain. The filter is not asked: a name that is not there costs one chain.
 */
#include "tracer/elf/elf_internal.h"

#include <string.h>

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

/* The word of the table, or 0 behind its end (files may be damaged). */
static uint32_t word(const struct hash_table *t, uint64_t index)
{
	return index < t->count ? t->words[index] : 0;
}

/* The symbol at this index, if it has the name, and the name means it without a version. */
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
