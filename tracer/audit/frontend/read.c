#include "tracer/audit/frontend/reader.h"

#include "tracer/base/files/file.h"
#include "tracer/base/text/foreign.h"
#include "tracer/base/files/path.h"
#include "tracer/base/text/str.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One unit, and how it is compiled. */
struct unit {
	char *file, *folder; /* folder: where the compiler was started; may be NULL */
	unsigned source;     /* index + 1 of the program's */
	struct unit_words {
		char **items;
		size_t count, capacity;
	} words;
};

struct reading {
	struct audit_reader reader;
	struct audit_read *to;
	struct included_known included;
	int here; /* the working directory */
	ARRAY(struct unit) units;
};

static void skip(struct audit_read *a, const char *file, char *why)
{
	struct audit_skipped *s = array_add(&a->skipped);

	s->file = base_strdup(file);
	s->why = why;
}

/* ---- what to compile, and how ------------------------------------------------------------------------------- */

/* Of a command for gcc, what changes the meaning of the text: libclang knows not all the others. `takes`: the next
   word, too. */
static bool matters(const char *word, bool *takes)
{
	static const char *const with[] = {"-isystem", "-iquote",   "-idirafter", "-include",
					   "-imacros", "-isysroot", "-I",	  "-D",
					   "-U",       "-x"};
	static const char *const begin[] = {"-I",	"-D",	    "-U",	"-std=", "-isystem",
					    "-iquote",	"-nostdin", "-include", "-m32",	 "-m64",
					    "-pthread", "-fgnu",    "-ansi"};

	for (size_t i = 0; i < sizeof(with) / sizeof(*with); i++)
		if (strcmp(word, with[i]) == 0)
			return *takes = true;
	*takes = false;
	for (size_t i = 0; i < sizeof(begin) / sizeof(*begin); i++)
		if (strncmp(word, begin[i], strlen(begin[i])) == 0)
			return true;
	return false;
}

static char *absolute(const char *folder, const char *file)
{
	struct str path = {0};
	char *real;

	if (*file != '/' && folder)
		str_addf(&path, "%s/", folder);
	str_add(&path, file);
	real = realpath(str_text(&path), NULL);
	if (!real)
		return str_take(&path);
	str_clear(&path);
	str_add(&path, real);
	free(real);
	return str_take(&path);
}

/* Of the files that are named, where there are some. */
static bool read_is_wanted(const struct audit_read_options *o, const char *path)
{
	bool wanted = !o->count;

	for (size_t i = 0; i < o->count && !wanted; i++) {
		char *file = absolute(NULL, o->files[i]);

		wanted = strcmp(file, path) == 0;
		base_free(file);
	}
	return wanted;
}

/* NULL: there is none yet. */
static const struct unit *known(const struct reading *r, const char *path)
{
	array_each(const struct unit, u, &r->units)
		if (strcmp(u->file, path) == 0)
			return u;
	return NULL;
}

static struct unit *read_add_unit(struct reading *r, char *path)
{
	struct unit *u = array_add(&r->units);

	u->file = path;
	u->source = targets_add_unit(r->reader.program);
	return u;
}

/* What the command's object is for. */
static void add_target(struct reading *r, CXCompileCommand command, const char *folder,
		       const struct unit *u)
{
	const struct clang *c = &r->reader.clang;

	for (unsigned i = 1; i + 1 < c->CompileCommand_getNumArgs(command); i++) {
		char *word = clang_take(c, c->CompileCommand_getArg(command, i)),
		     *object = clang_take(c, c->CompileCommand_getArg(command, i + 1)),
		     *target = strcmp(word, "-o") == 0 ? targets_of_object(folder, object, u->file)
						       : NULL;

		if (target)
			targets_add(r->reader.program, u->source, target);
		base_free(word);
		base_free(object);
		base_free(target);
	}
}

static void read_add_command(struct reading *r, CXCompileCommand command)
{
	const struct clang *c = &r->reader.clang;
	char *folder = clang_take(c, c->CompileCommand_getDirectory(command)),
	     *name = clang_take(c, c->CompileCommand_getFilename(command)),
	     *path = absolute(folder, name);
	struct unit *u;
	bool takes = false;

	base_free(name);
	if (read_is_wanted(r->reader.options, path) && known(r, path))
		add_target(r, command, folder, known(r, path));
	if (!read_is_wanted(r->reader.options, path) || known(r, path)) {
		base_free(folder);
		base_free(path);
		return;
	}
	u = read_add_unit(r, path);
	u->folder = folder;
	add_target(r, command, folder, u);
	for (unsigned i = 1; i < c->CompileCommand_getNumArgs(command); i++) {
		char *word = clang_take(c, c->CompileCommand_getArg(command, i));

		if (takes ? !(takes = false) : matters(word, &takes))
			*array_add(&u->words) = word;
		else
			base_free(word);
	}
}

/* Of what it wrote, what stands behind the name of the reader that is meant. */
static void why_not(const struct str *said, struct str *out)
{
	static const char before[] = "json-compilation-database: ";
	const char *at = strstr(str_text(said), before);

	if (at)
		str_add_bytes(out, at + strlen(before), strcspn(at + strlen(before), "\n"));
}

static CXCompilationDatabase open_commands(const struct clang *c, const char *folder,
					   struct str *why)
{
	CXCompilationDatabase_Error error = CXCompilationDatabase_NoError;
	CXCompilationDatabase all;
	struct caught caught;
	STR(said);

	caught_begin(&caught);
	all = c->CompilationDatabase_fromDirectory(folder, &error);
	caught_end(&caught, &said);
	if (error != CXCompilationDatabase_NoError)
		why_not(&said, why);
	return error == CXCompilationDatabase_NoError ? all : NULL;
}

static int no_commands(const char *folder, const struct str *why, struct error *err)
{
	if (why->length)
		error_set(err, ERROR_USAGE, "%s/compile_commands.json: %s", folder, str_text(why));
	else
		error_set(err, ERROR_USAGE, "%s: no compile_commands.json that can be read",
			  folder);
	return error_hint(err, "cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON writes one; "
			       "`bear -- make` does so for make");
}

static int add_commands(struct reading *r, struct error *err)
{
	const struct clang *c = &r->reader.clang;
	const char *folder = r->reader.options->folder;
	CXCompilationDatabase all = NULL;
	CXCompileCommands commands;
	STR(path);
	STR(why);

	/* libclang says more of a file that is not there than anybody wants to read. */
	str_addf(&path, "%s/compile_commands.json", folder);
	if (access(str_text(&path), R_OK) == 0)
		all = open_commands(c, folder, &why);
	if (!all)
		no_commands(folder, &why, err);
	if (!all)
		return -1;
	commands = c->CompilationDatabase_getAllCompileCommands(all);
	for (unsigned i = 0; commands && i < c->CompileCommands_getSize(commands); i++)
		read_add_command(r, c->CompileCommands_getCommand(commands, i));
	if (commands)
		c->CompileCommands_dispose(commands);
	c->CompilationDatabase_dispose(all);
	return 0;
}

static void add_flags(struct unit *u, const char *flags)
{
	while (flags && *flags) {
		size_t length = strcspn(flags, " \t");

		if (length)
			*array_add(&u->words) = base_strndup(flags, length);
		flags += length;
		flags += strspn(flags, " \t");
	}
}

/* Those that the folder does not name. */
static void add_files(struct reading *r)
{
	const struct audit_read_options *o = r->reader.options;

	for (size_t i = 0; i < o->count; i++) {
		char *path = absolute(NULL, o->files[i]);

		if (known(r, path)) {
			base_free(path);
			continue;
		}
		add_flags(read_add_unit(r, path), o->flags);
	}
}

/* ---- one unit -------------------------------------------------------------------------------------------------- */

static bool is_system(const struct reading *r, CXCursor c)
{
	return r->reader.clang.Location_isInSystemHeader(r->reader.clang.getCursorLocation(c));
}

/* Functions that a variable begins with may be called by anybody. */
static enum CXChildVisitResult take_addresses(CXCursor c, CXCursor parent, CXClientData data)
{
	struct reading *r = data;
	CXCursor to;

	(void)parent;
	if (cursor_kind(&r->reader, c) != CXCursor_DeclRefExpr)
		return CXChildVisit_Recurse;
	to = r->reader.clang.getCursorReferenced(c);
	if (cursor_kind(&r->reader, to) == CXCursor_FunctionDecl)
		number_map_set(&r->reader.program->taken, cursor_usr(&r->reader, to),
			       TAKEN_SOMEHOW);
	return CXChildVisit_Recurse;
}

static void read_function(struct reading *r, CXCursor c)
{
	struct audit_program *p = r->reader.program;

	if (!r->reader.clang.isCursorDefinition(c))
		number_map_set(&p->declared, cursor_usr(&r->reader, c), 1);
	if (!r->reader.clang.isCursorDefinition(c))
		return;
	p->has_main |= strcmp(program_text(p, cursor_name(&r->reader, c)), "main") == 0;
	lower_function(&r->reader, c);
}

static enum CXChildVisitResult read_top(CXCursor c, CXCursor parent, CXClientData data)
{
	struct reading *r = data;

	(void)parent;
	if (is_system(r, c))
		return CXChildVisit_Continue;
	switch ((unsigned)cursor_kind(&r->reader, c)) {
	case CXCursor_FunctionDecl:
		read_function(r, c);
		break;
	case CXCursor_VarDecl:
		lower_global(&r->reader, c);
		r->reader.clang.visitChildren(c, take_addresses, r);
		break;
	case CXCursor_TypedefDecl:
		record_alias(&r->reader, c);
		break;
	case CXCursor_StructDecl:
	case CXCursor_UnionDecl:
		record_of_type(&r->reader, r->reader.clang.getCursorType(c));
		break;
	default:
		break;
	}
	return CXChildVisit_Continue;
}

/* The first error of the compiler, owned; NULL: there is none. Of the file itself only the line is told. */
static char *first_error(const struct audit_reader *r, const char *of)
{
	const struct clang *c = &r->clang;
	struct str text = {0};

	for (unsigned i = 0; !text.length && i < c->getNumDiagnostics(r->unit); i++) {
		CXDiagnostic d = c->getDiagnostic(r->unit, i);
		unsigned line = 0;
		CXFile file = NULL;

		if (c->getDiagnosticSeverity(d) >= CXDiagnostic_Error) {
			char *said = clang_take(c, c->getDiagnosticSpelling(d)), *name;

			c->getFileLocation(c->getDiagnosticLocation(d), &file, &line, NULL, NULL);
			name = file ? clang_take(c, c->getFileName(file)) : base_strdup("");
			if (*name && strcmp(name, of) != 0)
				str_addf(&text, "%s:%u: %s", path_shown(name), line, said);
			else if (line)
				str_addf(&text, "line %u: %s", line, said);
			else
				str_add(&text, said);
			base_free(name);
			base_free(said);
		}
		c->disposeDiagnostic(d);
	}
	return text.length ? str_take(&text) : NULL;
}

static bool read_is_file(const char *path)
{
	struct stat s;

	return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

static bool is_c(const char *file)
{
	const char *dot = strrchr(file, '.');

	return dot && strcmp(dot, ".c") == 0;
}

/* NULL: it cannot. A crash of its own libclang survives, and says so in many lines. */
static CXTranslationUnit read_parse(struct reading *r, const struct unit *u, const char **why)
{
	const struct clang *c = &r->reader.clang;
	ARRAY(const char *) words = {0};
	STR(where);
	struct caught caught;
	CXTranslationUnit unit = NULL;
	enum CXErrorCode code;

	if (u->folder)
		str_addf(&where, "-working-directory=%s", u->folder);
	if (u->folder)
		*array_add(&words) = str_text(&where);
	else
		*array_add(&words) = "-std=gnu11";
	array_each(char *const, word, &u->words)
		*array_add(&words) = *word;
	caught_begin(&caught);
	code = c->parseTranslationUnit2(r->reader.index, u->file, words.items, (int)words.count,
					NULL, 0, 0, &unit);
	caught_end(&caught, NULL);
	*why = code == CXError_Crashed ? "libclang crashes on it" : "libclang cannot read it";
	if (code != CXError_Success)
		unit = NULL;
	array_fini(&words);
	return unit;
}

static size_t count_lines(const char *file)
{
	ERROR(err);
	char *text = file_read(file, &err);
	size_t lines = 0;

	for (const char *p = text; p && *p; p++)
		lines += *p == '\n';
	base_free(text);
	return lines;
}

/* Why libclang need not try, owned; NULL: it can. */
static char *hopeless(struct reading *r, const struct unit *u)
{
	const struct included i = {u->folder, u->words.items, u->words.count, &r->included};

	if (access(u->file, R_OK) != 0)
		return base_strdup("there is no such file");
	if (!is_c(u->file))
		return base_strdup("it is not C");
	/* A pipe would be waited for. */
	if (!read_is_file(u->file))
		return base_strdup("it is no file");
	return included_no_file(&i, u->file);
}

static void read_unit(struct reading *r, const struct unit *u)
{
	const struct clang *c = &r->reader.clang;
	char *error = hopeless(r, u);
	const char *why;

	if (error) {
		skip(r->to, u->file, error);
		return;
	}
	r->reader.unit = read_parse(r, u, &why);
	/* libclang has gone to the folder that the command names; where that fails, paths are shown from there. */
	if (fchdir(r->here) < 0)
		errno = 0;
	if (!r->reader.unit) {
		skip(r->to, u->file, base_strdup(why));
		return;
	}
	error = first_error(&r->reader, u->file);
	if (error) {
		skip(r->to, u->file, error);
	} else {
		r->reader.program->units++;
		r->reader.file = u->file;
		r->reader.source = u->source;
		r->reader.program->lines += count_lines(u->file);
		c->visitChildren(c->getTranslationUnitCursor(r->reader.unit), read_top, r);
	}
	c->disposeTranslationUnit(r->reader.unit);
}

/* ---- all ----------------------------------------------------------------------------------------------------------- */

static void reading_fini(struct reading *r)
{
	array_each(struct unit, u, &r->units) {
		array_each(char *, word, &u->words)
			base_free(*word);
		array_fini(&u->words);
		base_free(u->file);
		base_free(u->folder);
	}
	array_fini(&r->units);
	included_known_fini(&r->included);
	if (r->here >= 0)
		close(r->here);
	if (r->reader.index)
		r->reader.clang.disposeIndex(r->reader.index);
	clang_unload(&r->reader.clang);
}

static int nothing_read(const struct reading *r, struct error *err)
{
	const struct audit_read *a = r->to;
	STR(first);

	if (!a->skipped.count)
		return error_set(err, ERROR_USAGE, "there is no file to read");
	foreign_line(&first, path_shown(a->skipped.items[0].file));
	str_add(&first, ": ");
	foreign_line(&first, a->skipped.items[0].why);
	error_set(err, ERROR_USAGE, "none of %zu file%s can be read; the first: %s",
		  a->skipped.count, a->skipped.count == 1 ? "" : "s", str_text(&first));
	if (!r->reader.clang.has_headers && r->reader.clang.version)
		return error_hint(err,
				  "libclang %u lacks its own headers: apt-get install "
				  "libclang-common-%u-dev",
				  r->reader.clang.version, r->reader.clang.version);
	return error_hint(err, "-p FOLDER with compile_commands.json, or --cflags, says how they "
			       "are compiled");
}

int audit_read(struct audit_read *a, const struct audit_read_options *options, struct error *err)
{
	struct reading r = {.reader = {.program = &a->program, .options = options}, .to = a};
	int answer = clang_load(&r.reader.clang, err);

	r.here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (answer == 0)
		r.reader.index = r.reader.clang.createIndex(0, 0);
	if (answer == 0 && options->folder)
		answer = add_commands(&r, err);
	if (answer == 0)
		add_files(&r);
	for (size_t i = 0; answer == 0 && i < r.units.count; i++)
		read_unit(&r, &r.units.items[i]);
	targets_settle(&a->program);
	if (answer == 0 && !a->program.units)
		answer = nothing_read(&r, err);
	reading_fini(&r);
	return answer;
}

void audit_read_fini(struct audit_read *a)
{
	array_each(struct audit_skipped, s, &a->skipped) {
		base_free(s->file);
		base_free(s->why);
	}
	array_fini(&a->skipped);
	program_fini(&a->program);
}
