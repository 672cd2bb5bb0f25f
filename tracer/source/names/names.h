/*
 * Names of functions: C's, C++'s with namespaces, templates, operators and arguments, Rust's.
 * Text only: the same rules hold for names put together from DIEs and for demangled symbols.
 */
#ifndef GATECTL_SOURCE_NAMES_NAMES_H
#define GATECTL_SOURCE_NAMES_NAMES_H

#include "tracer/base/array.h"
#include "tracer/base/text/str.h"
#include "tracer/base/text/suggest.h"

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

/* How long the name of an operator is at the beginning of this text; 0: it is none. */
size_t names_operator_length(const char *text);
/* 1 where a bracket of any kind opens here, -1 where one closes. */
int names_depth_change(const char *text, size_t at);

/* names_brief.c: std::__cxx11::basic_string<char, ...> is std::string, and what is as it is for everybody
   (allocators, std::less) is left out. */
void names_simple(const char *full, size_t length, struct str *out);
/* Is the wanted name what names_brief() may make of the full one? */
bool names_same_brief(const char *wanted, size_t wanted_length, const char *full, size_t length);
/* Where the name is longer than `most`, the simple one; and of that, template arguments are left out, the inner
   ones first, as far as is needed: "Queue<...>::push". */
void names_brief(const char *full, size_t most, struct str *out);

#endif
