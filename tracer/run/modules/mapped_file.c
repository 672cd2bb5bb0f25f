/* Opens the file that a process has mapped. A name means another file in another root or mount
   namespace, or after the file was replaced. The mapped contents can be compared; for most files
   the first page is enough, since it has the build-id. */
#include "tracer/run/run_internal.h"
#include "tracer/run/modules/mapped_file.h"
#include "tracer/base/log.h"
#include "tracer/elf/module.h"
#include "tracer/tracee/threads/threads.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint64_t in_page = PAGE_BYTES - 1;

uint64_t mapped_file_bias(const struct module *m, const struct mapped_place *there)
{
	uint64_t low, high;

	if (!there->start)
		return there->bias;
	module_span(m, &low, &high);
	return module_is_pie(m) ? there->start - (low & ~in_page) : 0;
}

/* ---- comparison with the mapping ------------------------------------------------------------- */

/* Compares from this offset to the end of its page. */
static bool same_bytes(struct run_process *p, const struct module *m, uint64_t bias,
		       uint64_t offset)
{
	uint8_t file[PAGE_BYTES], memory[PAGE_BYTES];
	size_t n = module_bytes(m, offset, file, PAGE_BYTES - (offset & in_page));

	return n && tracee_read(p->tracee, bias + offset, memory, n) == 0 &&
	       memcmp(file, memory, n) == 0;
}

static bool same_code(struct run_process *p, const struct module *m, uint64_t bias)
{
	uint64_t low, high;

	module_span(m, &low, &high);
	for (uint64_t at = low; at < high; at = (at | in_page) + 1)
		if (module_is_code(m, at) && !same_bytes(p, m, bias, at))
			return false;
	return true;
}

static bool mapping_of(struct run_process *p, const struct mapped_place *there,
		       struct tracee_mapping *map)
{
	return tracee_mapping_at(p->tracee, there->within ? there->within : there->start, map) == 0;
}

/* Equal numbers of device and inode prove identity. Different ones do not disprove it: mappings of
   overlayfs and btrfs have another device than stat(2). */
static bool is_mapped(struct run_process *p, const struct module *m,
		      const struct mapped_place *there)
{
	uint64_t bias = mapped_file_bias(m, there), low, high;
	struct tracee_mapping map;
	bool head;

	module_span(m, &low, &high);
	head = same_bytes(p, m, bias, low);
	if (head && module_build_id(m)[0])
		return true;
	if (mapping_of(p, there, &map) && module_is_inode(m, map.dev, map.ino))
		return true;
	return head && same_code(p, m, bias);
}

/* ---- paths to the file ----------------------------------------------------------------------- */

enum { LINK_MOST = 64 };

static void proc_link(char link[LINK_MOST], int tid, const char *name)
{
	snprintf(link, LINK_MOST, "/proc/%d/%s", tid, name);
}

/* Returns a tid whose /proc entries can be read: the first thread may have ended before others. */
static int living(struct run *s, struct run_process *p)
{
	struct tracee_thread *t = NULL;
	char link[LINK_MOST], first;
	int tid = p->pid;

	for (;;) {
		proc_link(link, tid, "exe");
		if (readlink(link, &first, 1) > 0)
			return tid;
		do
			t = tracee_next_thread(s->tracee, t);
		while (t && t->process != p->tracee);
		if (!t)
			return p->pid;
		tid = t->tid;
	}
}

static struct module *try_way(struct run *s, struct run_process *p, const char *way,
			      const char *name, const struct mapped_place *there)
{
	ERROR(err);
	struct module *m = modules_open_as(s->symbols, way, name, &err);

	return m && is_mapped(p, m, there) ? m : NULL;
}

static struct module *try_root(struct run *s, struct run_process *p, const char *root,
			       const char *path, const char *name, const struct mapped_place *there)
{
	char way[LINK_MOST + PATH_MAX];

	snprintf(way, sizeof(way), "%s%s", root, path);
	return try_way(s, p, way, name, there);
}

/* The kernel names the mapped file as seen from here, or else from the root of its mount. Only root
   may follow the link in map_files to the file itself. */
static struct module *elsewhere(struct run *s, struct run_process *p, const char *name,
				const struct mapped_place *there)
{
	struct tracee_mapping map;
	char root[LINK_MOST], link[LINK_MOST + 64];
	struct module *m;
	int tid;

	if (!mapping_of(p, there, &map) || map.path[0] != '/')
		return NULL;
	tid = living(s, p);
	proc_link(root, tid, "root");
	m = try_way(s, p, map.path, name, there);
	m = m ? m : try_root(s, p, root, map.path, name, there);
	m = m ? m : try_root(s, p, root, name, name, there);
	if (m)
		return m;
	snprintf(link, sizeof(link), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, tid, map.start,
		 map.end);
	return try_way(s, p, link, name, there);
}

static void note_unread(struct run *s, const char *name)
{
	array_each(char *, known, &s->unread)
		if (!strcmp(*known, name))
			return;
	*array_add(&s->unread) = base_strdup(name);
	if (s->loading.has_places && s->run_number <= 1 && !s->options->quiet)
		log_line("gatectl: note: %s: the file that the program has mapped cannot be opened "
			 "from here (replaced, or in another mount namespace): no location is "
			 "looked for in it%s",
			 name, geteuid() ? "; run gatectl as root" : "");
}

/* A whole file for which memory was lacking: locations in it are not found, though they may
   exist. */
static void note_no_memory(struct run *s, const struct error *err)
{
	if (strstr(error_text(err), "out of memory") && s->run_number <= 1)
		log_line("gatectl: note: %s: no location or function is found in it: its file "
			 "needs more memory than the limit permits (ulimit -v)",
			 error_text(err));
}

struct module *mapped_file_open(struct run *s, struct run_process *p, const char *name,
				const struct mapped_place *there)
{
	ERROR(err);
	struct module *m = modules_open(s->symbols, name, &err);
	/* the file is no valid object, which is reported elsewhere */
	bool is_broken = !m && access(name, R_OK) == 0;

	if (!m || !is_mapped(p, m, there))
		m = elsewhere(s, p, name, there);
	if (!m && !is_broken)
		note_unread(s, name);
	else if (!m)
		note_no_memory(s, &err);
	return m;
}

/* ---- the executable -------------------------------------------------------------------------- */

static bool mapped_file_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* The kernel appends this mark to the name of a removed file. */
static void cut_deleted(char *path)
{
	static const char mark[] = " (deleted)";
	size_t length = strlen(path), end = sizeof(mark) - 1;

	if (length > end && !strcmp(path + length - end, mark))
		path[length - end] = '\0';
}

struct module *mapped_file_exe(struct run *s, struct run_process *p, struct error *err)
{
	char link[LINK_MOST], path[PATH_MAX];
	ssize_t n;

	proc_link(link, living(s, p), "exe");
	n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0)
		return modules_open(s->symbols, link, err);
	path[n] = '\0';
	if (mapped_file_same_file(path, link))
		return modules_open(s->symbols, path, err);
	cut_deleted(path);
	return modules_open_as(s->symbols, link, path, err);
}
