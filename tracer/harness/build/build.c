#include "tracer/harness/build/build.h"

#include "tracer/base/files/file.h"
#include "tracer/base/text/foreign.h"
#include "tracer/base/files/shortlived.h"
#include "tracer/harness/model/write.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the shell --------------------------------------------------------------------------------------- */

int harness_shell(const char *command, struct str *out)
{
	FILE *f = popen(command, "re");
	char bytes[4096];
	size_t n;

	if (!f)
		return -1;
	while ((n = fread(bytes, 1, sizeof(bytes), f)) > 0)
		str_add_bytes(out, bytes, n);
	return pclose(f) == 0 ? 0 : -1;
}

/* ---- files ------------------------------------------------------------------------------------------- */

static const char *const names[] = {"probe.c", "probe", "program.c", "program", "orders", NULL};

char *harness_path(const struct harness_hunt *h, const char *name)
{
	struct str path = {0};

	str_addf(&path, "%s/%s", h->folder.path, name);
	return str_take(&path);
}

void harness_remove(struct harness_hunt *h)
{
	shortlived_remove(&h->folder);
}

/* ---- the compiler ------------------------------------------------------------------------------------ */

static void add_compiler(const struct harness_hunt *h, const char *to, const char *from,
			 struct str *out)
{
	str_addf(out, "%s -o ", h->compiler);
	foreign_shell_word(out, to);
	str_add(out, " ");
	foreign_shell_word(out, from);
}

void harness_command(const struct harness_hunt *h, const char *to, const char *from,
		     struct str *out)
{
	add_compiler(h, to, from, out);
	str_addf(out, " %s", h->link);
}

static void first_lines(const char *text, struct str *out)
{
	enum { LINES = 6 };

	for (unsigned n = 0; *text && n < LINES; n++) {
		size_t length = strcspn(text, "\n");

		str_add(out, n ? "\n" : "");
		str_add_bytes(out, text, length);
		text += length + (text[length] == '\n');
	}
}

static int compile(struct harness_hunt *h, const char *command, const char *what)
{
	struct str line = {0}, said = {0}, shown = {0};
	int failed;

	str_addf(&line, "%s 2>&1", command);
	failed = harness_shell(str_text(&line), &said);
	if (failed) {
		first_lines(str_text(&said), &shown);
		error_set(h->x.err, ERROR_USAGE, "%s: %s\n%s", what, command, str_text(&shown));
		error_hint(h->x.err, "--cflags 'OPTIONS' go to the compiler, --include FILE.h into "
				     "the program; CC says which compiler");
	}
	str_fini(&line);
	str_fini(&said);
	str_fini(&shown);
	return failed;
}

int harness_compile(struct harness_hunt *h)
{
	char *source = harness_path(h, "program.c");
	struct str text = {0}, command = {0};
	int failed;

	base_free(h->program);
	h->program = harness_path(h, "program");
	write_program(&h->object, &text);
	failed = file_replace(source, str_text(&text), h->x.err);
	harness_command(h, h->program, source, &command);
	if (!failed)
		failed = compile(h, str_text(&command), "the harness cannot be compiled");
	str_fini(&text);
	str_fini(&command);
	base_free(source);
	return failed;
}

/* ---- the library ----------------------------------------------------------------------------------------- */

enum kind { KIND_OTHER, KIND_SHARED, KIND_PROGRAM, KIND_ARCHIVE, KIND_OBJECT };

static int read_head(const char *path, unsigned char *head, size_t size, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, head, size);

	if (n < 0) {
		error_errno(err, fd < 0 && errno == ENOENT ? ERROR_NOT_FOUND : ERROR_OBJECT, "%s",
			    path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	close(fd);
	memset(head + n, 0, size - (size_t)n);
	return 0;
}

static enum kind build_kind_of(struct harness_hunt *h, const unsigned char *head)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)head;

	if (memcmp(head, "!<arch>\n", 8) == 0)
		return KIND_ARCHIVE;
	if (memcmp(head, ELFMAG, SELFMAG) != 0)
		return KIND_OTHER;
	if (e->e_type == ET_REL)
		return KIND_OBJECT;
	h->module = modules_open(h->x.symbols, h->options.library, h->x.err);
	if (!h->module)
		return KIND_OTHER;
	return e->e_type == ET_DYN && !module_is_dynamic(h->module) ? KIND_SHARED : KIND_PROGRAM;
}

/* Behind the library: what it needs of other libraries is looked for there. */
static void add_cflags(const struct harness_hunt *h, struct str *out)
{
	if (h->options.cflags)
		str_addf(out, " %s", h->options.cflags);
}

/* Of an archive or an object file a program is made: its debug information has addresses. */
static int link_probe(struct harness_hunt *h, bool is_archive)
{
	char *source = harness_path(h, "probe.c"), *probe = harness_path(h, "probe");
	struct str text = {0}, command = {0};
	int failed;

	str_add(&text, "int main(void)\n{\n	return 0;\n}\n");
	add_compiler(h, probe, source, &command);
	str_add(&command, is_archive ? " -Wl,--whole-archive " : " ");
	foreign_shell_word(&command, h->options.library);
	str_add(&command, is_archive ? " -Wl,--no-whole-archive" : "");
	add_cflags(h, &command);
	failed = file_replace(source, str_text(&text), h->x.err);
	if (!failed)
		failed = compile(h, str_text(&command), "nothing can be linked with the library");
	if (!failed)
		h->module = modules_open(h->x.symbols, probe, h->x.err);
	str_fini(&text);
	str_fini(&command);
	base_free(source);
	base_free(probe);
	return h->module ? 0 : -1;
}

/* A library that was built with one needs a program that was, too. */
static void add_sanitizer(const struct harness_hunt *h, struct str *out)
{
	static const char *const symbols[][2] = {{"__asan_init", " -fsanitize=address"},
						 {"__tsan_init", " -fsanitize=thread"}};

	for (size_t i = 0; h->module && i < sizeof(symbols) / sizeof(*symbols); i++)
		if (module_has_string(h->module, symbols[i][0]))
			str_add(out, symbols[i][1]);
}

static void set_commands(struct harness_hunt *h, enum kind kind)
{
	const char *cc = getenv("CC");
	char *path = realpath(h->options.library, NULL);
	struct str text = {0};

	str_addf(&text, "%s -g -pthread", cc && *cc ? cc : "cc");
	add_sanitizer(h, &text);
	h->compiler = str_take(&text);
	foreign_shell_word(&text, path ? path : h->options.library);
	if (kind == KIND_SHARED && path) {
		struct str rpath = {0};

		str_addf(&rpath, "-Wl,-rpath,%.*s", (int)(strrchr(path, '/') - path), path);
		str_add(&text, " ");
		foreign_shell_word(&text, str_text(&rpath));
		str_fini(&rpath);
	}
	add_cflags(h, &text);
	h->link = str_take(&text);
	free(path);
}

static int build_refuse(struct harness_hunt *h, enum kind kind)
{
	if (h->x.err->code)
		return -1;
	if (kind == KIND_PROGRAM)
		error_set(h->x.err, ERROR_USAGE, "%s is a program: nothing can be linked with it",
			  h->options.library);
	else
		error_set(h->x.err, ERROR_OBJECT,
			  "%s is no shared object, no archive and no object file",
			  h->options.library);
	return error_hint(h->x.err, "gatectl harness --object TYPE LIBRARY.so (or .a, or .o)");
}

int harness_library(struct harness_hunt *h)
{
	unsigned char head[sizeof(Elf64_Ehdr)];
	enum kind kind;

	if (read_head(h->options.library, head, sizeof(head), h->x.err) < 0)
		return -1;
	kind = build_kind_of(h, head);
	if (kind == KIND_OTHER || (kind == KIND_PROGRAM && !h->options.lists))
		return build_refuse(h, kind);
	set_commands(h, kind);
	h->tested = kind == KIND_SHARED ? h->module : NULL;
	if (shortlived_make(&h->folder, "gatectl-harness", names, h->x.err) < 0)
		return -1;
	return kind == KIND_ARCHIVE || kind == KIND_OBJECT ? link_probe(h, kind == KIND_ARCHIVE)
							   : 0;
}
