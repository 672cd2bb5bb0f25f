/* Sections of ELF files, decompressed. */
#include "tracer/elf/elf_internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

/* Highest ratios of compression: zlib's longest match, zstd's block of 128 KiB in four bytes. A
   larger size is corrupt and is not allocated. */
enum { INFLATE_RATIO_MAX = 1032, ZSTD_RATIO_MAX = 1 << 15, CHDR_TYPE_ZSTD = 2 };

static int cannot_inflate(const char *path, const char *name, const char *why, struct error *err)
{
	return error_set(err, ERROR_OBJECT, "%s: section %s cannot be decompressed: %s", path, name,
			 why);
}

static int inflate_gabi(const char *path, const char *name, Elf_Scn *section, uint64_t packed,
			struct error *err)
{
	GElf_Chdr c;

	if (!gelf_getchdr(section, &c))
		return cannot_inflate(path, name, elf_errmsg(-1), err);
	if (c.ch_size / INFLATE_RATIO_MAX > packed)
		return cannot_inflate(path, name, "its size is corrupt", err);
	if (elf_compress(section, 0, 0) < 0)
		return cannot_inflate(path, name, elf_errmsg(-1), err);
	return 0;
}

/* The older format: "ZLIB" and the size, big-endian, before the compressed bytes. */
static int inflate_gnu(const char *path, const char *name, Elf_Scn *section, uint64_t packed,
		       struct error *err)
{
	Elf_Data *d = elf_rawdata(section, NULL);
	const uint8_t *b = d ? d->d_buf : NULL;
	uint64_t size = 0;

	if (!b || d->d_size < 12 || memcmp(b, "ZLIB", 4) != 0)
		return cannot_inflate(path, name, "it has no ZLIB header", err);
	for (int i = 4; i < 12; i++)
		size = size << 8 | b[i];
	if (size / INFLATE_RATIO_MAX > packed)
		return cannot_inflate(path, name, "its size is corrupt", err);
	if (elf_compress_gnu(section, 0, 0) < 0)
		return cannot_inflate(path, name, elf_errmsg(-1), err);
	return 0;
}

/* libelf of Debian 12 does not decompress zstd. */
static int inflate_zstd(const char *path, const char *name, const Elf_Data *d, const GElf_Chdr *c,
			struct section_data *out, void **own, struct error *err)
{
	size_t header = sizeof(Elf64_Chdr), size;

	if (d->d_size < header || c->ch_size / ZSTD_RATIO_MAX > d->d_size)
		return cannot_inflate(path, name, "its size is corrupt", err);
	*own = base_alloc(1, c->ch_size + 1);
	size = ZSTD_decompress(*own, c->ch_size, (const uint8_t *)d->d_buf + header,
			       d->d_size - header);
	if (ZSTD_isError(size))
		return cannot_inflate(path, name, ZSTD_getErrorName(size), err);
	if (size != c->ch_size)
		return cannot_inflate(path, name, "its size differs from that in its header", err);
	*out = (struct section_data){.bytes = size ? *own : NULL, .size = size};
	return 0;
}

static bool is_zstd(Elf_Scn *section, const GElf_Shdr *h, GElf_Chdr *c)
{
	return h->sh_flags & SHF_COMPRESSED && gelf_getchdr(section, c) &&
	       c->ch_type == CHDR_TYPE_ZSTD;
}

static int read_section(const char *path, const char *name, Elf_Scn *section, const GElf_Shdr *h,
			bool gnu, struct section_data *out, void **own, struct error *err)
{
	bool packed = h->sh_flags & SHF_COMPRESSED;
	GElf_Chdr c;
	Elf_Data *d;

	if (is_zstd(section, h, &c)) {
		d = elf_rawdata(section, NULL);
		if (d && d->d_buf)
			return inflate_zstd(path, name, d, &c, out, own, err);
	}
	if (gnu && inflate_gnu(path, name, section, h->sh_size, err) < 0)
		return -1;
	if (packed && inflate_gabi(path, name, section, h->sh_size, err) < 0)
		return -1;
	d = gnu || packed ? elf_getdata(section, NULL) : elf_rawdata(section, NULL);
	if (!d || (d->d_size && !d->d_buf))
		return error_set(err, ERROR_OBJECT,
				 "%s: truncated ELF file: section %s cannot be read: %s", path,
				 name, elf_errmsg(-1));
	out->bytes = d->d_size ? d->d_buf : NULL;
	out->size = d->d_size;
	return 0;
}

/* Finds ".debug_line", or ".zdebug_line" of older linkers. */
static Elf_Scn *find_debug_section(Elf *elf, const char *name, GElf_Shdr *h, bool *gnu)
{
	Elf_Scn *section = module_find_section(elf, name, h);
	char old[64];

	*gnu = false;
	if (section || strncmp(name, ".debug_", 7) != 0)
		return section;
	snprintf(old, sizeof(old), ".z%s", name + 1);
	section = module_find_section(elf, old, h);
	*gnu = section != NULL;
	return section;
}

/* `path` is for messages. The caller frees *own, which holds decompressed data, after the last
   use of the data. */
static int named_section(Elf *elf, const char *path, const char *name, struct section_data *out,
			 void **own, struct error *err)
{
	Elf_Scn *section;
	GElf_Shdr h;
	bool gnu;
	int answer = 0;

	*out = (struct section_data){0};
	*own = NULL;
	section = find_debug_section(elf, name, &h, &gnu);
	if (section)
		answer = read_section(path, name, section, &h, gnu, out, own, err);
	if (answer < 0) {
		base_free(*own);
		*own = NULL;
	}
	return answer;
}

static bool sections_is_named(Elf *elf, Elf_Scn *section, const char *name, GElf_Shdr *h)
{
	const char *found;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0 || !gelf_getshdr(section, h) ||
	    h->sh_type == SHT_NOBITS)
		return false;
	found = elf_strptr(elf, names, h->sh_name);
	return found && strcmp(found, name) == 0;
}

static void append(struct section_data *to, void **own, const struct section_data *more)
{
	uint8_t *both = base_alloc(1, to->size + more->size + 1);

	if (to->size)
		memcpy(both, to->bytes, to->size);
	if (more->size)
		memcpy(both + to->size, more->bytes, more->size);
	base_free(*own);
	*own = both;
	*to = (struct section_data){both, to->size + more->size};
}

/* Joins all sections of this name: a .dwo file has one for each type unit. */
static int sections_read_all(Elf *elf, const char *path, const char *name, struct section_data *out,
			     void **own, struct error *err)
{
	Elf_Scn *section = NULL;
	bool first = true;
	GElf_Shdr h;

	*out = (struct section_data){0};
	*own = NULL;
	while ((section = elf_nextscn(elf, section))) {
		struct section_data more = {0};
		void *unpacked = NULL;

		if (!sections_is_named(elf, section, name, &h))
			continue;
		if (read_section(path, name, section, &h, false, &more, &unpacked, err) < 0) {
			base_free(unpacked);
			base_free(*own);
			*own = NULL;
			return -1;
		}
		if (first) {
			*out = more;
			*own = unpacked;
			first = false;
			continue;
		}
		append(out, own, &more);
		base_free(unpacked);
	}
	return 0;
}

int module_section(struct module *m, const char *name, struct section_data *out, struct error *err)
{
	struct module_section *kept;
	void *own;

	*out = (struct section_data){0};
	if (!module_find_debug(m))
		return 0;
	array_each(struct module_section, s, &m->sections) {
		if (strcmp(s->name, name) == 0) {
			*out = s->data;
			return 0;
		}
	}
	if (named_section(m->debug_elf, m->debug_path, name, out, &own, err) < 0)
		return -1;
	kept = array_add(&m->sections);
	kept->name = base_strdup(name);
	kept->data = *out;
	kept->own = own;
	return 0;
}

bool module_loaded_section(const struct module *m, const char *name, struct section_data *out,
			   uint64_t *address)
{
	GElf_Shdr h;

	if (!module_find_section(m->elf, name, &h) || h.sh_flags & SHF_COMPRESSED ||
	    h.sh_offset > m->size || h.sh_size > m->size - h.sh_offset)
		return false;
	*out = (struct section_data){m->image + h.sh_offset, h.sh_size};
	*address = h.sh_addr;
	return true;
}

/* ---- files that are no modules --------------------------------------------------------------- */

static bool file_is_ours(Elf *elf)
{
	GElf_Ehdr h;

	return elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &h) &&
	       gelf_getclass(elf) == ELFCLASS64 && h.e_machine == EM_X86_64;
}

int elf_file_open(struct elf_file *f, const char *path, bool *broken, struct error *err)
{
	*f = (struct elf_file){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
	*broken = false;
	if (f->fd < 0)
		return -1;
	f->path = base_strdup(path);
	f->elf = elf_begin(f->fd, ELF_C_READ_MMAP, NULL);
	if (file_is_ours(f->elf))
		return 0;
	*broken = true;
	error_set(err, ERROR_OBJECT, "%s: not an ELF file for x86-64", path);
	elf_file_close(f);
	return -1;
}

int elf_file_section(struct elf_file *f, const char *name, struct section_data *out,
		     struct error *err)
{
	void *own;

	if (sections_read_all(f->elf, f->path, name, out, &own, err) < 0)
		return -1;
	if (own)
		*array_add(&f->unpacked) = own;
	return 0;
}

void elf_file_build_id(const struct elf_file *f, char id[65])
{
	module_elf_id(f->elf, id);
}

void elf_file_close(struct elf_file *f)
{
	array_each(void *, bytes, &f->unpacked)
		base_free(*bytes);
	array_fini(&f->unpacked);
	elf_end(f->elf);
	close(f->fd);
	base_free(f->path);
}
