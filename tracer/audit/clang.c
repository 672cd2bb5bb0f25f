#include "tracer/audit/clang.h"

#include "tracer/base/array.h"

#include <dlfcn.h>
#include <stdio.h>

enum { OLDEST = 14, NEWEST = 24 };

/* Debian's name, LLVM's own, and the one of the development package. */
static void *open_one(unsigned version)
{
	static const char *const names[] = {"libclang-%u.so.1", "libclang-%u.so.13",
					    "libclang.so.%u"};
	char name[64];
	void *library = NULL;

	for (size_t i = 0; !library && i < sizeof(names) / sizeof(*names); i++) {
		snprintf(name, sizeof(name), names[i], version);
		library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	}
	return library;
}

static int not_there(struct error *err, const char *what)
{
	error_set(err, ERROR_USAGE, "audit reads C by libclang, and %s", what);
	return error_hint(err, "install it: apt-get install libclang-14-dev");
}

int clang_load(struct clang *c, struct error *err)
{
	c->library = NULL;
	for (unsigned v = NEWEST; !c->library && v >= OLDEST; v--)
		c->library = open_one(v);
	if (!c->library)
		c->library = dlopen("libclang.so", RTLD_NOW | RTLD_LOCAL);
	if (!c->library)
		return not_there(err, "it is not installed");
#define X(name) c->name = (__typeof__(c->name))dlsym(c->library, "clang_" #name);
	CLANG_FUNCTIONS(X)
#undef X
#define X(name)                                                                                    \
	if (!c->name)                                                                              \
		return clang_unload(c), not_there(err, "the one here has no clang_" #name);
	CLANG_FUNCTIONS(X)
#undef X
	return 0;
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
