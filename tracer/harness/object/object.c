/* Makes the object and its operations of signatures, with guesses and the options. */
#include "tracer/harness/object/object.h"
#include "tracer/base/text/word.h"

#include <stdlib.h>
#include <string.h>

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

	while ((item = object_next_item(&list, &length)))
		if (strlen(name) == length && memcmp(item, name, length) == 0)
			return true;
	return false;
}

static void add_op(struct harness_hunt *h, const struct signature *s, const char *name)
{
	struct harness_op *op = array_add(&h->object.ops);

	op->function = base_strdup(s->name);
	op->name = base_strdup(name);
	op->symbol = s->symbol ? base_strdup(s->symbol) : NULL;
	op->result = object_plain_type(h, &s->result);
	op->shown = object_shown_result(&s->result);
	for (size_t i = 1; i < s->parameters.count; i++)
		object_take_argument(h, s, i, array_add(&op->arguments));
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

	while ((item = object_next_item(&at, &length))) {
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
static void add_guesses(struct harness_hunt *h, const struct signature *s, const char *before,
			size_t from, struct str *out)
{
	str_addf(out, "%s(%s", s->name, before);
	for (size_t i = from; i < s->parameters.count; i++) {
		str_add(out, i > 0 ? ", " : "");
		object_add_guess(h, &s->parameters.items[i], out);
	}
	str_add(out, ")");
}

/* Statement for a call that returns 0 or true on success; sets `object` to NULL on failure. */
static char *checked(struct harness_hunt *h, const struct signature *s, const char *before)
{
	bool number = s->result.class == SIGNATURE_INTEGER || s->result.class == SIGNATURE_ENUM;
	bool truth = s->result.class == SIGNATURE_BOOL;
	struct str text = {0};

	str_add(&text, truth ? "if (!" : number ? "if (" : "");
	add_guesses(h, s, before, 1, &text);
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
	result = object_plain_type(h, &s->result);
	str_addf(&text, "%s%s%s(", result, strchr(result, '*') ? "" : " ", s->name);
	for (size_t i = 0; i < s->parameters.count; i++) {
		const struct signature_value *p = &s->parameters.items[i];
		/* Structs are declared for operations alone. */
		bool is_struct = p->class == SIGNATURE_STRUCT || p->class == SIGNATURE_STRUCT_IN;
		OWNED(type) = is_struct ? base_strdup("const void *") : object_plain_type(h, p);

		str_addf(&text, "%s%s", i ? ", " : "", type);
	}
	str_add(&text, s->parameters.count ? ")" : "void)");
	if (s->symbol)
		str_addf(&text, " __asm__(\"%s\")", s->symbol);
	str_add(&text, ";");
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
		o->make = checked(h, s, "object");
	} else if (s->result.class != SIGNATURE_OBJECT) {
		o->make = checked(h, s, "&object");
	} else {
		struct str text = {0};

		str_add(&text, "object = ");
		add_guesses(h, s, "", 0, &text);
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
	       (s->symbol ||
		!(h->object.memory && (strstr(s->name, "free") || strstr(s->name, "delete"))));
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

/* ---- the second object ----------------------------------------------------------------------- */

/* Chooses an operation whose name says that it puts something into the second object, with its
   first values. */
static void find_fill(struct harness_hunt *h)
{
	static const char *const words[] = {"add",     "push",	 "put", "insert",
					    "enqueue", "append", "set"};
	struct harness_object *o = &h->object;

	for (size_t w = 0; w < sizeof(words) / sizeof(*words) && o->has_second; w++)
		for (unsigned c = 0; c < o->calls.count && !o->fills; c++) {
			const struct harness_op *op = harness_op_of(o, c);

			o->fills = strstr(op->name, words[w]) && harness_count(op, HARNESS_VALUE) &&
				   !harness_count(op, HARNESS_SECOND) &&
				   !harness_count(op, HARNESS_OUT) &&
				   !harness_count(op, HARNESS_VISITS);
			o->fill = o->calls.items[c];
			o->fill.text = NULL;
		}
}

/* ---- the object ------------------------------------------------------------------------------ */

static void declare(struct harness_hunt *h)
{
	struct harness_object *o = &h->object;
	bool tagged = strncmp(h->signatures.type, "struct ", 7) == 0 ||
		      strncmp(h->signatures.type, "union ", 6) == 0;
	const struct signatures none = {0};
	const char *keyword = h->signatures.is_union ? "union" : "struct";
	struct str text = {0};

	o->catches = h->signatures.is_cxx;
	o->type = h->signatures.is_cxx ? signature_flat_name(&none, h->signatures.type)
				       : base_strdup(h->signatures.type);
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
	find_fill(h);
	return 0;
}
