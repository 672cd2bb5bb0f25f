/* For tests of scripts that inspect the program: a double of the program. */
#ifndef GATECTL_TEST_LUA_PROGRAM_H
#define GATECTL_TEST_LUA_PROGRAM_H

#include "tests/unit/test_lua.h"

/* Kinds of the double's objects. */
enum what { QUEUE, ARRAY_OF_3, CHARS, ODD, BAD };

struct thing {
	enum what what;
	uint64_t address;
};

struct world {
	int64_t n, count, array[3];
	struct str log; /* record of writes, evaluations and calls */
};

static struct world world;

static int give_thing(struct program_value *out, enum what what, uint64_t address)
{
	struct thing t = {what, address};

	out->kind = PROGRAM_THING;
	memcpy(out->object, &t, sizeof(t));
	return 0;
}

static int give_integer(struct program_value *out, int64_t n)
{
	out->kind = PROGRAM_INTEGER;
	out->integer = n;
	return 0;
}

static int give_enum(struct program_value *out, int64_t n, const char *name)
{
	out->kind = PROGRAM_ENUM;
	out->integer = n;
	out->name = name;
	return 0;
}

static struct thing thing_of(const void *object)
{
	struct thing t;

	memcpy(&t, object, sizeof(t));
	return t;
}

static int named(const char *name, struct program_value *out, struct error *err)
{
	static const struct {
		const char *name, *enumerator;
		int64_t number;
	} enums[] = {{"state", "OFF", 0}, {"color", "RED", 0}, {"mode", "FAST", 7},
		     {"odd", NULL, 9},	  {"other", "OFF", 0}, {"blue", "BLUE", 9}};

	for (size_t i = 0; i < sizeof(enums) / sizeof(enums[0]); i++)
		if (strcmp(name, enums[i].name) == 0)
			return give_enum(out, enums[i].number, enums[i].enumerator);
	if (strcmp(name, "n") == 0)
		return give_integer(out, world.n);
	if (strcmp(name, "q") == 0)
		return give_thing(out, QUEUE, 0x1000);
	if (strcmp(name, "a") == 0)
		return give_thing(out, ARRAY_OF_3, 0x2000);
	if (strcmp(name, "chars") == 0)
		return give_thing(out, CHARS, 0x3000);
	if (strcmp(name, "strange") == 0)
		return give_thing(out, ODD, 0x4000);
	if (strcmp(name, "bad") == 0)
		return give_thing(out, BAD, 0x5000);
	if (strcmp(name, "gone") == 0) {
		error_set(err, ERROR_STATE, "'gone' is optimised out at this line");
		return error_hint(err, "it lives at calc.c:9");
	}
	out->kind = strcmp(name, "yes") == 0   ? PROGRAM_BOOL
		    : strcmp(name, "x") == 0   ? PROGRAM_NUMBER
		    : strcmp(name, "str") == 0 ? PROGRAM_TEXT
					       : PROGRAM_NIL;
	out->integer = out->kind == PROGRAM_BOOL;
	out->number = 2.5;
	if (out->kind == PROGRAM_TEXT)
		str_add_bytes(&out->text, "a\0b", 3);
	if (out->kind != PROGRAM_NIL || strcmp(name, "null") == 0)
		return 0;
	return error_set(err, ERROR_STATE, "no variable '%s' here", name);
}

/* Records a value that a script passed, as text. */
static void tell(const char *what, const struct program_value *v)
{
	static const char *const kinds[] = {"nil",    "bool", "integer", "enum",
					    "number", "text", "thing"};

	str_addf(&world.log, "%s=%s", what, kinds[v->kind]);
	if (v->kind == PROGRAM_BOOL || v->kind == PROGRAM_INTEGER)
		str_addf(&world.log, " %lld", (long long)v->integer);
	else if (v->kind == PROGRAM_NUMBER)
		str_addf(&world.log, " %g", v->number);
	else if (v->kind == PROGRAM_TEXT)
		str_addf(&world.log, " %s", v->text.text);
	else if (v->kind == PROGRAM_THING)
		str_addf(&world.log, " %#llx", (unsigned long long)thing_of(v->object).address);
	str_add(&world.log, "; ");
}

static int variable(void *ctx, const struct arrival *a, unsigned frame, const char *name,
		    struct program_value *out, struct error *err)
{
	assert_ptr_equal(ctx, &world);
	assert_non_null(a);
	if (strcmp(name, "depth") == 0)
		return give_integer(out, frame);
	return named(name, out, err);
}

static int set_variable(void *ctx, const struct arrival *a, unsigned frame, const char *name,
			const struct program_value *from, struct error *err)
{
	(void)ctx;
	assert_non_null(a);
	if (strcmp(name, "constant") == 0)
		return error_set(err, ERROR_STATE, "'constant' cannot be written");
	if (strcmp(name, "n") == 0)
		world.n = from->integer;
	str_addf(&world.log, "%u:", frame);
	tell(name, from);
	return 0;
}

static int argument(void *ctx, const struct arrival *a, unsigned frame, int64_t i,
		    struct program_value *out, struct error *err)
{
	(void)ctx, (void)a;
	if (i < 0 || i > 1)
		return error_set(err, ERROR_SCRIPT, "there is no argument %lld", (long long)i);
	return give_integer(out, 100 + i + 10 * frame);
}

static int result(void *ctx, const struct arrival *a, struct program_value *out, struct error *err)
{
	(void)ctx, (void)a;
	return world.n == 70 ? named("color", out, err) : give_integer(out, -5);
}

static int eval(void *ctx, const struct arrival *a, unsigned frame, const char *text,
		struct program_value *out, struct error *err)
{
	(void)ctx, (void)a;
	if (strcmp(text, "1 +") == 0)
		return error_set(err, ERROR_SCRIPT, "1 +: the expression ends too early");
	str_addf(&world.log, "eval %s in %u; ", text, frame);
	return named(text, out, err);
}

static int call(void *ctx, const struct arrival *a, const char *function,
		const struct program_value *args, size_t count, struct program_value *out,
		struct error *err)
{
	(void)ctx, (void)a, (void)err;
	for (size_t i = 0; i < count; i++)
		tell(function, &args[i]);
	if (strcmp(function, "size") == 0)
		return give_integer(out, (int64_t)count);
	return 0;
}

static int frame(void *ctx, const struct arrival *a, unsigned i, struct program_frame *out,
		 struct error *err)
{
	static const struct program_frame frames[] = {
		{"add", "calc.c", NULL, 7, 0x401000, true, false},
		{"main", "calc.c", NULL, 30, 0x401100, false, false},
		{NULL, NULL, NULL, 0, 0x7000, false, true},
		{"start", NULL, "libc.so.6", 0, 0x7100, false, false},
		{NULL, NULL, NULL, 0, 0x7200, false, false},
	};

	(void)ctx, (void)a;
	if (i < sizeof(frames) / sizeof(frames[0])) {
		*out = frames[i];
		return 1;
	}
	return world.n == 77 ? error_set(err, ERROR_STATE, "the stack is broken") : 0;
}

static int global(void *ctx, const struct arrival *a, const char *name, struct program_value *out,
		  struct error *err)
{
	(void)ctx;
	str_addf(&world.log, "%s for %s; ", name, a ? a->thread->id : "nobody");
	return named(name, out, err);
}

static int set_global(void *ctx, const struct arrival *a, const char *name,
		      const struct program_value *from, struct error *err)
{
	(void)ctx, (void)a, (void)err;
	tell(name, from);
	return 0;
}

static int field(void *ctx, const void *object, const char *name, struct program_value *out,
		 struct error *err)
{
	struct thing t = thing_of(object);

	(void)ctx;
	if (t.what == ODD && strcmp(name, "string") == 0)
		return give_integer(out, 3);
	if (t.what == QUEUE && strcmp(name, "count") == 0)
		return give_integer(out, world.count);
	if (t.what == QUEUE && strcmp(name, "next") == 0)
		return give_thing(out, QUEUE, t.address + 0x100);
	if (t.what == QUEUE && strcmp(name, "none") == 0)
		return 0;
	return error_set(err, ERROR_STATE, "no field '%s' in struct queue", name);
}

static int set_field(void *ctx, const void *object, const char *name,
		     const struct program_value *from, struct error *err)
{
	(void)ctx, (void)object, (void)err;
	tell(name, from);
	return 0;
}

static int element(void *ctx, const void *object, int64_t i, struct program_value *out,
		   struct error *err)
{
	(void)ctx;
	if (thing_of(object).what != ARRAY_OF_3 || i < 0 || i > 2)
		return error_set(err, ERROR_STATE, "no element %lld", (long long)i);
	return give_integer(out, world.array[i]);
}

static int set_element(void *ctx, const void *object, int64_t i, const struct program_value *from,
		       struct error *err)
{
	(void)ctx, (void)object, (void)err;
	world.array[i] = from->integer;
	return 0;
}

static int nth(void *ctx, const void *object, uint64_t i, bool key, struct program_value *out,
	       struct error *err)
{
	if (key)
		return 0;
	return element(ctx, object, (int64_t)i, out, err) < 0 ? -1 : 1;
}

static int length(void *ctx, const void *object, int64_t *out, struct error *err)
{
	(void)ctx;
	*out = 3;
	return thing_of(object).what == ARRAY_OF_3
		       ? 0
		       : error_set(err, ERROR_STATE, "it has no length");
}

static int string(void *ctx, const void *object, struct str *out, struct error *err)
{
	(void)ctx;
	str_add(out, "half");
	if (thing_of(object).what != CHARS)
		return error_set(err, ERROR_STATE, "cannot read memory at 0x5000");
	str_add_bytes(out, "\0way", 4);
	return 0;
}

static int address(void *ctx, const void *object, uint64_t *out, struct error *err)
{
	(void)ctx, (void)err;
	*out = thing_of(object).address;
	return 0;
}

static const char *member(void *ctx, const void *object, size_t i)
{
	static const char *const names[] = {"count", "next", "none"};

	(void)ctx;
	return thing_of(object).what == QUEUE && i < 3 ? names[i] : NULL;
}

static void describe(void *ctx, const void *object, struct str *out)
{
	(void)ctx;
	str_addf(out, "{at %#llx}", (unsigned long long)thing_of(object).address);
}

static bool same(void *ctx, const void *a, const void *b)
{
	(void)ctx;
	return thing_of(a).address == thing_of(b).address;
}

static void asking(void *ctx, const struct arrival *a)
{
	(void)ctx;
	str_addf(&world.log, "%s; ", a->thread->id);
}

static void answered(void *ctx)
{
	(void)ctx;
	str_add(&world.log, "answered; ");
}

static const struct script_program double_of_program = {
	.ctx = &world,
	.variable = variable,
	.set_variable = set_variable,
	.argument = argument,
	.result = result,
	.eval = eval,
	.call = call,
	.frame = frame,
	.global = global,
	.set_global = set_global,
	.field = field,
	.set_field = set_field,
	.element = element,
	.set_element = set_element,
	.nth = nth,
	.length = length,
	.string = string,
	.address = address,
	.member = member,
	.describe = describe,
	.same = same,
	.asking = asking,
	.answered = answered,
};

/* ---- driving ---- */

static inline int forget(void **state)
{
	(void)state;
	str_fini(&world.log);
	world = (struct world){.n = 5, .count = 2, .array = {10, 20, 30}};
	return 0;
}

static inline void begin(struct fixture *f, const char *text)
{
	fixture_init_program(f, &double_of_program);
	fixture_load_ok(f, text);
}

/* One thread arrives at the script's first place; a second thread at its second place, if any. */
static inline void decides(const char *text, const char *expected)
{
	struct fixture f;
	const char *is;
	char all[8192] = "";

	begin(&f, text);
	for (size_t i = 0; i < 2 && engine_place_at(f.engine, i); i++) {
		arrive(&f, thread_new(&f, i ? "b" : "a", 11 + (int)i), i);
		strncat(all, decided(&f), sizeof(all) - strlen(all) - 1);
	}
	is = all;
	if (!str_wildcard(expected, is))
		fail_msg("in: %s\n  is:       %s\n  expected: %s", text, is, expected);
	fixture_fini(&f);
}

#define RUN(body)  "at 'x':run(function(hit) local v = hit.var\n" body "\nend)"
#define WHEN(body) "at 'x':when(function(hit) local v = hit.var\n" body "\nend)"

static inline void holds(const char *text)
{
	decides(text, "release a; ");
}

static inline void faults(const char *text, const char *message)
{
	char expected[512];

	snprintf(expected, sizeof(expected), "*fault %s; ", message);
	decides(text, expected);
}

static inline void logged(const char *text)
{
	if (!str_wildcard(text, str_text(&world.log)))
		fail_msg("is:       %s\n  expected: %s", str_text(&world.log), text);
}

#endif
