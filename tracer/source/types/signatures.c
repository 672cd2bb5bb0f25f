/* Finds the functions that take or return a pointer to a type, and tells constructors, destructors
   and operations by their parameters and names. */
#include "tracer/source/names/names.h"
#include "tracer/source/types/types.h"
#include "tracer/source/types/signatures.h"

#include "tracer/base/text/suggest.h"
#include "tracer/elf/module.h"

#include <libdwarf/dwarf.h>

#include <stdlib.h>
#include <string.h>

/* Name and mangled name, owned by the module; `symbol` is NULL for C. */
struct signature_name {
	const char *text, *symbol;
};

struct signature_reader {
	struct module *module;
	struct die_table *table;
	const char *wanted; /* without "struct " or "union " */
	const struct type *found;
	ARRAY(char *) exported; /* sorted; names that a shared object exports */
	bool only_exported;
	struct suggestions near;
	struct signatures *out;
};

/* ---- exported functions ------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_exported(void *ctx, const char *name, uint64_t offset)
{
	struct signature_reader *r = ctx;

	if (offset)
		*array_add(&r->exported) = base_strdup(name);
}

static bool is_exported(const struct signature_reader *r, const char *name)
{
	return !r->only_exported ||
	       (r->exported.count && bsearch(&name, r->exported.items, r->exported.count,
					     sizeof(*r->exported.items), by_text));
}

/* ---- type --------------------------------------------------------------------------------- */

static const char *without_keyword(const char *name)
{
	static const char *const keywords[] = {"struct ", "union ", "class "};

	for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++)
		if (strncmp(name, keywords[i], strlen(keywords[i])) == 0)
			return name + strlen(keywords[i]);
	return name;
}

static bool is_aggregate(const struct type *t)
{
	return t->kind == TYPE_STRUCT || t->kind == TYPE_UNION;
}

static bool signatures_is_called(const char *name, const char *wanted)
{
	return name && strcmp(name, wanted) == 0;
}

static bool signatures_is_wanted(const struct signature_reader *r, const struct type *t)
{
	return is_aggregate(t) && (signatures_is_called(t->name, r->wanted) ||
				   signatures_is_called(t->tag, r->wanted) ||
				   (t->cxx && signatures_is_called(type_full_name(t), r->wanted)));
}

static bool points_to_wanted(const struct signature_reader *r, const struct type *t)
{
	return t->kind == TYPE_POINTER && t->of && signatures_is_wanted(r, t->of);
}

static void note_type(struct signature_reader *r, const struct type *t)
{
	if (t->kind != TYPE_POINTER || !t->of || !is_aggregate(t->of))
		return;
	/* A typedef of a pointer is wanted: its struct is. */
	if (signatures_is_called(t->name, r->wanted) && t->of->tag)
		r->found = t->of;
	if (t->of->name && *t->of->name)
		suggest_offer(&r->near, t->of->name);
	if (signatures_is_wanted(r, t->of) && (!r->found || r->found->incomplete))
		r->found = t->of;
}

/* ---- parameters and results --------------------------------------------------------------- */

static bool is_number(const struct type *t)
{
	return t->size <= sizeof(uint64_t) && (t->kind == TYPE_INTEGER || t->kind == TYPE_CHAR ||
					       t->kind == TYPE_BOOL || t->kind == TYPE_ENUM);
}

static enum signature_class class_of_pointer(const struct signature_reader *r, const struct type *t)
{
	const struct type *of = t->of;

	if (!of || of->kind == TYPE_VOID)
		return SIGNATURE_TOKEN;
	if (signatures_is_wanted(r, of))
		return SIGNATURE_OBJECT;
	if (points_to_wanted(r, of))
		return SIGNATURE_OBJECT_OUT;
	if (of->kind == TYPE_FUNCTION)
		return SIGNATURE_CALLBACK;
	if (of->kind == TYPE_CHAR && of->size == 1)
		return SIGNATURE_STRING;
	if (of->kind == TYPE_POINTER && (!of->of || of->of->kind == TYPE_VOID) &&
	    !(of->flags & TYPE_CONST))
		return SIGNATURE_OUT_TOKEN;
	if (is_number(of))
		return of->flags & TYPE_CONST ? SIGNATURE_ARRAY : SIGNATURE_OUT_INTEGER;
	return of->flags & TYPE_CONST && signature_has_size(of) ? SIGNATURE_STRUCT_IN
								: SIGNATURE_OTHER;
}

static enum signature_class class_of_reference(const struct signature_reader *r,
					       const struct type *t)
{
	if (t->of && t->of->kind == TYPE_CHAR)
		return t->of->flags & TYPE_CONST ? SIGNATURE_ARRAY : SIGNATURE_OUT_INTEGER;
	return t->of && t->of->kind != TYPE_VOID ? class_of_pointer(r, t) : SIGNATURE_OTHER;
}

static enum signature_class class_of(const struct signature_reader *r, const struct type *t)
{
	switch (t->kind) {
	case TYPE_VOID:
		return SIGNATURE_NOTHING;
	case TYPE_BOOL:
		return SIGNATURE_BOOL;
	case TYPE_INTEGER:
	case TYPE_CHAR:
		return is_number(t) ? SIGNATURE_INTEGER : SIGNATURE_OTHER;
	case TYPE_ENUM:
		return SIGNATURE_ENUM;
	case TYPE_FLOAT:
		return t->size <= sizeof(double) ? SIGNATURE_FLOAT : SIGNATURE_OTHER;
	case TYPE_POINTER:
		return class_of_pointer(r, t);
	case TYPE_REFERENCE: /* passed as a pointer is */
		return class_of_reference(r, t);
	case TYPE_STRUCT:
	case TYPE_UNION:
		return SIGNATURE_STRUCT;
	default:
		return SIGNATURE_OTHER;
	}
}

static struct signature_value signatures_value_of(struct signature_reader *r, const struct type *t,
						  const char *name)
{
	struct signature_value v = {class_of(r, t), name, NULL, t};
	struct str text = {0};

	type_spell(t, &text);
	v.spelled = str_take(&text);
	if (v.class == SIGNATURE_OUT_INTEGER || v.class == SIGNATURE_ARRAY ||
	    v.class == SIGNATURE_STRUCT_IN)
		v.type = t->of;
	note_type(r, t);
	return v;
}

static int add_parameter(struct signature_reader *r, const struct entry *e, struct signature *s,
			 struct error *err)
{
	const struct type *t = type_of_entry(e, err);
	struct entry holder;
	const struct attr *name = entry_inherited(e, DW_AT_name, &holder, err);

	if (!t || err->code)
		return -1;
	*array_add(&s->parameters) =
		signatures_value_of(r, t, name ? entry_text(&holder, DW_AT_name) : NULL);
	return 0;
}

static int read_parameters(struct signature_reader *r, const struct entry *function,
			   struct signature *s, struct error *err)
{
	struct entry e, holder;
	uint64_t at = 0;
	int more;

	while ((more = entry_child(function, &at, &e, err)) > 0) {
		s->is_variadic |= e.tag == DW_TAG_unspecified_parameters;
		if (e.tag != DW_TAG_formal_parameter)
			continue;
		/* Only gcc's DIEs have destructors' __in_chrg; no caller passes it. */
		if (s->parameters.count && entry_inherited(&e, DW_AT_artificial, &holder, err))
			continue;
		if (err->code || add_parameter(r, &e, s, err) < 0)
			return -1;
	}
	return more;
}

/* ---- role of a function ------------------------------------------------------------------- */

/* True if the word is part of the name, as separated by underscores. */
static bool signatures_has_word(const char *name, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = strstr(name, word); at; at = strstr(at + 1, word))
		if ((at == name || at[-1] == '_') && (!at[length] || at[length] == '_'))
			return true;
	return false;
}

static bool has_word_of(const char *name, const char *const *words)
{
	for (; *words; words++)
		if (signatures_has_word(name, *words))
			return true;
	return false;
}

static const char *const ending[] = {"free",	"destroy", "delete", "dispose", "fini",	  "release",
				     "cleanup", "unref",   "close",  "term",	"deinit", NULL};
static const char *const starting[] = {"init", "initialize", "initialise", "setup", "ctor", NULL};
static const char *const making[] = {"new", "create", "make", "alloc", "open", "init", NULL};
static const char *const unlocked[] = {"unlocked", "nolock", NULL};

static bool takes_object(const struct signature *s)
{
	array_each(const struct signature_value, p, &s->parameters)
		if (p->class == SIGNATURE_OBJECT)
			return true;
	return false;
}

/* True if the parameters are those of a destructor: the object alone, or also a callback for its
   elements: free_full(queue, free). */
static bool may_end(const struct signature *s)
{
	bool calls = s->parameters.count == 1;

	for (size_t i = 1; i < s->parameters.count; i++) {
		enum signature_class class = s->parameters.items[i].class;

		if (class != SIGNATURE_CALLBACK && class != SIGNATURE_TOKEN)
			return false;
		calls |= class == SIGNATURE_CALLBACK;
	}
	return calls;
}

static enum signature_role role_of(const struct signature *s)
{
	const struct signature_value *first = s->parameters.items;
	bool is_object = s->parameters.count && first->class == SIGNATURE_OBJECT;

	if (is_object && signature_is_special(s, "_new"))
		return SIGNATURE_INITIALISER;
	if (is_object && signature_is_special(s, "_delete"))
		return SIGNATURE_DESTRUCTOR;
	if (s->result.class == SIGNATURE_OBJECT && !takes_object(s))
		return SIGNATURE_CONSTRUCTOR;
	if (s->parameters.count && first->class == SIGNATURE_OBJECT_OUT &&
	    has_word_of(s->name, making))
		return SIGNATURE_CONSTRUCTOR;
	if (!is_object)
		return SIGNATURE_LEFT_OUT;
	if (may_end(s) && has_word_of(s->name, ending))
		return SIGNATURE_DESTRUCTOR;
	return has_word_of(s->name, starting) ? SIGNATURE_INITIALISER : SIGNATURE_OPERATION;
}

static bool is_about(const struct signature *s)
{
	if (s->result.class == SIGNATURE_OBJECT)
		return true;
	array_each(const struct signature_value, p, &s->parameters)
		if (p->class == SIGNATURE_OBJECT || p->class == SIGNATURE_OBJECT_OUT)
			return true;
	return false;
}

static void say_parameter(const struct signature_value *p, const char *what, struct str *why)
{
	str_addf(why, "%s %s %s", what, p->name ? p->name : "of type", p->name ? "is a " : "");
	str_add(why, p->spelled);
}

/* Appends the remedy. */
static void find_remedy(struct str *why)
{
	if (why->length)
		str_add(why, " (a function that calls it, and takes and returns numbers, can be "
			     "called)");
}

/* Appends why the function cannot be used; nothing if it can. */
static void find_reason(const struct signature *s, struct str *why)
{
	if (s->is_variadic)
		str_add(why, "it is variadic");
	if (s->result.class == SIGNATURE_STRUCT && !why->length)
		str_addf(why, "it returns %s by value", s->result.spelled);
	if (s->role == SIGNATURE_LEFT_OUT && !why->length)
		str_add(why, "its first parameter is not the object");
	for (size_t i = 0; i < s->parameters.count && !why->length; i++) {
		const struct signature_value *p = &s->parameters.items[i];

		if (p->class == SIGNATURE_STRUCT && !signature_passes_as_bytes(p->type))
			say_parameter(p, "by value: parameter", why);
		else if (p->class == SIGNATURE_OTHER)
			say_parameter(p, "no value can be guessed: parameter", why);
		else if (i > 0 && p->class == SIGNATURE_OBJECT_OUT)
			say_parameter(p, "it returns another object: parameter", why);
	}
}

/* A number after an array is its length. */
static void find_lengths(struct signature *s)
{
	for (size_t i = 1; i < s->parameters.count; i++)
		if (s->parameters.items[i].class == SIGNATURE_INTEGER &&
		    s->parameters.items[i - 1].class == SIGNATURE_ARRAY &&
		    strchr(s->parameters.items[i - 1].spelled, '*'))
			s->parameters.items[i].class = SIGNATURE_LENGTH;
}

/* Sets role and reason. A constructor may take a value that cannot be made up: --new gives
   it, or NULL is passed. */
static void signatures_settle(struct signature *s)
{
	struct str why = {0};

	find_lengths(s);
	s->role = role_of(s);
	s->makes = has_word_of(s->name, making) || has_word_of(s->name, starting);
	find_reason(s, &why);
	find_remedy(&why);
	if (why.length && s->role != SIGNATURE_CONSTRUCTOR)
		s->role = SIGNATURE_LEFT_OUT;
	if (!why.length && s->role == SIGNATURE_OPERATION && has_word_of(s->name, unlocked))
		str_add(&why,
			"by its name the caller has to hold a lock: --ops includes it anyway");
	if (why.length && s->role != SIGNATURE_CONSTRUCTOR)
		s->why = str_take(&why);
	str_fini(&why);
}

/* ---- all functions ------------------------------------------------------------------------ */

static void signature_fini(struct signature *s)
{
	array_each(struct signature_value, p, &s->parameters)
		base_free(p->spelled);
	array_fini(&s->parameters);
	base_free(s->result.spelled);
	base_free(s->flat);
	base_free(s->why);
}

/* Reads the DIE with all parameters: an out-of-line instance may lack unused ones. */
static int read_whole(struct signature_reader *r, uint64_t offset, struct entry *out,
		      struct error *err)
{
	uint64_t origin;

	if (entry_read(r->table, offset, out, err) < 0)
		return -1;
	origin = entry_ref(out, DW_AT_abstract_origin);
	return origin ? entry_read(r->table, origin, out, err) : 0;
}

static int read_function(struct signature_reader *r, struct scope_ref scope,
			 struct signature_name *name, struct error *err)
{
	struct signature s = {.name = name->text, .symbol = name->symbol};
	struct function place;
	const struct type *result;
	struct entry e, holder;

	if (read_whole(r, scope.scope->offset, &e, err) < 0)
		return -1;
	if (!entry_inherited(&e, DW_AT_external, &holder, err))
		return err->code ? -1 : 0;
	result = type_of_entry(&e, err);
	if (!result || function_read(r->table, scope, &place, err) < 0)
		return -1;
	s.file = place.file;
	s.line = place.line;
	s.result = signatures_value_of(r, result, NULL);
	if (read_parameters(r, &e, &s, err) < 0 || !is_about(&s)) {
		signature_fini(&s);
		return err->code ? -1 : 0;
	}
	if (s.symbol)
		s.name = s.flat = signature_flat_name(r->out, place.spoken);
	signatures_settle(&s);
	*array_add(&r->out->items) = s;
	return 0;
}

/* True if the function can be called. gcc merges identical functions: one of
   them is only a symbol. */
static bool signatures_is_there(struct signature_reader *r, const struct scope *scope,
				const char *name)
{
	uint64_t offset, size;

	return dies_has_code(scope) || module_symbol(r->module, name, &offset, &size) == 0;
}

/* Sets the function's name, and its symbol if it is mangled. */
static int name_function(struct signature_reader *r, struct scope_ref scope,
			 struct signature_name *out, struct error *err)
{
	struct function f;

	if (function_short_name(r->table, scope, &out->text, err) < 0)
		return -1;
	if (!out->text || (!scope.scope->linkage && !scope.scope->origin))
		return 0;
	if (function_read(r->table, scope, &f, err) < 0)
		return -1;
	if (f.spoken && f.linkage && strncmp(f.linkage, "_Z", 2) == 0)
		out->symbol = f.linkage;
	return 0;
}

static bool is_known(const struct signatures *s, const struct signature_name *name)
{
	array_each(const struct signature, item, &s->items)
		if (name->symbol && item->symbol && strcmp(item->symbol, name->symbol) == 0)
			return true;
	return !name->symbol && signatures_find(s, name->text);
}

static int read_unit(struct signature_reader *r, struct die_unit *u, struct error *err)
{
	if (dies_load(r->table, u, err) < 0)
		return -1;
	for (size_t i = 0; i < u->scopes.count; i++) {
		struct scope_ref scope = {u, &u->scopes.items[i]};
		struct signature_name name = {NULL, NULL};
		const char *symbol;

		if (scope.scope->kind != SCOPE_FUNCTION || scope.scope->declaration ||
		    (scope.scope->parent != SCOPE_NONE &&
		     u->scopes.items[scope.scope->parent].kind != SCOPE_SPACE))
			continue;
		if (name_function(r, scope, &name, err) < 0)
			return -1;
		symbol = name.symbol ? name.symbol : name.text;
		if (!symbol || !is_exported(r, symbol) || is_known(r->out, &name) ||
		    !signatures_is_there(r, scope.scope, symbol))
			continue;
		if (read_function(r, scope, &name, err) < 0)
			return -1;
	}
	return 0;
}

static int signatures_by_name(const void *a, const void *b)
{
	return strcmp(((const struct signature *)a)->name, ((const struct signature *)b)->name);
}

static int no_type(struct signature_reader *r, struct error *err)
{
	struct str near = {0};

	suggest_take(&r->near, &near);
	error_set(err, ERROR_OBJECT,
		  "%s: no function that can be called takes or returns a pointer to %s%s",
		  module_name(r->module), r->wanted, str_text(&near));
	str_fini(&near);
	return -1;
}

static void signatures_describe(struct signature_reader *r)
{
	const struct type *whole = type_whole(r->found, NULL);
	struct str text = {0};

	type_spell(r->found, &text);
	if (strncmp(str_text(&text), "const ", 6) == 0)
		r->out->type = base_strdup(str_text(&text) + 6);
	else
		r->out->type = base_strdup(str_text(&text));
	str_fini(&text);
	r->out->is_cxx = r->found->cxx;
	r->out->is_union = r->found->kind == TYPE_UNION;
	r->out->size = whole && !whole->incomplete ? whole->size : 0;
}

static int read_units(struct signature_reader *r, struct error *err)
{
	array_each(struct die_unit, u, &r->table->units)
		if (read_unit(r, u, err) < 0)
			return -1;
	return 0;
}

static void drop(struct signatures *s)
{
	array_each(struct signature, item, &s->items)
		signature_fini(item);
	array_fini(&s->items);
}

static int signatures_read_all(struct signature_reader *r, struct error *err)
{
	r->table = dies_table(r->module, err);
	if (!r->table || read_units(r, err) < 0)
		return -1;
	if (!r->found)
		return no_type(r, err);
	/* The wanted name is a typedef: other functions may use the tag. */
	if (!r->found->cxx && r->found->tag && strcmp(r->found->tag, r->wanted) != 0) {
		r->wanted = r->found->tag;
		drop(r->out);
		if (read_units(r, err) < 0)
			return -1;
	}
	array_sort(&r->out->items, signatures_by_name);
	signatures_describe(r);
	return 0;
}

int signatures_read(struct module *m, const char *type, struct signatures *out, struct error *err)
{
	struct signature_reader r = {.module = m, .wanted = without_keyword(type), .out = out};
	struct str none = {0};
	int answer;

	*out = (struct signatures){0};
	if (!module_has_debug(m)) {
		error_set(err, ERROR_OBJECT, "%s: no debug information", module_path(m));
		return error_hint(err, "compile it with -g");
	}
	r.near.wanted = r.wanted;
	r.only_exported = module_is_pie(m) && !module_is_dynamic(m);
	module_each_dynamic(m, add_exported, &r);
	array_sort(&r.exported, by_text);
	answer = signatures_read_all(&r, err);
	array_each(char *, name, &r.exported)
		base_free(*name);
	array_fini(&r.exported);
	suggest_take(&r.near, &none);
	str_fini(&none);
	if (answer < 0)
		signatures_fini(out);
	return answer;
}

void signatures_fini(struct signatures *s)
{
	drop(s);
	base_free(s->type);
	s->type = NULL;
}

const struct signature *signatures_find(const struct signatures *s, const char *name)
{
	array_each(const struct signature, item, &s->items)
		if (strcmp(item->name, name) == 0)
			return item;
	return NULL;
}
