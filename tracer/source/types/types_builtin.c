/* The types that need no debug information. */
#include "tracer/source/types/types_internal.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER(text, of_kind, bytes, negative)                                                     \
	.kind = (of_kind), .name = (text), .tag = (text), .size = (bytes),                         \
	.is_signed = (negative), .members_known = true

/* Not const: pointers to them and arrays of them hang on them. */
static struct type builtins[] = {
	{NUMBER("void", TYPE_VOID, 0, false)},
	{NUMBER("int", TYPE_INTEGER, 4, true)},
	{NUMBER("unsigned int", TYPE_INTEGER, 4, false)},
	{NUMBER("long", TYPE_INTEGER, 8, true)},
	{NUMBER("unsigned long", TYPE_INTEGER, 8, false)},
	{NUMBER("char", TYPE_CHAR, 1, true)},
	{NUMBER("signed char", TYPE_CHAR, 1, true)},
	{NUMBER("unsigned char", TYPE_CHAR, 1, false)},
	{NUMBER("short", TYPE_INTEGER, 2, true)},
	{NUMBER("unsigned short", TYPE_INTEGER, 2, false)},
	{NUMBER("long long", TYPE_INTEGER, 8, true)},
	{NUMBER("unsigned long long", TYPE_INTEGER, 8, false)},
	{NUMBER("bool", TYPE_BOOL, 1, false)},
	{NUMBER("float", TYPE_FLOAT, 4, true)},
	{NUMBER("double", TYPE_FLOAT, 8, true)},
	{NUMBER("long double", TYPE_FLOAT, 16, true)},
	{NUMBER("__int128", TYPE_INTEGER, 16, true)},
	{NUMBER("unsigned __int128", TYPE_INTEGER, 16, false)},
	{NUMBER("wchar_t", TYPE_CHAR, 4, true)},
	{NUMBER("char8_t", TYPE_CHAR, 1, false)},
	{NUMBER("char16_t", TYPE_CHAR, 2, false)},
	{NUMBER("char32_t", TYPE_CHAR, 4, false)},
	{NUMBER("int8_t", TYPE_INTEGER, 1, true)},
	{NUMBER("uint8_t", TYPE_INTEGER, 1, false)},
	{NUMBER("int16_t", TYPE_INTEGER, 2, true)},
	{NUMBER("uint16_t", TYPE_INTEGER, 2, false)},
	{NUMBER("int32_t", TYPE_INTEGER, 4, true)},
	{NUMBER("uint32_t", TYPE_INTEGER, 4, false)},
	{NUMBER("int64_t", TYPE_INTEGER, 8, true)},
	{NUMBER("uint64_t", TYPE_INTEGER, 8, false)},
	{NUMBER("size_t", TYPE_INTEGER, 8, false)},
	{NUMBER("ssize_t", TYPE_INTEGER, 8, true)},
	{NUMBER("ptrdiff_t", TYPE_INTEGER, 8, true)},
	{NUMBER("intptr_t", TYPE_INTEGER, 8, true)},
	{NUMBER("uintptr_t", TYPE_INTEGER, 8, false)},
};

static const struct type *exact(const char *name)
{
	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++) {
		if (strcmp(builtins[i].name, name) == 0)
			return &builtins[i];
	}
	return NULL;
}

/* How often each of the words of C's numbers was written. */
struct type_words {
	unsigned count[11];
	unsigned all;
};

enum {
	W_UNSIGNED,
	W_SIGNED,
	W_LONG,
	W_SHORT,
	W_INT,
	W_CHAR,
	W_DOUBLE,
	W_FLOAT,
	W_BOOL,
	W_INT128,
	W_VOID,
};

static int word_number(const char *text, size_t length)
{
	static const struct {
		const char *text;
		int number;
	} known[] = {
		{"unsigned", W_UNSIGNED}, {"signed", W_SIGNED},	  {"long", W_LONG},
		{"short", W_SHORT},	  {"int", W_INT},	  {"char", W_CHAR},
		{"double", W_DOUBLE},	  {"float", W_FLOAT},	  {"_Bool", W_BOOL},
		{"bool", W_BOOL},	  {"__int128", W_INT128}, {"void", W_VOID},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strlen(known[i].text) == length && strncmp(known[i].text, text, length) == 0)
			return known[i].number;
	}
	return -1;
}

static bool count_words(const char *name, struct type_words *w)
{
	memset(w, 0, sizeof(*w));
	for (;;) {
		size_t length;
		int number;

		name += strspn(name, " ");
		length = strcspn(name, " ");
		if (!length)
			return w->all > 0;
		number = word_number(name, length);
		if (number < 0 || ++w->count[number] > 2)
			return false;
		w->all++;
		name += length;
	}
}

/* What is left when signedness and a superfluous `int` are taken away. */
static const char *core_of(const struct type_words *w, bool is_unsigned)
{
	if (w->count[W_INT128])
		return is_unsigned ? "unsigned __int128" : "__int128";
	if (w->count[W_SHORT])
		return is_unsigned ? "unsigned short" : "short";
	if (w->count[W_LONG] == 2)
		return is_unsigned ? "unsigned long long" : "long long";
	if (w->count[W_LONG])
		return is_unsigned ? "unsigned long" : "long";
	return is_unsigned ? "unsigned int" : "int";
}

const struct type *type_basic(const char *name)
{
	struct type_words w;

	if (!count_words(name, &w))
		return NULL;
	if (w.all == 1 && (w.count[W_VOID] || w.count[W_FLOAT]))
		return exact(w.count[W_VOID] ? "void" : "float");
	if (w.all == 1 && w.count[W_BOOL])
		return exact("bool");
	if (w.count[W_VOID] || w.count[W_FLOAT] || w.count[W_BOOL])
		return NULL;
	if (w.count[W_DOUBLE])
		return exact(w.count[W_LONG] ? "long double" : "double");
	if (w.count[W_CHAR] && w.count[W_UNSIGNED])
		return exact("unsigned char");
	if (w.count[W_CHAR])
		return exact(w.count[W_SIGNED] ? "signed char" : "char");
	return exact(core_of(&w, w.count[W_UNSIGNED] > 0));
}

const struct type *type_builtin(const char *name)
{
	const struct type *t = exact(name);

	return t ? t : type_basic(name);
}
