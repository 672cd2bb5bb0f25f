/* Makes the object and its operations of signatures, with guesses and the options. */
#include "tracer/harness/hunt.h"
#include "tracer/base/text/word.h"

#include <stdlib.h>
#include <string.h>

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
	enum { OF_NUMBER = 1, OF_OBJECT } of; /* first part of the type */
	const char *type, *guess;	      /* NULL means "void *" and "NULL" */
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
	[SIGNATURE_STRUCT] = {0, NULL, NULL}, /* like classes without a row */
};

static char *plain_type(const struct harness_hunt *h, const struct signature_value *v)
{
	struct str text = {0};

	if (classes[v->class].of == OF_NUMBER)
		str_add(&text, number_type(v->type));
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

static enum harness_shown shown_result(const struct signature_value *v)
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

/* Returns the next item of a list separated by commas, or NULL; advances *at. */
static const char *next_item(const char **at, size_t *length)
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

	while ((item = next_item(&list, &length)))
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

	for (; text[1] <= 'z' && next_item(&list, &length); text[1]++)
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

static void take_argument(const struct harness_hunt *h, const struct signature_value *v,
			  struct harness_argument *a)
{
	a->type = plain_type(h, v);
	if (v->class == SIGNATURE_OUT_INTEGER || v->class == SIGNATURE_OUT_TOKEN) {
		a->kind = HARNESS_OUT;
		a->of = v->class == SIGNATURE_OUT_TOKEN ? base_strdup("void *")
							: base_strdup(number_type(v->type));
		a->shown =
			v->class == SIGNATURE_OUT_TOKEN ? HARNESS_POINTER : shown_number(v->type);
	} else if (v->class == SIGNATURE_CALLBACK) {
		a->kind = HARNESS_VISITS;
	} else {
		take_values(h, v, a);
	}
}

/* ---- operations ------------------------------------------------------------------------------ */

static size_t common(const char *a, const char *b, size_t most)
{
	size_t n = 0;

	while (n < most && a[n] && a[n] == b[n])
		n++;
	return n;
}

/* True for functions outside the interface: a leading underscore, or a constructor of another
   type. */
static bool is_stranger(const struct signature *s)
{
	return s->name[0] == '_' || (s->role == SIGNATURE_CONSTRUCTOR && !s->makes) ||
	       (s->role == SIGNATURE_LEFT_OUT && s->parameters.count &&
		s->parameters.items[0].class != SIGNATURE_OBJECT);
}

/* Common prefix of all functions, up to an underscore. */
static char *prefix_of(const struct signatures *s)
{
	const char *first = NULL;
	size_t length = 0;

	array_each(const struct signature, item, &s->items) {
		if (is_stranger(item))
			continue;
		length = first ? common(first, item->name, length) : strlen(item->name);
		first = first ? first : item->name;
	}
	while (length && first[length - 1] != '_')
		length--;
	return base_strndup(first ? first : "", length);
}

static bool is_in_list(const char *list, const char *name)
{
	const char *item;
	size_t length;

	while ((item = next_item(&list, &length)))
		if (strlen(name) == length && memcmp(item, name, length) == 0)
			return true;
	return false;
}

static void add_op(struct harness_hunt *h, const struct signature *s, const char *name)
{
	struct harness_op *op = array_add(&h->object.ops);

	op->function = base_strdup(s->name);
	op->name = base_strdup(name);
	op->result = plain_type(h, &s->result);
	op->shown = shown_result(&s->result);
	for (size_t i = 1; i < s->parameters.count; i++)
		take_argument(h, &s->parameters.items[i], array_add(&op->arguments));
}

static bool can_be_called(const struct signature *s)
{
	return s->role != SIGNATURE_LEFT_OUT && s->role != SIGNATURE_CONSTRUCTOR &&
	       s->parameters.count <= HARNESS_ARGUMENTS;
}

static void add_ops(struct harness_hunt *h)
{
	OWNED(prefix) = prefix_of(&h->signatures);
	size_t length = strlen(prefix);
	const char *list = h->options.ops;

	array_each(const struct signature, s, &h->signatures.items) {
		bool has = strncmp(s->name, prefix, length) == 0 && s->name[length];
		const char *name = has ? s->name + length : s->name;

		if (can_be_called(s) && (list ? is_in_list(list, s->name) || is_in_list(list, name)
					      : s->role == SIGNATURE_OPERATION && !s->why))
			add_op(h, s, name);
	}
}

/* Checks that every name of the list is an operation. */
static int check_ops(struct harness_hunt *h, const char *option, const char *at)
{
	const char *item;
	size_t length;

	while ((item = next_item(&at, &length))) {
		OWNED(name) = base_strndup(item, length);
		const struct signature *s = signatures_find(&h->signatures, name);

		if (!harness_op_named(&h->object, item, length))
			error_set(h->x.err, ERROR_USAGE, "--%s: '%s' is no operation of %s%s%s",
				  option, name, h->object.type, s && s->why ? ": " : "",
				  s && s->why ? s->why : "");
		if (h->x.err->code)
			return error_hint(h->x.err, "gatectl harness --list says what was found");
	}
	return 0;
}

static bool names_op(const char *list, const struct harness_op *op)
{
	return is_in_list(list, op->name) || is_in_list(list, op->function);
}

/* --core and --untrusted: each stands for all others if it is not given. */
static int set_trust(struct harness_hunt *h)
{
	const struct harness_options *o = &h->options;

	if (!o->core && !o->untrusted)
		return 0;
	array_each(struct harness_op, op, &h->object.ops) {
		bool core = o->core ? names_op(o->core, op) : !names_op(o->untrusted, op);
		bool untrusted = o->untrusted ? names_op(o->untrusted, op) : !core;

		op->trust = untrusted ? HARNESS_UNTRUSTED : core ? HARNESS_CORE : HARNESS_NEITHER;
	}
	return check_ops(h, "core", o->core) < 0 ? -1 : check_ops(h, "untrusted", o->untrusted);
}

static int no_ops(struct harness_hunt *h)
{
	STR(why);

	array_each(const struct signature, s, &h->signatures.items)
		if (s->role == SIGNATURE_LEFT_OUT)
			str_addf(&why, "%s%s: %s", why.length ? "; " : "", s->name, s->why);
	error_set(h->x.err, ERROR_USAGE, "%s has no operation that could be called%s%s",
		  h->object.type, why.length ? ": " : "", str_text(&why));
	return -1;
}

/* ---- constructor and destructor -------------------------------------------------------------- */

/* Appends a call with `before` as the first `from` arguments and guesses for the others. */
static void add_guesses(const struct signature *s, const char *before, size_t from, struct str *out)
{
	str_addf(out, "%s(%s", s->name, before);
	for (size_t i = from; i < s->parameters.count; i++) {
		const char *guess = classes[s->parameters.items[i].class].guess;

		str_addf(out, "%s%s", i > 0 ? ", " : "", guess ? guess : "NULL");
	}
	str_add(out, ")");
}

/* Statement for a call that returns 0 or true on success; sets `object` to NULL on failure. */
static char *checked(const struct signature *s, const char *before)
{
	bool number = s->result.class == SIGNATURE_INTEGER || s->result.class == SIGNATURE_ENUM;
	bool truth = s->result.class == SIGNATURE_BOOL;
	struct str text = {0};

	str_add(&text, truth ? "if (!" : number ? "if (" : "");
	add_guesses(s, before, 1, &text);
	str_add(&text, number ? " != 0" : "");
	str_add(&text, truth || number ? ")\n		object = NULL;" : ";");
	return str_take(&text);
}

static void add_prototype(struct harness_hunt *h, const struct signature *s)
{
	struct str text = {0};
	char *result;

	if (harness_op_named(&h->object, s->name, strlen(s->name)))
		return;
	result = plain_type(h, &s->result);
	str_addf(&text, "%s%s%s(", result, strchr(result, '*') ? "" : " ", s->name);
	for (size_t i = 0; i < s->parameters.count; i++) {
		OWNED(type) = plain_type(h, &s->parameters.items[i]);

		str_addf(&text, "%s%s", i ? ", " : "", type);
	}
	str_add(&text, s->parameters.count ? ");" : "void);");
	*array_add(&h->object.prototypes) = str_take(&text);
	base_free(result);
}

static bool by_value(const struct signature *s)
{
	array_each(const struct signature_value, p, &s->parameters)
		if (p->class == SIGNATURE_STRUCT)
			return true;
	return s->is_variadic;
}

/* Rates a constructor, least is best: by name, since a function that keeps an object may also
   return one; then by arguments without a guess; then by number of arguments. */
static size_t badness(const struct signature *s)
{
	size_t guessed = 0;

	array_each(const struct signature_value, p, &s->parameters)
		guessed += p->class == SIGNATURE_OTHER;
	return (s->makes ? 0 : 10000) + 100 * guessed + s->parameters.count;
}

static const struct signature *best_of(const struct harness_hunt *h, enum signature_role role)
{
	const struct signature *best = NULL;

	array_each(const struct signature, s, &h->signatures.items)
		if (s->role == role && !by_value(s) && (!best || badness(s) < badness(best)))
			best = s;
	return best;
}

static void make_by(struct harness_hunt *h, const struct signature *s)
{
	struct harness_object *o = &h->object;

	if (s->role == SIGNATURE_INITIALISER) {
		o->memory = h->signatures.size;
		o->make = checked(s, "object");
	} else if (s->result.class != SIGNATURE_OBJECT) {
		o->make = checked(s, "&object");
	} else {
		struct str text = {0};

		str_add(&text, "object = ");
		add_guesses(s, "", 0, &text);
		str_add(&text, ";");
		o->make = str_take(&text);
	}
	add_prototype(h, s);
}

static int no_constructor(struct harness_hunt *h)
{
	error_set(h->x.err, ERROR_USAGE,
		  "%s is opaque, and no function returns a pointer to one: how to create it is not "
		  "known",
		  h->object.type);
	return error_hint(h->x.err, "--new 'EXPRESSION of C' gives an object");
}

/* Fails if an initializer exists but cannot be called: zeroed memory is no object then. */
static int no_initialiser(struct harness_hunt *h)
{
	array_each(const struct signature, s, &h->signatures.items)
		if (s->role == SIGNATURE_LEFT_OUT && s->makes && s->parameters.count &&
		    s->parameters.items[0].class == SIGNATURE_OBJECT) {
			error_set(h->x.err, ERROR_USAGE,
				  "%s creates a %s, but cannot be called: %s", s->name,
				  h->object.type, s->why);
			return error_hint(h->x.err, "--new 'EXPRESSION of C' gives an object");
		}
	return 0;
}

static int find_make(struct harness_hunt *h)
{
	const struct signature *s = best_of(h, SIGNATURE_CONSTRUCTOR);
	const char *given = h->options.make;
	struct str text = {0};

	if (given) {
		str_addf(&text, "object = %s;", given);
		h->object.make = str_take(&text);
		array_each(const struct signature, named, &h->signatures.items)
			if (word_find(given, named->name, strlen(named->name)))
				add_prototype(h, named);
		return 0;
	}
	s = s || !h->signatures.size ? s : best_of(h, SIGNATURE_INITIALISER);
	if (s)
		make_by(h, s);
	else if (h->signatures.size)
		h->object.memory = h->signatures.size;
	else
		return no_constructor(h);
	return s ? 0 : no_initialiser(h);
}

/* True for a usable destructor. Static memory of the program must not be freed. */
static bool may_end(const struct harness_hunt *h, const struct signature *s)
{
	return s->role == SIGNATURE_DESTRUCTOR && s->parameters.count == 1 &&
	       !harness_op_named(&h->object, s->name, strlen(s->name)) &&
	       !(h->object.memory && (strstr(s->name, "free") || strstr(s->name, "delete")));
}

static unsigned rank(const char *name)
{
	static const char *const best[] = {"free", "destroy", "delete", "dispose", "fini"};
	unsigned i = 0;

	while (i < sizeof(best) / sizeof(*best) && !strstr(name, best[i]))
		i++;
	return i;
}

static int find_end(struct harness_hunt *h)
{
	const struct signature *best = NULL;
	const char *given = h->options.end;

	array_each(const struct signature, s, &h->signatures.items) {
		if (given ? strcmp(s->name, given) == 0
			  : may_end(h, s) && (!best || rank(s->name) < rank(best->name)))
			best = s;
	}
	if (given && !best && !h->options.includes.count)
		return error_set(h->x.err, ERROR_USAGE,
				 "--delete: there is no function '%s' that takes a %s *", given,
				 h->object.type);
	if (best)
		add_prototype(h, best);
	h->object.end = given ? base_strdup(given) : best ? base_strdup(best->name) : NULL;
	return 0;
}

/* ---- the object ------------------------------------------------------------------------------ */

static void declare(struct harness_hunt *h)
{
	struct harness_object *o = &h->object;
	bool tagged = strncmp(h->signatures.type, "struct ", 7) == 0 ||
		      strncmp(h->signatures.type, "union ", 6) == 0;
	const char *keyword = h->signatures.is_union ? "union" : "struct";
	struct str text = {0};

	o->type = base_strdup(h->signatures.type);
	if (tagged)
		str_addf(&text, "%s;", o->type);
	else
		str_addf(&text, "typedef %s %s %s;", keyword, o->type, o->type);
	o->declared = str_take(&text);
}

/* Adds a header: by absolute path if it exists here, else as <NAME> for the compiler to find. */
static void include(struct harness_hunt *h, const char *name)
{
	char *path = realpath(name, NULL);
	struct str text = {0};

	str_addf(&text, path ? "\"%s\"" : "<%s>", path ? path : name);
	*array_add(&h->object.includes) = str_take(&text);
	free(path);
}

int harness_object(struct harness_hunt *h)
{
	declare(h);
	array_each(const char *const, name, &h->options.includes)
		include(h, *name);
	add_ops(h);
	if (check_ops(h, "ops", h->options.ops) < 0 || set_trust(h) < 0)
		return -1;
	if (!h->object.ops.count)
		return no_ops(h);
	if (find_make(h) < 0 || find_end(h) < 0)
		return -1;
	harness_calls(&h->object);
	return 0;
}
