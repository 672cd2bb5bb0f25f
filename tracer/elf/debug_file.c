/* The separate file with the debug information of a stripped file. */
#include "tracer/base/text/str.h"
#include "tracer/elf/elf_internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEBUG_ROOT "/usr/lib/debug"

Elf_Scn *module_find_section(Elf *elf, const char *name, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *found;

		if (!gelf_getshdr(section, header) || header->sh_type == SHT_NOBITS)
			continue;
		found = elf_strptr(elf, names, header->sh_name);
		if (found && strcmp(found, name) == 0)
			return section;
	}
	return NULL;
}

static bool has_debug_info(Elf *elf)
{
	GElf_Shdr h;

	return module_find_section(elf, ".debug_info", &h) ||
	       module_find_section(elf, ".zdebug_info", &h);
}

/* ---- the separate file ------------------------------------------------------------------- */

void module_elf_id(Elf *elf, char id[65])
{
	Elf_Scn *section = NULL;
	GElf_Shdr h;

	id[0] = '\0';
	while (!id[0] && (section = elf_nextscn(elf, section))) {
		Elf_Data *d;

		if (!gelf_getshdr(section, &h) || h.sh_type != SHT_NOTE)
			continue;
		d = elf_rawdata(section, NULL);
		if (d && d->d_buf)
			module_note_id(d->d_buf, d->d_size, id);
	}
}

/* CRC-32 (IEEE 802.3), the checksum of .gnu_debuglink. */
static uint32_t crc32_of(const uint8_t *bytes, size_t size)
{
	uint32_t table[256], crc = 0xffffffff;

	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
		table[i] = c;
	}
	for (size_t i = 0; i < size; i++)
		crc = table[(crc ^ bytes[i]) & 255] ^ crc >> 8;
	return ~crc;
}

static bool is_our_kind(Elf *elf)
{
	GElf_Ehdr h;

	return gelf_getehdr(elf, &h) && gelf_getclass(elf) == ELFCLASS64 &&
	       h.e_machine == EM_X86_64;
}

/* True if the file is the debug file. Equal build-ids suffice; if one is missing, the checksum
   decides. `crc` is NULL if the file was found by build-id. */
static bool belongs_to(const struct module *m, Elf *elf, const uint32_t *crc)
{
	size_t size = 0;
	const char *image;
	char id[65];

	if (elf_kind(elf) != ELF_K_ELF || !is_our_kind(elf) || !has_debug_info(elf))
		return false;
	module_elf_id(elf, id);
	if (id[0] && m->build_id[0])
		return strcmp(id, m->build_id) == 0;
	if (!crc)
		return false;
	image = elf_rawfile(elf, &size);
	return image && crc32_of((const uint8_t *)image, size) == *crc;
}

static bool try_file(struct module *m, const char *path, const uint32_t *crc)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	Elf *elf = NULL;

	if (fd < 0)
		return false;
	/* A debuglink may name its own file. */
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    !(st.st_dev == m->stat.st_dev && st.st_ino == m->stat.st_ino))
		elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf || !belongs_to(m, elf, crc)) {
		elf_end(elf);
		close(fd);
		return false;
	}
	m->debug_elf = elf;
	m->debug_fd = fd;
	m->debug_separate = true;
	m->debug_path = base_strdup(path);
	return true;
}

static bool try_build_id(struct module *m)
{
	char path[128];

	if (strlen(m->build_id) < 4)
		return false;
	snprintf(path, sizeof(path), DEBUG_ROOT "/.build-id/%.2s/%s.debug", m->build_id,
		 m->build_id + 2);
	return try_file(m, path, NULL);
}

/* Returns the name in .gnu_debuglink and its checksum, or NULL. */
static const char *debuglink_of(Elf *elf, uint32_t *crc)
{
	GElf_Shdr h;
	Elf_Scn *section = module_find_section(elf, ".gnu_debuglink", &h);
	Elf_Data *d = section ? elf_rawdata(section, NULL) : NULL;
	size_t length, at;

	if (!d || !d->d_buf)
		return NULL;
	length = strnlen(d->d_buf, d->d_size);
	at = (length + 4) & ~(size_t)3;
	if (length == 0 || at > d->d_size || d->d_size - at < 4)
		return NULL;
	memcpy(crc, (const uint8_t *)d->d_buf + at, 4);
	return strchr(d->d_buf, '/') ? NULL : d->d_buf;
}

static bool try_debuglink(struct module *m)
{
	static const char *const forms[] = {"%.*s/%s", "%.*s/.debug/%s", DEBUG_ROOT "%.*s/%s"};
	const char *slash = strrchr(m->path, '/');
	uint32_t crc;
	const char *link = debuglink_of(m->elf, &crc);
	bool found = false;

	for (size_t i = 0; link && !found && i < 3; i++) {
		int length = slash ? (int)(slash - m->path) : 1;
		STR(path);

		str_addf(&path, forms[i], length, slash ? m->path : ".", link);
		found = try_file(m, str_text(&path), &crc);
	}
	return found;
}

bool module_find_debug(struct module *m)
{
	if (m->debug_searched)
		return m->debug_path != NULL;
	m->debug_searched = true;
	if (has_debug_info(m->elf)) {
		m->debug_elf = m->elf;
		m->debug_path = base_strdup(m->path);
		return true;
	}
	return try_build_id(m) || try_debuglink(m);
}

void module_close_debug(struct module *m)
{
	array_each(struct module_section, s, &m->sections) {
		base_free(s->name);
		base_free(s->own);
	}
	array_fini(&m->sections);
	if (m->debug_elf && m->debug_elf != m->elf)
		elf_end(m->debug_elf);
	if (m->debug_fd >= 0)
		close(m->debug_fd);
	base_free(m->debug_path);
}
