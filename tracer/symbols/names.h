/*
 * Names of functions: C's, C++'s with namespaces, templates, operators and arguments, Rust's.
 * Text only: the same rules hold for names put together from DIEs and for demangled symbols.
 */
#ifndef GATECTL_SYMBOLS_NAMES_H
#define GATECTL_SYMBOLS_NAMES_H

#include "tracer/base/array.h"
#include "tracer/base/str.h"
#include "tracer/base/suggest.h"

#include <stdbool.h>

struct name_part {
	const char *text; /* into the text that was split */
	size_t length;
	size_t plain; /* length without template arguments and [abi:...] */
};

/* `app::Queue<int>::push(int)` is three parts and arguments. A return type before them and what
   stands behind the arguments are left out. */
struct name_parts {
	ARRAY(struct name_part) parts;
	const char *args; /* from the parenthesis on, or NULL */
	size_t args_length;
	bool global; /* it began with :: */
};

void names_split(const char *text, struct name_parts *out);
void names_fini(struct name_parts *n);

/* Does the full name end with the parts of the wanted one? Template arguments, anonymous and
   inline namespaces and Rust's {impl#N} may be left out of the wanted one. Arguments are compared
   where both have some. */
bool names_match(const struct name_parts *wanted, const char *full);

/* Only the arguments. */
bool names_match_args(const struct name_parts *wanted, const char *full);

/* The last part without template arguments: what DW_AT_name begins with. Owned by the caller. */
char *names_last(const struct name_parts *n);

/* Namespaces, classes and name, without template arguments and arguments. Owned by the caller. */
char *names_plain(const char *full);
/* The same with template arguments. */
char *names_without_args(const char *full);

#endif
