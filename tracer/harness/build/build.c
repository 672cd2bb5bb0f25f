/* Links with the library and compiles the generated programs. */
#include "tracer/harness/hunt.h"

#include "tracer/base/files/file.h"
#include "tracer/base/text/foreign.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the shell ------------------------------------------------------------------------------- */

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

/* ---- the compiler ---------------------------------------------------------------------------- */

char *harness_path(const struct harness_hunt *h, const char *name)
{
	struct str path = {0};

	str_addf(&path, "%s/%s", h->folder.path, name);
	return str_take(&path);
}

static void add_command(const struct harness_hunt *h, const char *to, const char *from,
			const char *link, struct str *out)
{
	str_addf(out, "%s -o ", h->compiler);
	foreign_shell_word(out, to);
	str_add(out, " ");
	foreign_shell_word(out, from);
	if (h->object.catches) {
		const char *slash = strrchr(from, '/');
		STR(path);

		str_addf(&path, "%.*s" HARNESS_CATCH, slash ? (int)(slash - from) + 1 : 0, from);
		str_add(out, " ");
		foreign_shell_word(out, str_text(&path));
	}
	str_addf(out, " %s%s", link, h->object.catches ? " -fexceptions -lstdc++" : "");
}

void harness_command(const struct harness_hunt *h, const char *to, const char *from,
		     struct str *out)
{
	add_command(h, to, from, h->link, out);
}

static int cannot_compile(struct harness_hunt *h, const char *what, const char *command,
			  struct str *said)
{
	enum { LINES = 6 };
	STR(shown);
	char *rest = said->text, *line;

	for (unsigned n = 0; n < LINES && (line = strsep(&rest, "\n")) && (*line || rest); n++)
		str_addf(&shown, "%s%s", n ? "\n" : "", line);
	error_set(h->x.err, ERROR_USAGE, "%s: %s\n%s", what, command, str_text(&shown));
	return error_hint(h->x.err, "--cflags 'OPTIONS' go to the compiler, --include FILE.h into "
				    "the program; CC says which compiler");
}

/* Compiles NAME.c in the folder. Returns the path of the program, or NULL. */
static char *build(struct harness_hunt *h, const char *name, const char *text, const char *link,
		   const char *what)
{
	STR(source);
	STR(command);
	STR(line);
	STR(said);
	char *program = harness_path(h, name);
	bool failed;

	str_addf(&source, "%s.c", program);
	failed = file_replace(str_text(&source), text, h->x.err) < 0;
	add_command(h, program, str_text(&source), link, &command);
	str_addf(&line, "%s 2>&1", str_text(&command));
	if (!failed && harness_shell(str_text(&line), &said) < 0)
		failed = cannot_compile(h, what, str_text(&command), &said);
	if (failed) {
		base_free(program);
		program = NULL;
	}
	return program;
}

int harness_write_catch(struct harness_hunt *h, const char *folder)
{
	STR(path);
	STR(text);
	int failed;

	if (!h->object.catches)
		return 0;
	str_addf(&path, "%s/" HARNESS_CATCH, folder);
	write_catch(&text);
	failed = file_replace(str_text(&path), str_text(&text), h->x.err);
	return failed;
}

int harness_compile(struct harness_hunt *h)
{
	STR(text);
	char *program;

	if (harness_write_catch(h, h->folder.path) < 0)
		return -1;
	write_program(&h->object, &text);
	program = build(h, "program", str_text(&text), h->link, "the harness cannot be compiled");
	base_free(h->program);
	h->program = program ? program : harness_path(h, "program");
	return program ? 0 : -1;
}

/* ---- the library ----------------------------------------------------------------------------- */

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

static enum kind kind_of_library(struct harness_hunt *h, const unsigned char *head)
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

/* Adds --cflags after the library, so that its undefined symbols are resolved there. */
static void add_cflags(const struct harness_hunt *h, struct str *out)
{
	if (h->options.cflags)
		str_addf(out, " %s", h->options.cflags);
}

/* Links an archive or object file to a program, whose debug information has addresses. */
static int link_probe(struct harness_hunt *h, bool is_archive)
{
	STR(link);
	char *probe;

	str_add(&link, is_archive ? "-Wl,--whole-archive " : "");
	foreign_shell_word(&link, h->options.library);
	str_add(&link, is_archive ? " -Wl,--no-whole-archive" : "");
	add_cflags(h, &link);
	probe = build(h, "probe", "int main(void)\n{\n	return 0;\n}\n", str_text(&link),
		      "no program can be linked with the library");
	if (probe)
		h->module = modules_open(h->x.symbols, probe, h->x.err);
	base_free(probe);
	return h->module ? 0 : -1;
}

/* Adds the sanitizer option that the library was built with. */
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
		STR(rpath);

		str_addf(&rpath, "-Wl,-rpath,%.*s", (int)(strrchr(path, '/') - path), path);
		str_add(&text, " ");
		foreign_shell_word(&text, str_text(&rpath));
	}
	add_cflags(h, &text);
	h->link = str_take(&text);
	free(path);
}

static int refuse_library(struct harness_hunt *h, enum kind kind)
{
	if (h->x.err->code)
		return -1;
	if (kind == KIND_PROGRAM)
		error_set(h->x.err, ERROR_USAGE,
			  "%s is a program, with which nothing can be linked", h->options.library);
	else
		error_set(h->x.err, ERROR_OBJECT,
			  "%s is not a shared object, an archive or an object file",
			  h->options.library);
	return error_hint(h->x.err, "gatectl harness --object TYPE LIBRARY.so (or .a, or .o)");
}

int harness_library(struct harness_hunt *h)
{
	static const char *const names[] = {"probe.c", "probe",	      "program.c", "program",
					    "orders",  HARNESS_CATCH, NULL};
	unsigned char head[sizeof(Elf64_Ehdr)];
	enum kind kind;

	if (read_head(h->options.library, head, sizeof(head), h->x.err) < 0)
		return -1;
	kind = kind_of_library(h, head);
	if (kind == KIND_OTHER || (kind == KIND_PROGRAM && !h->options.lists))
		return refuse_library(h, kind);
	set_commands(h, kind);
	h->tested = kind == KIND_SHARED ? h->module : NULL;
	if (shortlived_make(&h->folder, "gatectl-harness", names, h->x.err) < 0)
		return -1;
	return kind == KIND_ARCHIVE || kind == KIND_OBJECT ? link_probe(h, kind == KIND_ARCHIVE)
							   : 0;
}
