/* Reads sources into the program: compile commands, then one unit after the other. */
#include "tracer/audit/frontend/cxx.h"

#include "tracer/base/files/file.h"
#include "tracer/base/text/foreign.h"
#include "tracer/base/files/path.h"
#include "tracer/base/text/str.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIMMED = 8 }; /* units between two releases of free memory, each of which takes 5 ms */

/* A unit and its compiler arguments. */
struct unit {
	char *file, *folder; /* `folder` is the compiler's working directory; may be NULL. */
	unsigned source;     /* index + 1 of the program's sources */
	struct unit_words {
		char **items;
		size_t count, capacity;
	} words;
};

struct reading {
	struct audit_reader reader;
	struct audit_read *to;
	struct included_known included;
	int here; /* descriptor of the working directory */
	ARRAY(struct unit) units;
};

/* ---- compile commands ------------------------------------------------------------------------ */

/* True if the compiler argument changes the meaning of the text; libclang does not know all others.
   *takes: the next word belongs to it. */
static bool matters(const char *word, bool *takes)
{
	static const char *const with[] = {"-isystem", "-iquote",   "-idirafter", "-include",
					   "-imacros", "-isysroot", "-I",	  "-D",
					   "-U",       "-x"};
	static const char *const begin[] = {
		"-I",	    "-D",	"-U",	    "-std=",	"-isystem",
		"-iquote",  "-nostdin", "-include", "-m32",	"-m64",
		"-pthread", "-fgnu",	"-ansi",    "-stdlib=", "-fcoroutines"};

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
	if (real) {
		str_clear(&path);
		str_add(&path, real);
		free(real);
	}
	return str_take(&path);
}

/* True if the path is among the given files, or if none are given. */
static bool is_wanted(const struct audit_read_options *o, const char *path)
{
	bool wanted = !o->count;

	for (size_t i = 0; i < o->count && !wanted; i++) {
		OWNED(file) = absolute(NULL, o->files[i]);

		wanted = strcmp(file, path) == 0;
	}
	return wanted;
}

static struct unit *find_unit(const struct reading *r, const char *path)
{
	array_each(struct unit, u, &r->units)
		if (strcmp(u->file, path) == 0)
			return u;
	return NULL;
}

static struct unit *add_unit(struct reading *r, char *path)
{
	struct unit *u = array_add(&r->units);

	u->file = path;
	u->source = targets_add_unit(r->reader.program);
	return u;
}

/* Adds a compile command. The first command of a file gives its arguments, all give its targets. */
static void add_command(struct reading *r, CXCompileCommand command)
{
	const struct clang *c = &r->reader.clang;
	OWNED(folder) = clang_take(c, c->CompileCommand_getDirectory(command));
	OWNED(name) = clang_take(c, c->CompileCommand_getFilename(command));
	OWNED(path) = absolute(folder, name);
	struct unit *u = find_unit(r, path);
	const bool is_new = !u;
	bool takes = false, is_object = false;

	if (!is_wanted(r->reader.options, path))
		return;
	if (is_new) {
		u = add_unit(r, base_strdup(path));
		u->folder = base_strdup(folder);
	}
	for (unsigned i = 1; i < c->CompileCommand_getNumArgs(command); i++) {
		OWNED(word) = clang_take(c, c->CompileCommand_getArg(command, i));
		OWNED(target) = is_object ? targets_of_object(folder, word, u->file) : NULL;

		if (target)
			targets_add(r->reader.program, u->source, target);
		is_object = strcmp(word, "-o") == 0;
		if (strcasecmp(word, "-fpic") == 0)
			r->reader.program->sources.items[u->source - 1].is_shared = true;
		if (is_new && (takes ? !(takes = false) : matters(word, &takes)))
			*array_add(&u->words) = base_strdup(word);
	}
}

/* Opens compile_commands.json. On failure takes libclang's message, without its prefix. */
static CXCompilationDatabase open_commands(const struct clang *c, const char *folder,
					   struct str *why)
{
	static const char before[] = "json-compilation-database: ";
	CXCompilationDatabase_Error error = CXCompilationDatabase_NoError;
	CXCompilationDatabase all;
	struct caught caught;
	const char *at;
	STR(said);

	caught_begin(&caught);
	all = c->CompilationDatabase_fromDirectory(folder, &error);
	caught_end(&caught, &said);
	if (error == CXCompilationDatabase_NoError)
		return all;
	at = strstr(str_text(&said), before);
	if (at)
		str_add_bytes(why, at + strlen(before), strcspn(at + strlen(before), "\n"));
	return NULL;
}

static int add_commands(struct reading *r, struct error *err)
{
	const struct clang *c = &r->reader.clang;
	const char *folder = r->reader.options->folder;
	CXCompilationDatabase all = NULL;
	CXCompileCommands commands;
	STR(path);
	STR(why);

	/* libclang writes many lines about a missing file. */
	str_addf(&path, "%s/compile_commands.json", folder);
	if (access(str_text(&path), R_OK) == 0)
		all = open_commands(c, folder, &why);
	if (!all) {
		if (why.length)
			error_set(err, ERROR_USAGE, "%s: %s", str_text(&path), str_text(&why));
		else
			error_set(err, ERROR_USAGE, "%s: no compile_commands.json that can be read",
				  folder);
		return error_hint(err, "cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON writes one; "
				       "`bear -- make` does so for make");
	}
	commands = c->CompilationDatabase_getAllCompileCommands(all);
	for (unsigned i = 0; commands && i < c->CompileCommands_getSize(commands); i++)
		add_command(r, c->CompileCommands_getCommand(commands, i));
	if (commands)
		c->CompileCommands_dispose(commands);
	c->CompilationDatabase_dispose(all);
	return 0;
}

/* Adds files that compile_commands.json does not name, with --cflags. */
static void add_files(struct reading *r)
{
	const struct audit_read_options *o = r->reader.options;

	for (size_t i = 0; i < o->count; i++) {
		OWNED(path) = absolute(NULL, o->files[i]);
		struct unit *u = find_unit(r, path) ? NULL : add_unit(r, base_strdup(path));
		const char *flags = u ? o->flags : NULL;

		while (flags && *(flags += strspn(flags, " \t"))) {
			size_t length = strcspn(flags, " \t");

			*array_add(&u->words) = base_strndup(flags, length);
			flags += length;
		}
	}
}

/* ---- one unit -------------------------------------------------------------------------------- */

static void read_function(struct reading *r, CXCursor c)
{
	struct audit_program *p = r->reader.program;

	if (!r->reader.clang.isCursorDefinition(c)) {
		/* Another class may define a virtual function. */
		if (r->reader.cxx && r->reader.clang.CXXMethod_isVirtual(c))
			return;
		number_map_set(&p->declared, cursor_usr(&r->reader, c), 1);
		return;
	}
	p->has_main |= strcmp(program_text(p, cursor_name(&r->reader, c)), "main") == 0;
	lower_function(&r->reader, c);
}

/* Reads a declaration of C++. Returns false for one that C has, too. */
static bool read_cxx(struct reading *r, CXCursor c, enum CXChildVisitResult *next)
{
	*next = CXChildVisit_Continue;
	switch ((unsigned)cursor_kind(&r->reader, c)) {
	case CXCursor_ClassDecl:
	case CXCursor_StructDecl:
		record_of_type(&r->reader, r->reader.clang.getCursorType(c));
		*next = CXChildVisit_Recurse;
		return true;
	case CXCursor_Namespace:
	case CXCursor_LinkageSpec:
	case CXCursor_UnexposedDecl:
	case CXCursor_FriendDecl:
		*next = CXChildVisit_Recurse;
		return true;
	case CXCursor_CXXMethod:
	case CXCursor_Constructor:
	case CXCursor_Destructor:
	case CXCursor_ConversionFunction:
		if (!cxx_is_pattern(&r->reader, c))
			read_function(r, c);
		return true;
	default:
		return false;
	}
}

static enum CXChildVisitResult read_top(CXCursor c, CXCursor parent, CXClientData data)
{
	struct reading *r = data;
	enum CXChildVisitResult next;

	(void)parent;
	if (r->reader.clang.Location_isInSystemHeader(r->reader.clang.getCursorLocation(c)))
		return CXChildVisit_Continue;
	if (r->reader.cxx && cxx_is_appended(&r->reader, c))
		return CXChildVisit_Continue;
	if (r->reader.cxx && read_cxx(r, c, &next))
		return next;
	switch ((unsigned)cursor_kind(&r->reader, c)) {
	case CXCursor_FunctionDecl:
		read_function(r, c);
		break;
	case CXCursor_VarDecl:
		lower_global(&r->reader, c);
		table_read(&r->reader, c);
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

/* The error as one line; errors in the unit's own file name only the line. */
static char *error_line(const struct clang *c, CXDiagnostic d, const char *unit)
{
	OWNED(said) = clang_take(c, c->getDiagnosticSpelling(d));
	struct str text = {0};
	unsigned line = 0;
	CXFile file = NULL;

	c->getFileLocation(c->getDiagnosticLocation(d), &file, &line, NULL, NULL);
	if (file) {
		OWNED(name) = clang_take(c, c->getFileName(file));

		if (*name && strcmp(name, unit) != 0)
			str_addf(&text, "%s:%u: ", path_shown(name), line);
		else if (line)
			str_addf(&text, "line %u: ", line);
	}
	str_add(&text, said);
	return str_take(&text);
}

/* First error of the compiler, or NULL; the caller frees it. */
static char *first_error(const struct audit_reader *r, const char *unit)
{
	const struct clang *c = &r->clang;
	char *text = NULL;

	for (unsigned i = 0; !text && i < c->getNumDiagnostics(r->unit); i++) {
		CXDiagnostic d = c->getDiagnostic(r->unit, i);

		if (c->getDiagnosticSeverity(d) >= CXDiagnostic_Error)
			text = error_line(c, d, unit);
		c->disposeDiagnostic(d);
	}
	return text;
}

/* Options for C and C++ that older compilers take with a warning, and clang 16 and later do not. */
static const char *const tolerated[] = {"-Wno-error=implicit-function-declaration",
					"-Wno-error=implicit-int", "-Wno-error=int-conversion",
					"-Wno-error=incompatible-function-pointer-types",
					"-Wno-error=register"};

/* Parses a unit. Returns NULL with *why set. libclang survives its own crash and writes many lines
   about it. */
static CXTranslationUnit parse(struct reading *r, const struct unit *u, const char *text,
			       const char **why)
{
	struct CXUnsavedFile unsaved = {u->file, text, text ? strlen(text) : 0};
	ARRAY(const char *) words = {0};
	struct caught caught;
	CXTranslationUnit unit = NULL;
	enum CXErrorCode code;
	STR(where);

	str_addf(&where, "-working-directory=%s", u->folder ? u->folder : "");
	*array_add(&words) = u->folder		      ? str_text(&where)
			     : cxx_is_source(u->file) ? "-std=gnu++20"
						      : "-std=gnu11";
	for (size_t i = 0; i < sizeof(tolerated) / sizeof(*tolerated); i++)
		*array_add(&words) = tolerated[i];
	array_each(char *const, word, &u->words)
		*array_add(&words) = *word;
	caught_begin(&caught);
	code = r->reader.clang.parseTranslationUnit2(r->reader.index, u->file, words.items,
						     (int)words.count, &unsaved, text != NULL, 0,
						     &unit);
	caught_end(&caught, NULL);
	array_fini(&words);
	*why = code == CXError_Crashed ? "libclang crashes on it" : "libclang cannot read it";
	return code == CXError_Success ? unit : NULL;
}

static size_t count_lines(const char *file)
{
	ERROR(err);
	OWNED(text) = file_read(file, &err);
	size_t lines = 0;

	for (const char *p = text; p && *p; p++)
		lines += *p == '\n';
	return lines;
}

/* Reason why libclang cannot read the unit, or NULL; the caller frees it. */
static char *hopeless(struct reading *r, const struct unit *u)
{
	const struct included i = {u->folder, u->words.items, u->words.count, &r->included};
	const char *dot = strrchr(u->file, '.');
	struct stat s;

	if (access(u->file, R_OK) != 0)
		return base_strdup("the file does not exist");
	if (!dot || (strcmp(dot, ".c") != 0 && !cxx_is_source(u->file)))
		return base_strdup("it is not C or C++");
	/* Reading a pipe would block. */
	if (stat(u->file, &s) != 0 || !S_ISREG(s.st_mode))
		return base_strdup("it is not a regular file");
	return included_no_file(&i, u->file);
}

/* Reads the unit again, with the calls of destructors appended. */
static void append_calls(struct reading *r, const struct unit *u)
{
	OWNED(calls) = cxx_appendix(&r->reader);
	OWNED(source) = NULL;
	CXTranslationUnit unit;
	const char *why;
	STR(text);
	ERROR(err);

	if (!calls || !(source = file_read(u->file, &err)))
		return;
	str_add(&text, source);
	str_add(&text, calls);
	unit = parse(r, u, str_text(&text), &why);
	if (fchdir(r->here) < 0)
		errno = 0;
	if (!unit)
		return;
	r->reader.clang.disposeTranslationUnit(r->reader.unit);
	r->reader.unit = unit;
}

static void read_declarations(struct reading *r, const struct unit *u)
{
	const struct clang *c = &r->reader.clang;
	struct cxx_unit unit = {0};

	r->reader.cxx = cxx_is_source(r->reader.file) ? &cxx_language : NULL;
	r->reader.cxx_unit = &unit;
	if (r->reader.cxx) {
		append_calls(r, u);
		cxx_read_appendix(&r->reader);
	}
	c->visitChildren(c->getTranslationUnitCursor(r->reader.unit), read_top, r);
	if (r->reader.cxx)
		cxx_read_wanted(&r->reader);
	cxx_unit_fini(&unit);
	r->reader.cxx_unit = NULL;
}

/* Returns why the unit was not read, or NULL; the caller frees it. */
static char *read_parsed(struct reading *r, const struct unit *u)
{
	char *error = first_error(&r->reader, u->file);

	if (error)
		return error;
	r->reader.program->units++;
	r->reader.file = u->file;
	r->reader.source = u->source;
	r->reader.program->lines += count_lines(u->file);
	read_declarations(r, u);
	return NULL;
}

static void read_unit(struct reading *r, const struct unit *u)
{
	char *error = hopeless(r, u);
	const char *why;

	if (!error) {
		r->reader.unit = parse(r, u, NULL, &why);
		/* libclang changed to the command's folder; if returning fails, paths are shown
		   relative to it. */
		if (fchdir(r->here) < 0)
			errno = 0;
		error = r->reader.unit ? read_parsed(r, u) : base_strdup(why);
		if (r->reader.unit)
			r->reader.clang.disposeTranslationUnit(r->reader.unit);
	}
	if (error)
		*array_add(&r->to->skipped) = (struct audit_skipped){base_strdup(u->file), error};
}

/* ---- all units ------------------------------------------------------------------------------- */

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
	return error_hint(err, "pass -p FOLDER with compile_commands.json, or --cflags, so that "
			       "they can be compiled");
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
	for (size_t i = 0; answer == 0 && i < r.units.count; i++) {
		read_unit(&r, &r.units.items[i]);
		/* what is kept lies scattered among what libclang has freed */
		if (i % TRIMMED == 0)
			malloc_trim(0);
	}
	targets_settle(&a->program);
	program_find_own_locks(&a->program);
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
