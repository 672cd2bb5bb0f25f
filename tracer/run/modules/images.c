/* Modules of a process: the executable, and those in ld.so's list (struct r_debug and link_map of
   <link.h>, read from the program's memory). */
#include "tracer/run/run_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/modules/mapped_file.h"
#include "tracer/run/places/places.h"
#include "tracer/tracee/threads/threads.h"
#include "tracer/tracee/traps/traps.h"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_MODULES = 10000, MOST_NAMESPACES = 32 };

static void image_add(struct run_process *p, struct module *m, uint64_t bias)
{
	struct image *image = array_add(&p->images);

	*image = (struct image){m, bias, 0, true};
}

struct module *images_program(struct run *s, struct run_process *p)
{
	ERROR(err);

	return mapped_file_exe(s, p, &err);
}

static struct module *open_loader(struct run *s, struct run_process *p)
{
	struct tracee_mapping map;

	p->loader_base = tracee_auxv(p->tracee, AT_BASE);
	if (!p->loader_base || tracee_mapping_at(p->tracee, p->loader_base, &map) < 0)
		return NULL;
	return mapped_file_open(s, p, map.path, &(struct mapped_place){.start = p->loader_base});
}

int images_exec(struct run *s, struct run_process *p, struct error *err)
{
	p->images.count = 0;
	p->loader = NULL;
	p->load_site = NULL;
	p->settled = p->sanitized = false;
	sites_forget(s, p, 0, UINT64_MAX);
	p->exe = mapped_file_exe(s, p, err);
	if (!p->exe)
		return -1;
	image_add(p, p->exe, tracee_auxv(p->tracee, AT_ENTRY) - module_entry(p->exe));
	p->loader = open_loader(s, p);
	return 0;
}

/* Reads pieces that stay within a page: the next page may not be mapped. */
static int read_name(struct run_process *p, uint64_t address, char *name, size_t size)
{
	enum { PIECE = 64 };

	for (size_t got = 0; got < size;) {
		size_t n = PAGE_BYTES - ((address + got) & (PAGE_BYTES - 1));

		n = n < PIECE ? n : PIECE;
		n = n < size - got ? n : size - got;
		if (tracee_read(p->tracee, address + got, name + got, n) < 0)
			return -1;
		if (memchr(name + got, '\0', n))
			return 0;
		got += n;
	}
	return -1;
}

static bool image_known(struct run_process *p, const struct module *m, uint64_t bias, uint64_t at)
{
	array_each(struct image, image, &p->images) {
		if (image->module != m || image->bias != bias)
			continue;
		image->link = at;
		return image->seen = true;
	}
	return false;
}

/* True if the image is known as this entry of the list; its file need not be found again. */
static bool link_known(struct run_process *p, const char *name, uint64_t bias, uint64_t at)
{
	array_each(struct image, image, &p->images)
		if (image->link == at && image->bias == bias &&
		    module_is_called(image->module, name))
			return image->seen = true;
	return false;
}

static bool is_exe(const struct run_process *p, const struct link_map *link)
{
	const struct image *exe = &p->images.items[0];
	uint64_t low, high, dynamic = (uint64_t)(uintptr_t)link->l_ld - exe->bias;

	module_span(exe->module, &low, &high);
	return link->l_addr == exe->bias && dynamic >= low && dynamic < high;
}

/* `at`: address of the entry in the program's memory */
static void one_link(struct run *s, struct run_process *p, const struct link_map *link, uint64_t at,
		     struct module_list *loaded)
{
	const struct mapped_place there = {.bias = link->l_addr,
					   .within = (uint64_t)(uintptr_t)link->l_ld};
	struct tracee_mapping map;
	char name[PATH_MAX];
	struct module *m;

	if (read_name(p, (uint64_t)(uintptr_t)link->l_name, name, sizeof(name)) < 0)
		return;
	if (!name[0] || is_exe(p, link)) { /* glibc's entry of the executable has no name */
		image_known(p, p->exe, link->l_addr, at);
		return;
	}
	/* relative to the working directory at the load; the kernel knows the path */
	if (name[0] != '/') {
		if (tracee_mapping_at(p->tracee, there.within, &map) < 0 || map.path[0] != '/')
			return; /* the vdso has no file */
		snprintf(name, sizeof(name), "%s", map.path);
	}
	if (link_known(p, name, link->l_addr, at))
		return;
	m = mapped_file_open(s, p, name, &there);
	if (!m || image_known(p, m, link->l_addr, at))
		return;
	image_add(p, m, link->l_addr);
	p->images.items[p->images.count - 1].link = at;
	if (loaded)
		*array_add(loaded) = p->images.items[p->images.count - 1];
}

static void one_namespace(struct run *s, struct run_process *p, uint64_t link,
			  struct module_list *loaded)
{
	struct link_map map;

	for (int i = 0; link && i < MOST_MODULES; i++) {
		if (tracee_read(p->tracee, link, &map, sizeof(map)) < 0)
			return;
		one_link(s, p, &map, link, loaded);
		link = (uint64_t)(uintptr_t)map.l_next;
	}
}

/* A module that is no longer in the list has been unmapped, and its traps with it. */
static void drop_unseen(struct run *s, struct run_process *p)
{
	for (size_t i = p->images.count; i-- > 1;) {
		struct image *image = &p->images.items[i];
		uint64_t low, high;

		if (image->seen)
			continue;
		module_span(image->module, &low, &high);
		sites_forget(s, p, image->bias + low, image->bias + high);
		array_remove(&p->images, i);
	}
}

struct module *images_loader(const struct run_process *p, uint64_t *base)
{
	*base = p->loader ? p->loader_base : p->images.items[0].bias;
	return p->loader ? p->loader : p->exe;
}

/* Returns the address of the list, by the loader's symbols. glibc's symbol is the list itself,
   musl's points to it. */
static uint64_t list_of(struct run_process *p)
{
	uint64_t base, offset, at;
	struct module *loader = images_loader(p, &base);

	if (module_symbol(loader, "_r_debug", &offset, NULL) == 0)
		return base + offset;
	if (module_symbol(loader, "_dl_debug_addr", &offset, NULL) == 0 &&
	    tracee_read(p->tracee, base + offset, &at, sizeof(at)) == 0)
		return at;
	return 0;
}

void images_update(struct run *s, struct run_process *p, struct module_list *loaded,
		   bool *consistent)
{
	/* glibc 2.35 and later: struct r_debug_extended, with r_next from r_version 2 on. */
	struct r_debug debug;
	uint64_t next = list_of(p);

	*consistent = false;
	if (!next)
		return;
	array_each(struct image, image, &p->images)
		image->seen = image == p->images.items;
	for (int i = 0; next && i < MOST_NAMESPACES; i++) {
		if (tracee_read(p->tracee, next, &debug, sizeof(debug)) < 0)
			return;
		if (debug.r_state != RT_CONSISTENT || (!i && !debug.r_map))
			return; /* the list is being changed, or has not begun */
		one_namespace(s, p, (uint64_t)(uintptr_t)debug.r_map, loaded);
		if (debug.r_version < 2 ||
		    tracee_read(p->tracee, next + sizeof(debug), &next, sizeof(next)) < 0)
			next = 0;
	}
	*consistent = true;
	drop_unseen(s, p);
}

struct image *images_at(struct run_process *p, uint64_t address)
{
	array_each(struct image, image, &p->images) {
		uint64_t low, high;

		module_span(image->module, &low, &high);
		if (address - image->bias >= low && address - image->bias < high)
			return image;
	}
	return NULL;
}

/* Returns the start of the file's first mapping. Right for the usual layout, in which offsets and
   addresses of the first segments differ by the same amount. */
static uint64_t file_start(struct run_process *p, struct tracee_mapping map)
{
	uint64_t start = map.start - map.offset;

	for (int i = 0; i < 64 && map.offset; i++) {
		struct tracee_mapping before;

		if (tracee_mapping_at(p->tracee, map.start - 1, &before) < 0 ||
		    strcmp(before.path, map.path) != 0)
			break;
		map = before;
		start = map.start;
	}
	return start;
}

/* Without a trap in the loader, an image is only known by the mapping at the address. */
static void image_from_mapping(struct run *s, struct run_process *p, uint64_t address)
{
	struct tracee_mapping map;
	struct mapped_place there;
	struct module *m;

	if (tracee_mapping_at(p->tracee, address, &map) < 0 || map.path[0] != '/')
		return;
	there = (struct mapped_place){.start = file_start(p, map)};
	m = mapped_file_open(s, p, map.path, &there);
	if (m)
		image_add(p, m, mapped_file_bias(m, &there));
}

struct image *images_find(struct run *s, struct run_process *p, uint64_t address)
{
	struct image *image = images_at(p, address);
	bool consistent = false;

	if (image || !p->tracee)
		return image;
	if (p->loader)
		images_update(s, p, NULL, &consistent);
	if (!consistent || !images_at(p, address))
		image_from_mapping(s, p, address);
	return images_at(p, address);
}

struct module **images_modules(const struct run_process *p)
{
	struct module **modules = base_alloc(p->images.count, sizeof(*modules));

	for (size_t i = 0; i < p->images.count; i++)
		modules[i] = p->images.items[i].module;
	return modules;
}

bool images_have(const struct run_process *p, const char *object)
{
	array_each(const struct image, image, &p->images)
		if (module_matches(image->module, object))
			return true;
	return false;
}

uint64_t images_frame(struct module *m, uint64_t offset, const struct arch_regs *regs)
{
	unsigned reg;
	int64_t add;

	if (!m || !dwarf_cfa(m, offset, &reg, &add) || reg > ARCH_DWARF_PC)
		return regs->dwarf[ARCH_DWARF_SP];
	return regs->dwarf[reg] + (uint64_t)add;
}

uint64_t images_frame_at(const struct image *image, uint64_t pc, const struct arch_regs *regs)
{
	return images_frame(image ? image->module : NULL, image ? pc - image->bias : 0, regs);
}

static int read_process(void *ctx, uint64_t addr, void *buf, size_t n)
{
	return tracee_read(ctx, addr, buf, n);
}

bool images_jump(struct tracee_process *p, uint64_t address, const struct arch_regs *regs,
		 uint64_t *to)
{
	uint8_t bytes[ARCH_INSN_MAX];

	return tracee_read(p, address, bytes, sizeof(bytes)) == 0 &&
	       arch_jump_target(bytes, sizeof(bytes), address, regs, read_process, p, to) == 0;
}

void images_copy(struct run_process *to, const struct run_process *from)
{
	array_each(const struct image, image, &from->images)
		*array_add(&to->images) = *image;
	to->exe = from->exe;
	to->loader = from->loader;
	to->loader_base = from->loader_base;
	to->settled = from->settled;
	to->sanitized = from->sanitized;
	to->load_site =
		from->load_site ? tracee_site_find(to->tracee, from->load_site->addr) : NULL;
}

bool images_find_program(const char *name, char *path, size_t size)
{
	const char *dirs = getenv("PATH"), *end;

	if (strchr(name, '/')) {
		snprintf(path, size, "%s", name);
		return access(path, R_OK) == 0;
	}
	for (; dirs; dirs = *end ? end + 1 : NULL) {
		end = strchrnul(dirs, ':');
		/* An empty entry is the current directory (execvp(3)). */
		snprintf(path, size, "%.*s%s%s", (int)(end - dirs), dirs, end > dirs ? "/" : "./",
			 name);
		if (access(path, R_OK | X_OK) == 0)
			return true;
	}
	return false;
}

/* Reads the interpreter in the first line of a script. Returns false if the file is no script. */
static bool read_interpreter(const char *path, char name[256])
{
	FILE *file = fopen(path, "re");
	bool script = file && fscanf(file, "#!%255s", name) == 1;

	if (file)
		fclose(file);
	return script;
}

/* ENOENT for a file that exists is about its interpreter. */
static void explain_not_found(const char *path, struct error *err)
{
	char name[256];

	if (!read_interpreter(path, name) || access(name, F_OK) == 0)
		return;
	error_set(err, ERROR_NOT_FOUND, "%s: a script for %s, which does not exist", path, name);
	error_hint(err, "correct its first line, or name the interpreter before it");
}

/* The kernel's "Exec format error" gives no reason: the file's contents do. */
void images_explain_refusal(struct modules *symbols, const char *program, struct error *err)
{
	char path[PATH_MAX];
	ERROR(why);
	struct stat st;

	if ((err->code != ERROR_CANNOT_EXEC && err->code != ERROR_NOT_FOUND) ||
	    !images_find_program(program, path, sizeof(path)) || stat(path, &st) < 0)
		return;
	if (err->code == ERROR_NOT_FOUND) {
		explain_not_found(path, err);
		return;
	}
	if (S_ISDIR(st.st_mode)) {
		error_set(err, ERROR_CANNOT_EXEC, "%s: a directory, not a program", program);
		error_hint(err, "name the program in it");
		return;
	}
	if (!S_ISREG(st.st_mode) || access(path, X_OK) < 0 || modules_open(symbols, path, &why))
		return;
	error_set(err, ERROR_CANNOT_EXEC, "%s", why.text);
	error_hint(err, "%s", why.hint ? why.hint : "build it again, for this machine");
}

void images_hint_script(const char *program, const struct location *location, struct error *err)
{
	char path[PATH_MAX], name[256];

	if (location->object || !images_find_program(program, path, sizeof(path)) ||
	    !read_interpreter(path, name))
		return;
	error_hint(err,
		   "%s is a script, which %s runs: write OBJECT!%s with the name of the program "
		   "that it starts as OBJECT, or run that program itself",
		   program, name, location->text);
}
