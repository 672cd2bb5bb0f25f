/* Finds types by name: definitions of declared types, and types named in a cast. */
#include "tracer/dwarf/units/units.h"
#include "tracer/source/names/names.h"
#include "tracer/source/types/types_internal.h"

#include <libdwarf/dwarf.h>

#include <string.h>

/* A search for a name. */
struct name_search {
	struct name_parts wanted;
	char *last;	/* last part of `wanted` */
	unsigned tag;	/* class of tags (struct, union or enum; class is struct); 0 for any */
	bool defined;	/* search only definitions */
	uint64_t found; /* offset of the DIE; 0 if none */
	bool declared;	/* `found` is a declaration */
	uint64_t here;	/* declaration with this name in the current unit */
};

static unsigned tag_class(unsigned tag)
{
	switch (tag) {
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
		return DW_TAG_structure_type;
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_typedef:
	case DW_TAG_template_alias:
	case DW_TAG_base_type:
		return tag;
	default:
		return 0;
	}
}

/* Names of the DIEs around the current one. */
struct enclosing {
	ARRAY(const char *) names; /* NULL for a DIE without a name */
};

static void full_name(const struct enclosing *a, const char *name, struct str *out)
{
	array_each(const char *, n, &a->names) {
		if (*n)
			str_addf(out, "%s::", *n);
	}
	str_add(out, name);
}

static bool names_it(const struct name_search *s, const struct enclosing *a, const char *name)
{
	struct str full = {0};
	bool match;

	if (strncmp(name, s->last, strlen(s->last)) != 0)
		return false;
	full_name(a, name, &full);
	match = names_match(&s->wanted, str_text(&full));
	str_fini(&full);
	return match;
}

static void visit_entry(struct name_search *s, const struct enclosing *a, const struct die *d,
			const char *name)
{
	unsigned tag = tag_class(d->tag);
	bool declaration = d->at[DIE_DECLARATION].number != 0;
	/* In a type unit the definition is outside of its namespace. */
	bool elsewhere = s->here && d->at[DIE_ORIGIN].form && d->at[DIE_ORIGIN].number == s->here;

	if (!tag || !name || (s->tag && tag != s->tag) || !(elsewhere || names_it(s, a, name)))
		return;
	if (declaration)
		s->here = d->offset;
	if (declaration && (s->defined || s->found))
		return;
	if (s->found && !s->declared)
		return;
	s->found = d->offset;
	s->declared = declaration;
}

static const char *given_name(const struct die *d, const char *name)
{
	if (d->tag == DW_TAG_namespace)
		return name ? name : "(anonymous namespace)";
	return tag_class(d->tag) || d->tag == DW_TAG_subprogram ? name : NULL;
}

static void search_unit(struct name_search *s, struct die_table *t, struct die_unit *u)
{
	struct cursor c;
	struct enclosing a = {0};
	ERROR(err);
	struct die d;

	s->here = 0;
	if (!abbrevs_get(t, u, &err))
		return;
	c = (struct cursor){.at = dies_bytes(u, u->first), .end = dies_bytes(u, u->end)};
	while (c.at < c.end && (!s->found || s->declared)) {
		const char *name;

		if (die_read(t, u, &c, true, &d, &err) < 0)
			break;
		if (!d.tag) {
			a.names.count -= a.names.count > 0;
			continue;
		}
		name = die_text(t, u, &d.at[DIE_NAME]);
		visit_entry(s, &a, &d, name);
		if (d.children)
			*array_add(&a.names) = given_name(&d, name);
	}
	array_fini(&a.names);
}

/* Searches a unit. Returns 1 if the definition is found, else 0. */
static int search_type(struct die_table *t, struct die_unit *u, void *ctx, struct error *err)
{
	struct name_search *s = ctx;

	(void)err;
	search_unit(s, t, u);
	return s->found && !s->declared;
}

static const struct type *search_module(struct name_search *s, struct module *m, uint64_t near)
{
	ERROR(err);
	struct die_table *t = dies_table(m, &err);
	struct die_unit *first;
	bool *marks;

	if (!t || !t->units.count)
		return NULL;
	first = near ? dies_unit_of(t, near) : NULL;
	if (first)
		search_unit(s, t, first);
	marks = base_alloc(t->units.count, sizeof(*marks));
	if (!s->found || s->declared)
		dies_mark_named(t, s->last, marks);
	for (size_t i = 0; i < t->units.count && (!s->found || s->declared); i++) {
		if (marks[i] && &t->units.items[i] != first)
			search_unit(s, t, &t->units.items[i]);
	}
	base_free(marks);
	if (!s->found || s->declared)
		split_each_type(t, s->last, search_type, s, &err);
	return s->found ? type_get(m, s->found, &err) : NULL;
}

/* Searches `near`, then all modules of the program. A declaration is used only if
   there is no definition. */
static const struct type *search_all(struct name_search *s, const struct dwarf_program *program,
				     struct module *near, uint64_t entry)
{
	const struct type *best = near ? search_module(s, near, entry) : NULL;
	struct module *m;
	uint64_t bias;

	for (size_t i = 0; program && (!best || best->incomplete); i++) {
		const struct type *t;

		m = program->module(program->ctx, i, &bias);
		if (!m)
			break;
		if (m == near)
			continue;
		s->found = 0;
		t = search_module(s, m, 0);
		if (t && (!best || !t->incomplete))
			best = t;
	}
	return best;
}

static void search_init(struct name_search *s, const char *name)
{
	memset(s, 0, sizeof(*s));
	names_split(name, &s->wanted);
	s->last = names_last(&s->wanted);
}

static void search_fini(struct name_search *s)
{
	names_fini(&s->wanted);
	base_free(s->last);
}

/* ---- names ---------------------------------------------------------------------------------- */

static const char *make_full_name(const struct type *t)
{
	struct function named;
	ERROR(err);
	struct scope_ref ref = {0};
	struct die_table *d = t->module && t->entry ? dies_table(t->module, &err) : NULL;

	if (!t->tag)
		return "";
	if (!d || (t->kind != TYPE_STRUCT && t->kind != TYPE_UNION && t->kind != TYPE_ENUM))
		return t->tag;
	ref.unit = dies_unit_of(d, t->entry);
	if (!ref.unit || dies_load(d, ref.unit, &err) < 0)
		return t->tag;
	ref.scope = dies_scope_of(ref.unit, t->entry);
	if (!ref.scope || function_read(d, ref, &named, &err) < 0 || !named.spoken)
		return t->tag;
	return named.spoken;
}

const char *type_full_name(const struct type *t)
{
	struct type *named = (struct type *)t;

	if (!named->full)
		named->full = make_full_name(t);
	return named->full;
}

const struct type *type_whole(const struct type *t, const struct dwarf_program *program)
{
	struct type *known = (struct type *)t;
	struct name_search s;

	if (!t->incomplete || !t->tag || !t->module)
		return t;
	if (known->flags & TYPE_WHOLE_KNOWN)
		return t->whole ? t->whole : t;
	known->flags |= TYPE_WHOLE_KNOWN;
	search_init(&s, type_full_name(t));
	s.defined = true;
	s.tag = t->kind == TYPE_UNION  ? DW_TAG_union_type
		: t->kind == TYPE_ENUM ? DW_TAG_enumeration_type
				       : DW_TAG_structure_type;
	known->whole = search_all(&s, program, t->module, t->entry);
	search_fini(&s);
	return t->whole ? t->whole : t;
}

/* ---- names as written ----------------------------------------------------------------------- */

static bool take_word(const char **text, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*text, word, length) != 0 || (*text)[length] != ' ')
		return false;
	*text += length;
	*text += strspn(*text, " ");
	return true;
}

static unsigned take_keywords(const char **text)
{
	static const struct {
		const char *word;
		unsigned tag;
	} words[] = {
		{"struct", DW_TAG_structure_type},
		{"class", DW_TAG_structure_type},
		{"union", DW_TAG_union_type},
		{"enum", DW_TAG_enumeration_type},
		{"const", 0},
		{"volatile", 0},
	};
	unsigned tag = 0;

	*text += strspn(*text, " ");
	for (size_t i = 0; i < sizeof(words) / sizeof(*words);) {
		if (!take_word(text, words[i].word)) {
			i++;
			continue;
		}
		if (words[i].tag)
			tag = words[i].tag;
		i = 0;
	}
	return tag;
}

static const struct type *find_named(const struct dwarf_program *program, struct module *near,
				     uint64_t entry, const char *name)
{
	const struct type *t = type_basic(name);
	unsigned tag = take_keywords(&name);
	struct name_search s;

	if (!t)
		t = type_basic(name);
	if (t || !*name)
		return t;
	search_init(&s, name);
	s.tag = tag;
	if (*s.last)
		t = search_all(&s, program, near, entry);
	search_fini(&s);
	return t || tag ? t : type_builtin(name);
}

static const struct type *named_without_stars(const struct dwarf_program *program,
					      struct module *near, uint64_t entry, const char *name)
{
	ERROR(err);
	struct die_table *d = near ? dies_table(near, &err) : NULL;
	struct die_unit *u = d && entry ? dies_unit_of(d, entry) : NULL;
	struct type_table *types = d ? type_table_of(d) : NULL;
	struct named_type *n;
	const struct type *t;
	uint64_t unit = u ? u->offset : UINT64_MAX;

	for (size_t i = 0; types && i < types->named.count; i++) {
		n = &types->named.items[i];
		if (n->unit == unit && strcmp(n->name, name) == 0)
			return n->type;
	}
	t = find_named(program, near, entry, name);
	/* Failures are not cached: a library loaded later may have the type. */
	if (types && t) {
		n = array_add(&types->named);
		n->unit = unit;
		n->name = base_strdup(name);
		n->type = t;
	}
	return t;
}

const struct type *type_named(const struct dwarf_program *program, struct module *near,
			      uint64_t unit_entry, const char *name)
{
	size_t length = strlen(name);
	unsigned stars = 0;
	const struct type *t;
	char *bare;

	while (length && strchr(" *", name[length - 1]))
		stars += name[--length] == '*';
	bare = base_strndup(name, length);
	t = length ? named_without_stars(program, near, unit_entry, bare) : NULL;
	base_free(bare);
	while (t && stars--)
		t = type_pointer_to(t);
	return t;
}
