/* Loads libclang at run time; captures its output. */
#include "tracer/audit/frontend/reader.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { OLDEST = 14, NEWEST = 24 };

/* Keeps the reason if a library exists but could not be loaded. */
static void keep_reason(struct str *why)
{
	const char *text = dlerror();

	if (text && !why->length && !strstr(text, "No such file"))
		str_add(why, text);
}

/* Tries the names of Debian, LLVM and the development package. */
static void *open_one(unsigned version, struct str *why)
{
	static const char *const names[] = {"libclang-%u.so.1", "libclang-%u.so.13",
					    "libclang.so.%u"};
	char name[64];
	void *library = NULL;

	for (size_t i = 0; !library && i < sizeof(names) / sizeof(*names); i++) {
		snprintf(name, sizeof(name), names[i], version);
		library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
		if (!library)
			keep_reason(why);
	}
	return library;
}

/* Binds all functions. Returns NULL, or the name of one that the library lacks. */
static const char *bind(struct clang *c)
{
#define X(name) c->name = (__typeof__(c->name))dlsym(c->library, "clang_" #name);
	CLANG_FUNCTIONS(X)
	X(getCursorUnaryOperatorKind)
	X(getCursorBinaryOperatorKind)
	X(getUnaryOperatorKindSpelling)
	X(getBinaryOperatorKindSpelling)
#undef X
#define X(name)                                                                                    \
	if (!c->name)                                                                              \
		return #name;
	CLANG_FUNCTIONS(X)
#undef X
	return NULL;
}

static bool has_errors(const struct clang *c, CXTranslationUnit unit)
{
	bool has = false;

	for (unsigned i = 0; !has && i < c->getNumDiagnostics(unit); i++) {
		CXDiagnostic d = c->getDiagnostic(unit, i);

		has = c->getDiagnosticSeverity(d) >= CXDiagnostic_Error;
		c->disposeDiagnostic(d);
	}
	return has;
}

/* True if libclang finds its own headers, tested by including one. */
static bool finds_headers(const struct clang *c)
{
	static const char text[] = "#include <stddef.h>\n";
	struct CXUnsavedFile file = {"headers.c", text, sizeof(text) - 1};
	CXIndex index = c->createIndex(0, 0);
	CXTranslationUnit unit = NULL;
	bool finds = c->parseTranslationUnit2(index, file.Filename, NULL, 0, &file, 1, 0, &unit) ==
			     CXError_Success &&
		     !has_errors(c, unit);

	if (unit)
		c->disposeTranslationUnit(unit);
	c->disposeIndex(index);
	return finds;
}

/* Loads one version. Returns false if there is none or it lacks a function, then named by
   *missing. */
static bool load_version(struct clang *c, unsigned version, const char **missing, struct str *why)
{
	const char *without;

	c->library =
		version ? open_one(version, why) : dlopen("libclang.so", RTLD_NOW | RTLD_LOCAL);
	if (!c->library)
		return false;
	without = bind(c);
	if (without) {
		*missing = without;
		clang_unload(c);
		return false;
	}
	c->version = version;
	c->has_headers = finds_headers(c);
	return true;
}

static int not_there(struct error *err, const char *missing, const struct str *why)
{
	if (why->length) {
		error_set(err, ERROR_SYSTEM,
			  "audit reads C with libclang, which cannot be loaded: %s", str_text(why));
		if (strstr(str_text(why), "failed to map") || strstr(str_text(why), "memory"))
			return error_hint(
				err,
				"raise the memory limit (ulimit -v, or that of the container)");
		return error_hint(err, "install it again: apt-get install libclang-dev");
	}
	if (missing)
		error_set(err, ERROR_USAGE,
			  "audit reads C with libclang, and the installed one has no clang_%s",
			  missing);
	else
		error_set(err, ERROR_USAGE, "audit reads C with libclang, which is not installed");
	return error_hint(err, "install it: apt-get install libclang-dev");
}

int clang_load(struct clang *c, struct error *err)
{
	const char *missing = NULL;
	int newest = -1;
	STR(why);

	c->library = NULL;
	/* The library name without a version is tried last. */
	for (unsigned v = NEWEST; v + 1 >= OLDEST; v--) {
		const unsigned version = v >= OLDEST ? v : 0;

		if (!load_version(c, version, &missing, &why))
			continue;
		if (c->has_headers)
			return 0;
		newest = newest < 0 ? (int)version : newest;
		clang_unload(c);
	}
	if (newest >= 0 && load_version(c, (unsigned)newest, &missing, &why))
		return 0;
	return not_there(err, missing, &why);
}

void clang_unload(struct clang *c)
{
	if (c->library)
		dlclose(c->library);
	c->library = NULL;
}

char *clang_take(const struct clang *c, CXString s)
{
	const char *text = c->getCString(s);
	char *copy = base_strdup(text ? text : "");

	c->disposeString(s);
	return copy;
}

void caught_begin(struct caught *c)
{
	c->own = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	c->said = c->own >= 0 ? memfd_create("said", MFD_CLOEXEC) : -1;
	if (c->said >= 0)
		dup2(c->said, STDERR_FILENO);
}

void caught_end(struct caught *c, struct str *out)
{
	char text[1024];
	ssize_t n = c->said >= 0 && out ? pread(c->said, text, sizeof(text), 0) : 0;

	if (n > 0)
		str_add_bytes(out, text, (size_t)n);
	if (c->said >= 0) {
		dup2(c->own, STDERR_FILENO);
		close(c->said);
	}
	if (c->own >= 0)
		close(c->own);
}
