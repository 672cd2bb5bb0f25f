/* Built-in types, which need no debug information. */
#include "tracer/source/types/types_internal.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER(text, of_kind, bytes, negative)                                                     \
	.kind = (of_kind), .name = (text), .tag = (text), .size = (bytes),                         \
	.is_signed = (negative), .flags = TYPE_FILLED

/* Not const: pointers and arrays made from them are linked to them. */
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

/* Words of C's arithmetic types. */
enum { W_UNSIGNED, W_SIGNED, W_LONG, W_SHORT, W_INT, W_CHAR, W_DOUBLE, W_INT128, W_COUNT };

static const char *const number_words[W_COUNT] = {"unsigned", "signed", "long",	  "short",
						  "int",      "char",	"double", "__int128"};

static bool count_words(const char *name, unsigned count[W_COUNT])
{
	unsigned all = 0;

	for (name += strspn(name, " "); *name; name += strspn(name, " ")) {
		size_t length = strcspn(name, " ");
		unsigned w = 0;

		while (w < W_COUNT && (strlen(number_words[w]) != length ||
				       strncmp(number_words[w], name, length) != 0))
			w++;
		if (w == W_COUNT || ++count[w] > 2)
			return false;
		name += length;
		all++;
	}
	return all > 0;
}

/* Returns the type without signedness and a redundant `int`. */
static const char *core_of(const unsigned count[W_COUNT])
{
	if (count[W_INT128])
		return "__int128";
	if (count[W_SHORT])
		return "short";
	return count[W_LONG] == 2 ? "long long" : count[W_LONG] ? "long" : "int";
}

const struct type *type_basic(const char *name)
{
	unsigned count[W_COUNT] = {0};
	struct str text = {0};
	const struct type *t;

	if (strcmp(name, "_Bool") == 0)
		return exact("bool");
	if (strcmp(name, "void") == 0 || strcmp(name, "float") == 0 || strcmp(name, "bool") == 0)
		return exact(name);
	if (!count_words(name, count))
		return NULL;
	if (count[W_DOUBLE])
		return exact(count[W_LONG] ? "long double" : "double");
	if (count[W_CHAR])
		str_add(&text, count[W_UNSIGNED] ? "unsigned " : count[W_SIGNED] ? "signed " : "");
	else if (count[W_UNSIGNED])
		str_add(&text, "unsigned ");
	str_add(&text, count[W_CHAR] ? "char" : core_of(count));
	t = exact(str_text(&text));
	str_fini(&text);
	return t;
}

const struct type *type_builtin(const char *name)
{
	const struct type *t = exact(name);

	return t ? t : type_basic(name);
}
