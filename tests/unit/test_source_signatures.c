/* Functions of a type, in shared objects of gcc and clang. */
#include "symbols_program.h"

#include "tracer/source/types/types.h"

static const char source[] =
	"#include <stdbool.h>\n"
	"#include <stddef.h>\n"
	"#include <stdint.h>\n"
	"#include <stdlib.h>\n"
	"struct other { int x; };\n"
	"struct box { long a, b; };\n"
	"enum colour { RED, GREEN = 5 };\n"
	"typedef struct queue queue_t;\n"
	"struct queue { int count; int items[8]; };\n"
	"queue_t *queue_new(unsigned n) { struct queue *q = calloc(1, sizeof(*q)); q->count = "
	"(int)n; return q; }\n"
	"int queue_open(queue_t **out, const char *path) { *out = queue_new(path != 0); return 0; "
	"}\n"
	"void queue_init(struct queue *q) { q->count = 0; }\n"
	"void queue_free(queue_t *q) { free(q); }\n"
	"void queue_free_full(queue_t *q, void (*f)(void *)) { if (f) f(q); }\n"
	"void queue_deinit(queue_t *q) { free(q); }\n" /* merged into queue_free at -O2 */
	"queue_t *queue_clone(int n, const queue_t *q) { return queue_new(n + q->count); }\n"
	"int queue_pop_unlocked(struct queue *q) { return q->items[q->count]; }\n"
	"int queue_push(struct queue *q, int value) { q->items[q->count++] = value; return 0; }\n"
	"int queue_pop(struct queue *q, int *out) { *out = q->items[--q->count]; return 1; }\n"
	"size_t queue_size(const struct queue *q) { return (size_t)q->count; }\n"
	"void *queue_put(struct queue *q, const char *key, void *value, void **old) { *old = q; "
	"return q->count ? value : (void *)key; }\n"
	"enum colour queue_paint(struct queue *q, enum colour c, bool all, double d) { q->count += "
	"all + (int)d; return c; }\n"
	"void queue_each(struct queue *q, void (*visit)(int, void *), void *p) { visit(q->count, "
	"p); }\n"
	"int queue_log(struct queue *q, const char *format, ...) { return q->count + (format != "
	"0); }\n"
	"int queue_box(struct queue *q, struct box b) { return q->count + (int)b.a; }\n"
	"struct box queue_bounds(struct queue *q) { return (struct box){q->count, 0}; }\n"
	"int queue_add_other(struct queue *q, struct other *o) { return q->count + o->x; }\n"
	"int queue_join(struct queue *q, struct queue *r) { return q->count + r->count; }\n"
	"int count_all(int n, struct queue *q) { return n + q->count; }\n"
	"__attribute__((visibility(\"hidden\"))) int queue_hidden(struct queue *q) { return "
	"q->count; }\n"
	"static int queue_own(struct queue *q) { return q->count; }\n"
	"int nothing(struct other *o) { struct queue q = {1, {0}}; return queue_own(&q) + "
	"queue_hidden(&q) + o->x; }\n"
	"struct hidden_one; void opaque_use(struct hidden_one *h) { (void)h; "
	"}\n";

static const struct {
	const char *name;
	enum signature_role role;
	enum signature_class result;
	const char *classes; /* of the parameters: a letter each */
	const char *why;     /* part of the reason */
} expected[] = {
	{"count_all", SIGNATURE_LEFT_OUT, SIGNATURE_INTEGER, "iO", "first parameter"},
	{"queue_add_other", SIGNATURE_LEFT_OUT, SIGNATURE_INTEGER, "Ox",
	 "no value can be guessed: parameter o is a struct other *"},
	{"queue_bounds", SIGNATURE_LEFT_OUT, SIGNATURE_STRUCT, "O",
	 "it returns struct box by value"},
	{"queue_box", SIGNATURE_OPERATION, SIGNATURE_INTEGER, "Os", NULL},
	{"queue_clone", SIGNATURE_LEFT_OUT, SIGNATURE_OBJECT, "iO", "first parameter"},
	{"queue_deinit", SIGNATURE_DESTRUCTOR, SIGNATURE_NOTHING, "O", NULL},
	{"queue_each", SIGNATURE_OPERATION, SIGNATURE_NOTHING, "Oct", NULL},
	{"queue_free", SIGNATURE_DESTRUCTOR, SIGNATURE_NOTHING, "O", NULL},
	{"queue_free_full", SIGNATURE_DESTRUCTOR, SIGNATURE_NOTHING, "Oc", NULL},
	{"queue_init", SIGNATURE_INITIALISER, SIGNATURE_NOTHING, "O", NULL},
	{"queue_join", SIGNATURE_OPERATION, SIGNATURE_INTEGER, "OO", NULL},
	{"queue_log", SIGNATURE_LEFT_OUT, SIGNATURE_INTEGER, "Oz", "variadic"},
	{"queue_new", SIGNATURE_CONSTRUCTOR, SIGNATURE_OBJECT, "i", NULL},
	{"queue_open", SIGNATURE_CONSTRUCTOR, SIGNATURE_INTEGER, "Nz", NULL},
	{"queue_paint", SIGNATURE_OPERATION, SIGNATURE_ENUM, "Oebf", NULL},
	{"queue_pop", SIGNATURE_OPERATION, SIGNATURE_INTEGER, "OI", NULL},
	{"queue_pop_unlocked", SIGNATURE_OPERATION, SIGNATURE_INTEGER, "O", "a lock"},
	{"queue_push", SIGNATURE_OPERATION, SIGNATURE_INTEGER, "Oi", NULL},
	{"queue_put", SIGNATURE_OPERATION, SIGNATURE_TOKEN, "OztT", NULL},
	{"queue_size", SIGNATURE_OPERATION, SIGNATURE_INTEGER, "O", NULL},
};
enum { EXPECTED = sizeof(expected) / sizeof(*expected) };

static const char letters[] = {
	[SIGNATURE_NOTHING] = 'v',  [SIGNATURE_OBJECT] = 'O',	   [SIGNATURE_OBJECT_OUT] = 'N',
	[SIGNATURE_INTEGER] = 'i',  [SIGNATURE_BOOL] = 'b',	   [SIGNATURE_ENUM] = 'e',
	[SIGNATURE_FLOAT] = 'f',    [SIGNATURE_STRING] = 'z',	   [SIGNATURE_TOKEN] = 't',
	[SIGNATURE_CALLBACK] = 'c', [SIGNATURE_OUT_INTEGER] = 'I', [SIGNATURE_OUT_TOKEN] = 'T',
	[SIGNATURE_OTHER] = 'x',    [SIGNATURE_STRUCT] = 's',	   [SIGNATURE_ARRAY] = 'a',
	[SIGNATURE_LENGTH] = 'l',   [SIGNATURE_STRUCT_IN] = 'S',
};

static void check(const struct signature *s, size_t i)
{
	char classes[16] = "";

	for (size_t p = 0; p < s->parameters.count; p++)
		classes[p] = letters[s->parameters.items[p].class];
	assert_string_equal(s->name, expected[i].name);
	assert_string_equal(classes, expected[i].classes);
	assert_int_equal(s->role, expected[i].role);
	assert_int_equal(s->result.class, expected[i].result);
	assert_non_null(s->file);
	assert_true(s->line > 0);
	if (!expected[i].why)
		assert_null(s->why);
	else if (!s->why || !strstr(s->why, expected[i].why))
		fail_msg("%s: %s", s->name, s->why ? s->why : "no reason");
}

static void check_all(struct program *p, const char *type)
{
	struct signatures s;
	ERROR(err);

	if (signatures_read(p->modules[0], type, &s, &err) < 0)
		fail_msg("%s", error_text(&err));
	assert_int_equal(s.items.count, EXPECTED);
	assert_int_equal(s.size, 36);
	for (size_t i = 0; i < EXPECTED; i++)
		check(&s.items.items[i], i);
	assert_string_equal(signatures_find(&s, "queue_push")->parameters.items[1].name, "value");
	signatures_fini(&s);
}

static void functions_of_a_type(void **state)
{
	static const char *const builds[] = {
		"gcc -g -shared -fPIC -O0",	     "gcc -g -shared -fPIC -O2",
		"gcc -gdwarf-4 -shared -fPIC -O2",   "clang -g -shared -fPIC -O2",
		"clang -gdwarf-4 -shared -fPIC -O1", "gcc -g -shared -fPIC -O2 -flto",
	};
	struct program p;

	(void)state;
	program_init(&p);
	program_write(&p, "a.c", source);
	for (size_t i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
		char command[160];

		snprintf(command, sizeof(command), "%s -w -o prog a.c", builds[i]);
		print_message("%s\n", command);
		program_build(&p, command);
		check_all(&p, "struct queue");
		check_all(&p, "queue_t");
	}
	program_fini(&p);
}

static void assert_refused(struct program *p, const char *type, const char *text)
{
	struct signatures s;
	ERROR(err);

	assert_int_equal(signatures_read(p->modules[0], type, &s, &err), -1);
	if (!strstr(error_text(&err), text))
		fail_msg("%s", error_text(&err));
}

static void signatures_that_cannot_be_read(void **state)
{
	struct signatures s;
	struct program p;
	ERROR(err);

	(void)state;
	program_init(&p);
	program_write(&p, "a.c", source);
	program_build(&p, "gcc -g -w -shared -fPIC -o prog a.c");
	assert_refused(&p, "struct qeue", "did you mean queue");
	assert_refused(&p, "colour", "no function that can be called");
	assert_int_equal(signatures_read(p.modules[0], "hidden_one", &s, &err), 0);
	assert_int_equal(s.size, 0);
	signatures_fini(&s);
	program_build(&p, "gcc -w -shared -fPIC -o prog a.c");
	assert_refused(&p, "queue", "no debug information");
	program_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_a_type),
		cmocka_unit_test(signatures_that_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
