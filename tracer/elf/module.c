/* ELF files: the cache of open modules, checks of the headers, and properties of a module. */
#include "tracer/elf/elf_internal.h"

#include "tracer/base/files/path.h"
#include "tracer/base/text/str.h"

#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct modules *modules_new(void)
{
	elf_version(EV_CURRENT);
	return base_alloc(1, sizeof(struct modules));
}

static void module_free(struct module *m)
{
	cleanups_run(&m->cleanups);
	module_free_symbols(m);
	module_close_debug(m);
	elf_end(m->elf);
	if (m->fd >= 0)
		close(m->fd);
	array_each(char *, alias, &m->aliases)
		base_free(*alias);
	array_fini(&m->aliases);
	array_fini(&m->segments);
	base_free(m->name);
	base_free(m->path);
	base_free(m);
}

void modules_free(struct modules *s)
{
	if (!s)
		return;
	array_each(struct module *, m, &s->modules)
		module_free(*m);
	array_fini(&s->modules);
	cleanups_run(&s->cleanups);
	base_free(s);
}

/* ---- opening -------------------------------------------------------------------------------- */

/* Adds a hint that names the script's interpreter. */
static int script_error(const char *path, const char *line, size_t length, struct error *err)
{
	size_t begin = 2, end;

	while (begin < length && (line[begin] == ' ' || line[begin] == '\t'))
		begin++;
	for (end = begin; end < length && line[end] > ' ';)
		end++;
	error_set(err, ERROR_OBJECT, "%s: not an ELF file but a script for %.*s", path,
		  (int)(end - begin), line + begin);
	return error_hint(err, "name the interpreter: %.*s %s", (int)(end - begin), line + begin,
			  path);
}

static int not_elf(const struct module *m, const char *path, struct error *err)
{
	char start[256];
	ssize_t n = pread(m->fd, start, sizeof(start), 0);

	if (n < 0)
		return error_errno(err, ERROR_OBJECT, "%s: cannot be read", path);
	if (n > 2 && start[0] == '#' && start[1] == '!')
		return script_error(path, start, (size_t)n, err);
	return error_set(err, ERROR_OBJECT, "%s: not an ELF file", path);
}

static int truncated(const char *path, const char *what, struct error *err)
{
	return error_set(err, ERROR_OBJECT, "%s: truncated ELF file: %s beyond its end", path,
			 what);
}

static const char *machine_name(unsigned machine, bool wide)
{
	switch (machine) {
	case EM_X86_64:
		return wide ? "x86-64" : "x32";
	case EM_386:
		return "32-bit i386";
	case EM_AARCH64:
		return "aarch64";
	case EM_ARM:
		return "32-bit arm";
	case EM_RISCV:
		return wide ? "riscv64" : "riscv32";
	case EM_PPC64:
		return "ppc64";
	case EM_S390:
		return "s390";
	default:
		return NULL;
	}
}

static int wrong_machine(const char *path, unsigned machine, bool wide, struct error *err)
{
	const char *name = machine_name(machine, wide);

	if (name)
		return error_set(err, ERROR_OBJECT, "%s: built for %s, this is x86-64", path, name);
	return error_set(err, ERROR_OBJECT, "%s: built for machine %u of ELF, this is x86-64", path,
			 machine);
}

static int check_machine(const char *path, const Elf64_Ehdr *h, struct error *err)
{
	bool wide = h->e_ident[EI_CLASS] == ELFCLASS64, little = h->e_ident[EI_DATA] == ELFDATA2LSB;
	unsigned machine = little ? h->e_machine : be16toh(h->e_machine);

	if (machine != EM_X86_64 || !wide || !little)
		return wrong_machine(path, machine, wide, err);
	return 0;
}

static int check_type(const char *path, unsigned type, struct error *err)
{
	switch (type) {
	case ET_EXEC:
	case ET_DYN:
		return 0;
	case ET_REL:
		return error_set(err, ERROR_OBJECT,
				 "%s: an object file (.o), not linked into a program", path);
	case ET_CORE:
		return error_set(err, ERROR_OBJECT, "%s: a core dump, not a program", path);
	default:
		return error_set(err, ERROR_OBJECT, "%s: neither program nor shared object", path);
	}
}

static bool extent_fits(uint64_t offset, uint64_t size, uint64_t file_size)
{
	return offset <= file_size && size <= file_size - offset;
}

/* Checks the header before libelf reads the file, because libelf's messages for truncated files
   do not help. */
static int check_header(const struct module *m, const char *path, struct error *err)
{
	Elf64_Ehdr h = {0};
	ssize_t n = pread(m->fd, &h, sizeof(h), 0);

	if (n < SELFMAG || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0)
		return not_elf(m, path, err);
	if (n < (ssize_t)sizeof(h))
		return truncated(path, "the ELF header", err);
	if (check_machine(path, &h, err) < 0 || check_type(path, h.e_type, err) < 0)
		return -1;
	if (!extent_fits(h.e_phoff, (uint64_t)h.e_phnum * sizeof(Elf64_Phdr), m->size))
		return truncated(path, "program headers", err);
	if (!extent_fits(h.e_shoff, (uint64_t)h.e_shnum * sizeof(Elf64_Shdr), m->size))
		return truncated(path, "section headers", err);
	return 0;
}

static void read_notes(struct module *m, const GElf_Phdr *p)
{
	if (!m->build_id[0])
		module_note_id(m->image + p->p_offset, p->p_filesz, m->build_id);
}

/* Returns the string at offset `name` of the table at `strings`, or NULL. */
static const char *dynamic_string(const struct module *m, uint64_t strings, uint64_t name)
{
	array_each(const GElf_Phdr, p, &m->segments) {
		uint64_t where = strings + name - p->p_vaddr;
		const uint8_t *at;

		if (where >= p->p_filesz)
			continue;
		at = m->image + p->p_offset + where;
		return memchr(at, '\0', p->p_filesz - where) ? (const char *)at : NULL;
	}
	return NULL;
}

/* Returns the n-th entry of this tag, from 0. Returns false if there are fewer. */
static bool dynamic_entry(const struct module *m, int64_t tag, size_t n, uint64_t *value)
{
	const uint8_t *at = m->image + m->dynamic_part.p_offset;
	uint64_t left = m->dynamic_part.p_filesz;
	Elf64_Dyn entry;

	for (; left >= sizeof(entry); at += sizeof(entry), left -= sizeof(entry)) {
		memcpy(&entry, at, sizeof(entry));
		if (entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag != tag || n-- > 0)
			continue;
		*value = entry.d_un.d_val;
		return true;
	}
	return false;
}

static const char *dynamic_name(const struct module *m, int64_t tag, size_t n)
{
	uint64_t strings, name;

	if (!dynamic_entry(m, tag, n, &name) || !dynamic_entry(m, DT_STRTAB, 0, &strings))
		return NULL;
	return dynamic_string(m, strings, name);
}

const char *module_needs(const struct module *m, size_t n)
{
	return dynamic_name(m, DT_NEEDED, n);
}

static int read_segments(struct module *m, const char *path, size_t count, struct error *err)
{
	GElf_Phdr p;

	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(m->elf, (int)i, &p))
			return truncated(path, "program headers", err);
		if (p.p_type == PT_INTERP)
			m->dynamic = true;
		if (p.p_type == PT_TLS)
			m->tls = p;
		if (p.p_type == PT_GNU_RELRO)
			m->relro = (struct module_range){p.p_vaddr, p.p_vaddr + p.p_memsz};
		if (p.p_type != PT_LOAD && p.p_type != PT_DYNAMIC && p.p_type != PT_NOTE)
			continue;
		if (!extent_fits(p.p_offset, p.p_filesz, m->size))
			return truncated(path, "a segment", err);
		if (p.p_type == PT_LOAD)
			*array_add(&m->segments) = p;
		else if (p.p_type == PT_DYNAMIC)
			m->dynamic_part = p;
		else
			read_notes(m, &p);
	}
	return 0;
}

uint64_t module_tls_before(const struct module *m, uint64_t end)
{
	uint64_t align = m->tls.p_align ? m->tls.p_align : 1, last = end - m->tls.p_memsz;

	return m->tls.p_memsz ? last - (last - m->tls.p_vaddr) % align : 0;
}

static int read_headers(struct module *m, const char *path, struct error *err)
{
	const char *soname;
	GElf_Ehdr h;

	if (!gelf_getehdr(m->elf, &h))
		return error_set(err, ERROR_OBJECT, "%s: broken ELF header: %s", path,
				 elf_errmsg(-1));
	if (read_segments(m, path, h.e_phnum, err) < 0)
		return -1;
	m->pie = h.e_type == ET_DYN;
	m->entry = h.e_entry;
	soname = dynamic_name(m, DT_SONAME, 0);
	m->name = base_strdup(soname && *soname ? soname : str_base_name(m->path));
	return 0;
}

/* Maps the file; `path` is the name the user knows it by. */
static int map_file(struct module *m, const char *path, struct error *err)
{
	if (check_header(m, path, err) < 0)
		return -1;
	m->elf = elf_begin(m->fd, ELF_C_READ_MMAP, NULL);
	m->image = m->elf ? (const uint8_t *)elf_rawfile(m->elf, NULL) : NULL;
	if (!m->image || elf_kind(m->elf) != ELF_K_ELF)
		return error_set(err, ERROR_OBJECT, "%s: cannot be read: %s", path, elf_errmsg(-1));
	return 0;
}

static int open_file(struct module *m, const char *path, struct error *err)
{
	m->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (m->fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return error_set(err, ERROR_OBJECT, "%s: no such file", path);
	if (m->fd < 0 || fstat(m->fd, &m->stat) < 0)
		return error_errno(err, ERROR_OBJECT, "%s: cannot be opened", path);
	if (S_ISDIR(m->stat.st_mode))
		return error_set(err, ERROR_OBJECT, "%s: a directory, not an ELF file", path);
	if (!S_ISREG(m->stat.st_mode))
		return error_set(err, ERROR_OBJECT, "%s: not a regular file, not an ELF file",
				 path);
	m->size = (size_t)m->stat.st_size;
	return map_file(m, path, err);
}

static struct module *module_open(struct modules *s, const char *path, const char *real,
				  struct error *err)
{
	struct module *m = base_alloc(1, sizeof(*m));

	m->owner = s;
	m->fd = m->debug_fd = -1;
	m->path = base_strdup(real ? real : path);
	if (open_file(m, path, err) < 0 || read_headers(m, path, err) < 0) {
		module_free(m);
		return NULL;
	}
	*array_add(&s->modules) = m;
	return m;
}

static bool module_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Returns NULL for a file that was rebuilt since it was opened: it is another module, and the
   old one stays for its users. */
static struct module *find_open(struct modules *s, const char *path, const char *real)
{
	struct stat now;

	if (stat(path, &now) < 0)
		return NULL;
	array_each(struct module *, m, &s->modules)
		if (strcmp((*m)->path, real ? real : path) == 0 &&
		    module_same_file(&(*m)->stat, &now))
			return *m;
	return NULL;
}

static void add_alias(struct module *m, const char *path)
{
	if (!module_is_called(m, path))
		*array_add(&m->aliases) = base_strdup(path);
}

struct module *modules_open(struct modules *s, const char *path, struct error *err)
{
	char *real = realpath(path, NULL);
	struct module *m = find_open(s, path, real);

	if (!m)
		m = module_open(s, path, real, err);
	if (m)
		add_alias(m, path);
	free(real);
	return m;
}

/* Returns the module of the same file, under any name. */
static struct module *find_file(struct modules *s, const char *place)
{
	struct stat now;

	if (stat(place, &now) < 0)
		return NULL;
	array_each(struct module *, m, &s->modules)
		if (module_same_file(&(*m)->stat, &now))
			return *m;
	return NULL;
}

struct module *modules_open_as(struct modules *s, const char *place, const char *name,
			       struct error *err)
{
	struct module *m = find_file(s, place);

	if (!m)
		m = module_open(s, place, name, err);
	if (m)
		add_alias(m, name);
	return m;
}

/* ---- properties -------------------------------------------------------------------------- */

const char *module_path(const struct module *m)
{
	return m->path;
}

const char *module_name(const struct module *m)
{
	return m->name;
}

const char *module_build_id(const struct module *m)
{
	return m->build_id;
}

bool module_is_inode(const struct module *m, uint64_t dev, uint64_t ino)
{
	return m->stat.st_dev == dev && m->stat.st_ino == ino;
}

bool module_is_called(const struct module *m, const char *path)
{
	bool called = strcmp(m->path, path) == 0;

	array_each(char *, alias, &m->aliases)
		called |= strcmp(*alias, path) == 0;
	return called;
}

bool module_is_pie(const struct module *m)
{
	return m->pie;
}

bool module_is_dynamic(const struct module *m)
{
	return m->dynamic;
}

bool module_has_debug(struct module *m)
{
	return module_find_debug(m);
}

uint64_t module_entry(const struct module *m)
{
	return m->entry;
}

void module_span(const struct module *m, uint64_t *low, uint64_t *high)
{
	*low = m->segments.count ? UINT64_MAX : 0;
	*high = 0;
	array_each(const GElf_Phdr, p, &m->segments) {
		if (p->p_vaddr < *low)
			*low = p->p_vaddr;
		if (p->p_vaddr + p->p_memsz > *high)
			*high = p->p_vaddr + p->p_memsz;
	}
}

static const GElf_Phdr *segment_at(const struct module *m, uint64_t offset)
{
	array_each(const GElf_Phdr, p, &m->segments)
		if (offset - p->p_vaddr < p->p_memsz)
			return p;
	return NULL;
}

bool module_is_code(const struct module *m, uint64_t offset)
{
	const GElf_Phdr *p = segment_at(m, offset);

	return p && p->p_flags & PF_X;
}

bool module_is_constant(const struct module *m, uint64_t offset)
{
	const GElf_Phdr *p = segment_at(m, offset);

	return p && (!(p->p_flags & PF_W) || (offset >= m->relro.low && offset < m->relro.high));
}

size_t module_bytes(const struct module *m, uint64_t offset, void *buf, size_t n)
{
	uint8_t *out = buf;
	size_t done = 0;

	while (done < n) {
		const GElf_Phdr *p = segment_at(m, offset + done);
		uint64_t in, part, have;

		if (!p)
			break;
		in = offset + done - p->p_vaddr;
		part = p->p_memsz - in < n - done ? p->p_memsz - in : n - done;
		have = in < p->p_filesz ? p->p_filesz - in : 0;
		have = have < part ? have : part;
		if (have)
			memcpy(out + done, m->image + p->p_offset + in, have);
		memset(out + done + have, 0, part - have);
		done += part;
	}
	return done;
}

void module_hex(const uint8_t *bytes, size_t size, char *out)
{
	for (size_t i = 0; i < size; i++)
		for (int half = 0; half < 2; half++)
			*out++ = "0123456789abcdef"[bytes[i] >> (half ? 0 : 4) & 15];
	*out = '\0';
}

void module_note_id(const uint8_t *notes, size_t size, char id[65])
{
	Elf64_Nhdr h;

	while (size >= sizeof(h)) {
		size_t name, all;

		memcpy(&h, notes, sizeof(h));
		name = sizeof(h) + (((size_t)h.n_namesz + 3) & ~(size_t)3);
		all = name + (((size_t)h.n_descsz + 3) & ~(size_t)3);
		if (name > size || h.n_descsz > size - name)
			return;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && h.n_descsz <= 32 &&
		    memcmp(notes + sizeof(h), "GNU", 4) == 0) {
			module_hex(notes + name, h.n_descsz, id);
			return;
		}
		if (all >= size)
			return;
		notes += all;
		size -= all;
	}
}

/* ---- names of a module in locations ------------------------------------------------------ */

/* True for the part of a file name after ".so", such as ".1.2". */
static bool is_version(const char *text)
{
	if (*text == '\0')
		return false;
	for (; *text; text++)
		if (*text != '.' && !isdigit((unsigned char)*text))
			return false;
	return true;
}

/* True if `object` is the name, the name without its version, or with a shorter version. */
static bool name_matches(const char *name, const char *object)
{
	size_t length = strlen(object);
	const char *so = strstr(object, ".so");

	if (strncmp(name, object, length) != 0)
		return false;
	if (name[length] == '\0')
		return true;
	return so && (so[3] == '\0' || is_version(so + 3)) && name[length] == '.' &&
	       is_version(name + length);
}

/* Compares like name_matches(), with directories if `object` has any. */
bool module_path_matches(const char *path, const char *object)
{
	const char *name = str_base_name(path), *wanted = str_base_name(object);
	char *end;
	bool same;

	if (!name_matches(name, wanted))
		return false;
	if (wanted == object)
		return true;
	end = base_alloc(1, (size_t)(wanted - object) + strlen(name) + 1);
	memcpy(end, object, (size_t)(wanted - object));
	strcpy(end + (wanted - object), name);
	same = path_ends_with(path, end);
	base_free(end);
	return same;
}

bool module_matches(const struct module *m, const char *object)
{
	if (!*object)
		return false;
	if (name_matches(m->name, object) || module_path_matches(m->path, object))
		return true;
	array_each(char *, alias, &m->aliases)
		if (module_path_matches(*alias, object))
			return true;
	return false;
}
