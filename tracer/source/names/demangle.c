/* Demangles C++ and Rust symbols. */
#include "tracer/source/source.h"

#include "tracer/base/text/foreign.h"
#include "tracer/base/text/str.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

/* Removes the suffix of Rust's legacy mangling, ::h and 16 hexadecimal digits. */
static void cut_rust_hash(char *name)
{
	static const size_t length = sizeof("::h0123456789abcdef") - 1;
	size_t all = strlen(name);
	char *hash = name + all - length;

	if (all <= length || strncmp(hash, "::h", 3) != 0)
		return;
	for (const char *digit = hash + 3; *digit; digit++)
		if (!isxdigit((unsigned char)*digit))
			return;
	*hash = '\0';
}

char *source_demangle(const char *name)
{
	char *plain = NULL;

	/* cplus_demangle() takes some C names for mangled types. */
	if (strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0)
		plain = cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
	if (!plain) {
		struct str shown = {0};

		if (foreign_is_plain(name))
			return base_strdup(name);
		foreign_line(&shown, name);
		return str_take(&shown);
	}
	cut_rust_hash(plain);
	return plain;
}
