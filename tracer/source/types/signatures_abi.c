/* Names in C for functions of C++, and structs that are passed as bytes. */
#include "tracer/source/types/signatures.h"

#include <ctype.h>
#include <string.h>

/* The last part of a qualified name, and its class before it; template arguments are skipped. */
static void split_name(const char *spoken, struct str *class, struct str *method)
{
	int depth = 0;

	for (; *spoken; spoken++) {
		depth += (*spoken == '<') - (*spoken == '>');
		if (depth || *spoken == '>')
			continue;
		if (strncmp(spoken, "::", 2) == 0) {
			str_clear(class);
			str_add(class, str_text(method));
			str_clear(method);
			spoken++;
		} else {
			str_add_bytes(method, spoken, 1);
		}
	}
}

static void add_plain(const char *text, struct str *out)
{
	for (; *text; text++)
		str_add_bytes(out, isalnum((unsigned char)*text) ? text : "_", 1);
}

char *signature_flat_name(const struct signatures *known, const char *spoken)
{
	struct str class = {0}, method = {0}, name = {0}, taken = {0};

	split_name(spoken, &class, &method);
	add_plain(str_text(&class), &name);
	str_add(&name, class.length ? "_" : "");
	if (class.length && strcmp(str_text(&method), str_text(&class)) == 0)
		str_add(&name, "new");
	else if (method.length && *str_text(&method) == '~')
		str_add(&name, "delete");
	else
		add_plain(str_text(&method), &name);
	str_add(&taken, str_text(&name));
	for (unsigned n = 2; signatures_find(known, str_text(&taken)); n++) {
		str_clear(&taken);
		str_addf(&taken, "%s_%u", str_text(&name), n);
	}
	str_fini(&class);
	str_fini(&method);
	str_fini(&name);
	return str_take(&taken);
}

bool signature_is_special(const struct signature *s, const char *ending)
{
	const char *at = s->flat ? strstr(s->flat, ending) : NULL;

	return at && (!at[strlen(ending)] || (at[strlen(ending)] == '_' &&
					      isdigit((unsigned char)at[strlen(ending) + 1])));
}

/* ---- structs --------------------------------------------------------------------------------- */

static bool is_composite(const struct type *t)
{
	return t->kind == TYPE_STRUCT || t->kind == TYPE_UNION;
}

bool signature_passes_as_bytes(const struct type *t)
{
	const struct type *whole = type_whole(t, NULL);
	bool plain = whole->size > 0 && !whole->incomplete && !whole->cxx;
	ERROR(err);

	if (whole->kind == TYPE_ARRAY)
		return whole->of && signature_passes_as_bytes(whole->of);
	if (!is_composite(whole))
		return whole->kind != TYPE_FLOAT && whole->kind != TYPE_COMPLEX && plain;
	if (!plain || type_members(whole, &err) < 0)
		return false;
	array_each(const struct type_member, m, &whole->members)
		plain &= m->is_static || signature_passes_as_bytes(m->type);
	return plain;
}

bool signature_has_size(const struct type *t)
{
	const struct type *whole = type_whole(t, NULL);

	return is_composite(whole) && whole->size > 0 && !whole->incomplete;
}
