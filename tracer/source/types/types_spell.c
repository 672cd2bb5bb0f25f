/* Writes types in C syntax: the parts left and right of the declared name. */
#include "tracer/source/types/types_internal.h"

#include <ctype.h>

enum { SPELL_DEPTH = 24 };

static void left(const struct type *t, struct str *out, unsigned depth);
static void right(const struct type *t, struct str *out, unsigned depth);

static bool has_own_name(const struct type *t)
{
	return t->name && *t->name;
}

static bool binds_tighter(const struct type *t)
{
	return (t->kind == TYPE_ARRAY || t->kind == TYPE_FUNCTION) && !has_own_name(t);
}

static bool types_spell_is_pointer(const struct type *t)
{
	return t->kind == TYPE_POINTER || t->kind == TYPE_REFERENCE ||
	       t->kind == TYPE_MEMBER_POINTER;
}

static void blank_after_word(struct str *out)
{
	char last = out->length ? out->text[out->length - 1] : ' ';

	if (isalnum((unsigned char)last) || last == '_' || last == '>' || last == '}')
		str_add(out, " ");
}

static const char *keyword(const struct type *t)
{
	if (t->cxx || t->rust || t->flags & TYPE_TYPEDEF)
		return "";
	switch (t->kind) {
	case TYPE_STRUCT:
		return "struct ";
	case TYPE_UNION:
		return "union ";
	case TYPE_ENUM:
		return "enum ";
	default:
		return "";
	}
}

static void spell_name(const struct type *t, struct str *out)
{
	if (t->flags & TYPE_CONST)
		str_add(out, "const ");
	if (t->flags & TYPE_VOLATILE)
		str_add(out, "volatile ");
	str_add(out, keyword(t));
	if (has_own_name(t))
		str_add(out, t->cxx && !(t->flags & TYPE_TYPEDEF) ? type_full_name(t) : t->name);
	else if (t->kind == TYPE_STRUCT || t->kind == TYPE_UNION || t->kind == TYPE_ENUM)
		str_addf(out, "%s{...}",
			 *keyword(t)		 ? ""
			 : t->kind == TYPE_UNION ? "union "
						 : "struct ");
	else
		str_add(out, t->kind == TYPE_VOID ? "void" : "?");
}

static void spell_star(const struct type *t, struct str *out)
{
	blank_after_word(out);
	if (binds_tighter(t->of))
		str_add(out, "(");
	if (t->kind == TYPE_REFERENCE)
		str_add(out, t->flags & TYPE_RVALUE ? "&&" : "&");
	else
		str_add(out, t->kind == TYPE_POINTER ? "*" : "::*");
	if (t->flags & TYPE_CONST)
		str_add(out, "const");
	if (t->flags & TYPE_VOLATILE)
		str_add(out, "volatile");
}

static void left(const struct type *t, struct str *out, unsigned depth)
{
	if (has_own_name(t) || !(types_spell_is_pointer(t) || binds_tighter(t)) ||
	    depth > SPELL_DEPTH) {
		spell_name(t, out);
		return;
	}
	left(t->of, out, depth + 1);
	if (types_spell_is_pointer(t))
		spell_star(t, out);
}

static void spell_parameters(const struct type *t, struct str *out, unsigned depth)
{
	ERROR(err);

	str_add(out, "(");
	if (type_members(t, &err) == 0) {
		array_each(const struct type_member, m, &t->members) {
			if (m != t->members.items)
				str_add(out, ", ");
			left(m->type, out, depth + 1);
			right(m->type, out, depth + 1);
		}
		if (!t->members.count && !t->cxx)
			str_add(out, "void");
	}
	str_add(out, ")");
}

static void right(const struct type *t, struct str *out, unsigned depth)
{
	if (has_own_name(t) || !(types_spell_is_pointer(t) || binds_tighter(t)) ||
	    depth > SPELL_DEPTH)
		return;
	if (types_spell_is_pointer(t)) {
		if (binds_tighter(t->of))
			str_add(out, ")");
	} else {
		blank_after_word(out);
		if (t->kind == TYPE_FUNCTION)
			spell_parameters(t, out, depth);
		else if (t->has_count)
			str_addf(out, "[%llu]", (unsigned long long)t->count);
		else
			str_add(out, "[]");
	}
	right(t->of, out, depth + 1);
}

void type_spell(const struct type *t, struct str *out)
{
	left(t, out, 0);
	right(t, out, 0);
}
