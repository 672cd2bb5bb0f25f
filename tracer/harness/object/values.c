/* Types of parameters and results as C text, and values for them. */
#include "tracer/harness/object/object.h"

#include <string.h>
#include <strings.h>

enum { ENUMERATORS = 4 };

/* ---- types of C without typedefs ------------------------------------------------------------- */

static const char *number_type(const struct type *t)
{
	if (t->kind == TYPE_BOOL)
		return "_Bool";
	if (t->kind == TYPE_ENUM)
		return t->size <= sizeof(int) ? "int" : "long";
	return t->tag ? t->tag : t->name ? t->name : "int";
}

/* C type and guessed argument of each class of values. */
static const struct {
	enum { OF_NUMBER = 1, OF_OBJECT, OF_CONST } of; /* first part of the type */
	const char *type, *guess;			/* NULL means "void *" and "NULL" */
} classes[] = {
	[SIGNATURE_NOTHING] = {0, "void", NULL},
	[SIGNATURE_OBJECT] = {OF_OBJECT, " *", NULL},
	[SIGNATURE_OBJECT_OUT] = {OF_OBJECT, " **", NULL},
	[SIGNATURE_STRING] = {0, "const char *", "\"a\""},
	[SIGNATURE_OUT_TOKEN] = {0, "void **", NULL},
	[SIGNATURE_OUT_INTEGER] = {OF_NUMBER, " *", NULL},
	[SIGNATURE_INTEGER] = {OF_NUMBER, "", "4"}, /* a capacity */
	[SIGNATURE_BOOL] = {OF_NUMBER, "", "0"},
	[SIGNATURE_ENUM] = {OF_NUMBER, "", "0"},
	[SIGNATURE_FLOAT] = {OF_NUMBER, "", "0"},
	[SIGNATURE_ARRAY] = {OF_CONST, " *", NULL},
	[SIGNATURE_LENGTH] = {OF_NUMBER, "", "0"},
	[SIGNATURE_STRUCT_IN] = {0, NULL, NULL}, /* like classes without a row */
};

/* True for classes whose type is written as the library does: structs, and arrays. */
static bool is_spelled(const struct signature_value *v)
{
	return v->class == SIGNATURE_STRUCT || v->class == SIGNATURE_STRUCT_IN;
}

char *object_plain_type(const struct harness_hunt *h, const struct signature_value *v)
{
	struct str text = {0};

	if (is_spelled(v))
		return base_strdup(v->spelled);
	if (classes[v->class].of == OF_NUMBER)
		str_add(&text, number_type(v->type));
	else if (classes[v->class].of == OF_CONST)
		str_addf(&text, "const %s", number_type(v->type));
	else if (classes[v->class].of == OF_OBJECT)
		str_add(&text, h->object.type);
	str_add(&text, classes[v->class].type ? classes[v->class].type : "void *");
	return str_take(&text);
}

static enum harness_shown shown_number(const struct type *t)
{
	if (t->kind == TYPE_BOOL)
		return HARNESS_BOOL;
	if (t->kind == TYPE_FLOAT)
		return HARNESS_FLOAT;
	return t->is_signed || t->kind == TYPE_ENUM ? HARNESS_SIGNED : HARNESS_UNSIGNED;
}

enum harness_shown object_shown_result(const struct signature_value *v)
{
	if (v->class == SIGNATURE_NOTHING)
		return HARNESS_NOTHING;
	if (v->class == SIGNATURE_STRING)
		return HARNESS_STRING;
	return classes[v->class].of == OF_NUMBER && v->class != SIGNATURE_OUT_INTEGER
		       ? shown_number(v->type)
		       : HARNESS_POINTER;
}

/* ---- values ---------------------------------------------------------------------------------- */

const char *object_next_item(const char **at, size_t *length)
{
	const char *item = *at;

	if (!item || !*item)
		return NULL;
	*length = strcspn(item, ",");
	*at = item + *length + (item[*length] == ',');
	return item;
}

static const char *values_of(const struct harness_hunt *h)
{
	return h->options.values ? h->options.values : "0,1,2";
}

/* Adds the values that are zero or those that are not. Zero comes last, since it is often
   special. */
static void add_given(const char *list, bool zeroes, struct harness_argument *a)
{
	const char *item;
	size_t length;

	while ((item = object_next_item(&list, &length)))
		if ((length == 1 && *item == '0') == zeroes)
			*array_add(&a->values) = base_strndup(item, length);
}

/* Adds the values of --values. `zero` is false for pointers, where zero is NULL. */
static void add_numbers(const struct harness_hunt *h, struct harness_argument *a, bool zero)
{
	add_given(values_of(h), false, a);
	if (zero || !a->values.count)
		add_given(values_of(h), true, a);
	a->renames = true;
}

static void add_texts(const struct harness_hunt *h, struct harness_argument *a)
{
	const char *list = values_of(h);
	char text[] = "\"a\"";
	size_t length;

	for (; text[1] <= 'z' && object_next_item(&list, &length); text[1]++)
		*array_add(&a->values) = base_strdup(text);
	a->renames = true;
}

static void add_enumerators(const struct type *t, struct harness_argument *a)
{
	ERROR(err);

	if (type_members(t, &err) == 0)
		for (size_t i = 0; i < t->enumerators.count && i < ENUMERATORS; i++) {
			struct str text = {0};

			str_addf(&text, "%lld", (long long)t->enumerators.items[i].value);
			*array_add(&a->values) = str_take(&text);
		}
	if (!a->values.count)
		*array_add(&a->values) = base_strdup("0");
}

/* ---- arrays and structs ---------------------------------------------------------------------- */

/* Replaces the numbers by arrays of the first two and of the second one, or, without `of_two`, by
   one element each, twice. */
static void add_braces(struct harness_argument *a, bool of_two)
{
	enum { KEPT = 2 };
	size_t kept = 0;

	for (size_t i = 0; i < a->values.count; i++) {
		struct str text = {0};

		str_addf(&text, "{%s", a->values.items[i]);
		if (of_two && i == 0 && a->values.count > 1)
			str_addf(&text, ",%s", a->values.items[1]);
		str_add(&text, "}");
		base_free(a->values.items[i]);
		a->values.items[i] = NULL;
		if (kept < KEPT)
			a->values.items[kept++] = str_take(&text);
		str_fini(&text);
	}
	a->values.count = kept;
}

static bool is_declared(const struct harness_object *o, const char *text)
{
	array_each(char *const, known, &o->structs)
		if (strcmp(*known, text) == 0)
			return true;
	return false;
}

/* Declares a struct of as many bytes, unless a header declares it. Returns its name in C; the
   caller frees it. */
static char *declare_struct(struct harness_hunt *h, const struct type *t)
{
	const struct type *whole = type_whole(t, NULL);
	struct str name = {0}, text = {0};
	bool tagged;

	type_spell(t, &name);
	if (strncmp(str_text(&name), "const ", 6) == 0) {
		char *plain = base_strdup(str_text(&name) + 6);

		str_clear(&name);
		str_add(&name, plain);
		base_free(plain);
	}
	tagged = strchr(str_text(&name), ' ') != NULL;
	str_addf(&text, "%s%s { _Alignas(%llu) unsigned char bytes[%llu]; }%s%s;",
		 tagged ? "" : "typedef struct", tagged ? str_text(&name) : "",
		 (unsigned long long)type_alignment(whole, NULL), (unsigned long long)whole->size,
		 tagged ? "" : " ", tagged ? "" : str_text(&name));
	if (!is_declared(&h->object, str_text(&text)))
		*array_add(&h->object.structs) = base_strdup(str_text(&text));
	str_fini(&text);
	return str_take(&name);
}

static void take_braced(struct harness_hunt *h, const struct signature_value *v, bool has_length,
			struct harness_argument *a)
{
	struct str text = {0};

	add_numbers(h, a, true);
	add_braces(a, has_length);
	a->renames = false;
	if (v->class == SIGNATURE_ARRAY) {
		str_addf(&text, "(const %s[])", number_type(v->type));
	} else {
		OWNED(name) = declare_struct(h, v->type);

		/* Bytes of a struct that is declared here are in braces of their own. */
		str_addf(&text, "%s(%s)%s", v->class == SIGNATURE_STRUCT_IN ? "&" : "", name,
			 h->object.includes.count ? "" : "{");
	}
	a->literal = str_take(&text);
}

static void take_values(const struct harness_hunt *h, const struct signature_value *v,
			struct harness_argument *a)
{
	switch (v->class) {
	case SIGNATURE_STRING:
		add_texts(h, a);
		break;
	case SIGNATURE_BOOL:
		*array_add(&a->values) = base_strdup("1");
		*array_add(&a->values) = base_strdup("0");
		break;
	case SIGNATURE_ENUM:
		add_enumerators(v->type, a);
		break;
	default:
		add_numbers(h, a, v->class != SIGNATURE_TOKEN);
		break;
	}
}

void object_take_argument(struct harness_hunt *h, const struct signature *of, size_t i,
			  struct harness_argument *a)
{
	const struct signature_value *v = &of->parameters.items[i];

	a->type = object_plain_type(h, v);
	switch (v->class) {
	case SIGNATURE_OUT_INTEGER:
		a->kind = HARNESS_OUT;
		a->of = base_strdup(number_type(v->type));
		a->shown = shown_number(v->type);
		break;
	case SIGNATURE_OUT_TOKEN:
		a->kind = HARNESS_OUT;
		a->of = base_strdup("void *");
		a->shown = HARNESS_POINTER;
		break;
	case SIGNATURE_CALLBACK:
		a->kind = HARNESS_VISITS;
		break;
	case SIGNATURE_LENGTH:
		a->kind = HARNESS_LENGTH;
		break;
	case SIGNATURE_OBJECT:
		a->kind = HARNESS_SECOND;
		h->object.has_second = true;
		break;
	case SIGNATURE_ARRAY:
	case SIGNATURE_STRUCT:
	case SIGNATURE_STRUCT_IN:
		take_braced(h, v,
			    i + 1 < of->parameters.count &&
				    of->parameters.items[i + 1].class == SIGNATURE_LENGTH,
			    a);
		break;
	default:
		take_values(h, v, a);
		break;
	}
}

/* ---- guesses for constructors ---------------------------------------------------------------- */

static bool takes_text(const struct type *function)
{
	const struct type *first = function->members.items[0].type;

	return first->kind == TYPE_POINTER && first->of && first->of->kind == TYPE_CHAR;
}

/* True if the name of the parameter, or of its type, says that keys are compared for equality. */
static bool is_equality(const struct signature_value *v, const struct type *function)
{
	return function->of->kind == TYPE_BOOL || (v->name && strcasestr(v->name, "eq")) ||
	       strcasestr(v->spelled, "eq");
}

/* The function for a hash or a comparison of keys, by its parameters and result; 0: NULL. */
static unsigned helper_for(const struct signature_value *v)
{
	const struct type *function = v->type->of;
	bool text;
	ERROR(err);

	if (type_members(function, &err) < 0 || !function->of ||
	    (function->of->kind != TYPE_INTEGER && function->of->kind != TYPE_BOOL) ||
	    !function->members.count || function->members.items[0].type->kind != TYPE_POINTER)
		return 0;
	text = takes_text(function);
	if (function->members.count == 1)
		return text ? HARNESS_HASH_TEXT : HARNESS_HASH;
	if (function->members.count > 3 || function->members.items[1].type->kind != TYPE_POINTER)
		return 0;
	if (is_equality(v, function))
		return text ? HARNESS_EQUAL_TEXTS : HARNESS_EQUAL;
	return text ? HARNESS_COMPARE_TEXTS : HARNESS_COMPARE;
}

void object_add_guess(struct harness_hunt *h, const struct signature_value *v, struct str *out)
{
	const char *guess = classes[v->class].guess;
	unsigned helper = v->class == SIGNATURE_CALLBACK ? helper_for(v) : 0;

	h->object.helpers |= helper;
	if (helper)
		str_addf(out, "(void *)%s", write_helper(helper));
	else
		str_add(out, guess ? guess : "NULL");
}
