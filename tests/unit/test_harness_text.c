/* Harnesses without a process: schemas, enumeration, outcomes, and the generated C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tracer/harness/model/model.h"

/* ---- an object: push(int), pop(int *), size() ------------------------------------------------ */

static struct harness_op *add_op(struct harness_object *o, const char *function, const char *name,
				 const char *result, enum harness_shown shown)
{
	struct harness_op *op = array_add(&o->ops);

	op->function = base_strdup(function);
	op->name = base_strdup(name);
	op->result = base_strdup(result);
	op->shown = shown;
	return op;
}

static void add_value(struct harness_op *op, const char *type, const char *const *values,
		      bool renames)
{
	struct harness_argument *a = array_add(&op->arguments);

	a->type = base_strdup(type);
	a->renames = renames;
	for (; *values; values++)
		*array_add(&a->values) = base_strdup(*values);
}

static void make_queue(struct harness_object *o)
{
	static const char *const numbers[] = {"1", "2", "0", NULL};
	struct harness_argument *out;
	struct harness_op *pop;

	*o = (struct harness_object){.type = base_strdup("struct queue"),
				     .declared = base_strdup("struct queue;"),
				     .make = base_strdup("object = queue_new();"),
				     .end = base_strdup("queue_free")};
	*array_add(&o->prototypes) = base_strdup("struct queue *queue_new(void);");
	*array_add(&o->prototypes) = base_strdup("void queue_free(struct queue *);");
	add_value(add_op(o, "queue_push", "push", "int", HARNESS_SIGNED), "int", numbers, true);
	pop = add_op(o, "queue_pop", "pop", "int", HARNESS_SIGNED);
	out = array_add(&pop->arguments);
	*out = (struct harness_argument){.kind = HARNESS_OUT,
					 .type = base_strdup("int *"),
					 .of = base_strdup("int"),
					 .shown = HARNESS_SIGNED};
	add_op(o, "queue_size", "size", "unsigned long", HARNESS_UNSIGNED)->reads = true;
	harness_calls(o);
}

/* ---- schemas --------------------------------------------------------------------------------- */

static void assert_parses(struct harness_object *o, const char *text, const char *printed)
{
	struct schema s;
	struct str out = {0};
	ERROR(err);

	if (schema_parse(o, text, &s, &err) < 0)
		fail_msg("%s: %s", text, error_text(&err));
	schema_print(o, &s, &out);
	assert_string_equal(str_text(&out), printed);
	str_fini(&out);
}

static void assert_refused(struct harness_object *o, const char *text, const char *part)
{
	struct schema s;
	ERROR(err);

	assert_int_equal(schema_parse(o, text, &s, &err), -1);
	if (!strstr(error_text(&err), part))
		fail_msg("%s: %s", text, error_text(&err));
}

static void schemas(void **state)
{
	struct harness_object o;

	(void)state;
	make_queue(&o);
	assert_int_equal(o.calls.count, 5);
	assert_parses(&o, "{push(1);pop()}||{size()}", "{ push(1); pop() } || { size() }");
	assert_parses(&o, " { queue_push( 7 ); } || { pop() } || { pop() }",
		      "{ push(7) } || { pop() } || { pop() }");
	assert_int_equal(o.calls.count, 6);
	assert_parses(&o, "{ push(7) } || { push(7) }", "{ push(7) } || { push(7) }");
	assert_int_equal(o.calls.count, 6);
	assert_parses(&o, "{ push('\t') } || { push(7) }", "{ push('\\t') } || { push(7) }");
	assert_refused(&o, "{ push(1) }", "there is only one thread");
	assert_refused(&o, "{ push(1) } || { }", "at least one call");
	assert_refused(&o, "{ push(1) } { pop() }", "between two threads");
	assert_refused(&o, "{ push(1) pop() } || { pop() }", "between two calls");
	assert_refused(&o, "{ push() } || { pop() }", "push takes 1 value");
	assert_refused(&o, "{ push(1, 2) } || { pop() }", "push takes 1 value");
	assert_refused(&o, "{ put(1) } || { pop() }", "no operation 'put'");
	assert_refused(&o,
		       "{ pop(); pop(); pop(); pop(); pop(); pop() } || { pop(); pop(); pop(); "
		       "pop(); pop(); pop() } || { pop(); pop(); pop(); pop(); pop() }",
		       "more than 16 calls");
	assert_refused(&o, "push(1) || pop()", "a thread has to begin with {");
	assert_refused(&o, "", "a thread has to begin with {");
	harness_object_fini(&o);
}

static void contained(void **state)
{
	struct harness_object o;
	struct schema small, whole, other;
	ERROR(err);

	(void)state;
	make_queue(&o);
	schema_parse(&o, "{ push(1) } || { size() }", &small, &err);
	schema_parse(&o, "{ size(); pop() } || { pop(); push(2) }", &whole, &err);
	schema_parse(&o, "{ size(); push(1) } || { pop() }", &other, &err);
	assert_true(schema_contains(&o, &whole, &small));
	assert_true(schema_contains(&o, &small, &small));
	assert_false(schema_contains(&o, &other, &small));
	assert_false(schema_contains(&o, &small, &whole));
	harness_object_fini(&o);
}

/* ---- enumeration ----------------------------------------------------------------------------- */

static unsigned enumerate(const struct harness_object *o, unsigned threads, unsigned size,
			  struct str *out)
{
	struct enumeration e;
	struct schema s;
	unsigned count = 0;

	enumerate_begin(&e, o, threads, size, ENUMERATE_ALL);
	while (enumerate_next(&e, &s)) {
		assert_int_equal(schema_size(&s), size);
		schema_print(o, &s, out);
		str_add(out, "\n");
		count++;
	}
	enumerate_fini(&e);
	return count;
}

static unsigned count_lines(const struct str *s, const char *line)
{
	unsigned count = 0;

	for (const char *at = strstr(str_text(s), line); at; at = strstr(at + 1, line))
		count++;
	return count;
}

static void enumerated(void **state)
{
	struct harness_object o;
	struct str two = {0}, three = {0}, four = {0};

	(void)state;
	make_queue(&o);
	/* push-push (equal or different values), push-pop, push-size, pop-pop, pop-size */
	assert_int_equal(enumerate(&o, 2, 2, &two), 6);
	assert_string_equal(str_text(&two), "{ push(1) } || { push(1) }\n"
					    "{ push(1) } || { push(2) }\n"
					    "{ push(1) } || { pop() }\n"
					    "{ push(1) } || { size() }\n"
					    "{ pop() } || { pop() }\n"
					    "{ pop() } || { size() }\n");
	enumerate(&o, 2, 3, &three);
	assert_int_equal(count_lines(&three, "{ push(1); push(2) } || { pop() }\n"), 1);
	assert_int_equal(count_lines(&three, "\n{ push(2)"), 0);
	assert_int_equal(count_lines(&three, "{ size(); size() } || { size() }"), 0);
	/* Thread and value symmetry: each pair of two-call threads occurs once. */
	enumerate(&o, 2, 4, &four);
	assert_int_equal(count_lines(&four, "{ push(1); pop() } || { pop(); size() }\n"), 1);
	assert_int_equal(count_lines(&four, "{ pop(); size() } || { push(1); pop() }\n"), 0);
	assert_int_equal(enumerate(&o, 2, 1, &two), 0);
	str_fini(&two);
	str_fini(&three);
	str_fini(&four);
	harness_object_fini(&o);
}

/* ---- outcomes -------------------------------------------------------------------------------- */

static void outcomes(void **state)
{
	struct outcomes o = {0};
	struct str text = {0};
	const struct harness_outcome *near;

	(void)state;
	outcomes_add(&o, "push(1)=0 pop()=1 | size()=0", "size() push(1) pop()");
	outcomes_add(&o, "push(1)=0 pop()=1 | size()=1", "push(1) size() pop()")->times = 3;
	outcomes_add(&o, "push(1)=0 pop()=1 | size()=1", "other");
	outcomes_add(&o, "push(1)=0 pop()=0 | size()=-1", NULL)->times++;
	assert_int_equal(o.count, 3);
	outcomes_print(&o, &text);
	assert_string_equal(str_text(&text),
			    "outcome\ttimes\tatomic\texplained by\n"
			    "push(1)=0 pop()=1 | size()=0\t0\tyes\tsize() push(1) pop()\n"
			    "push(1)=0 pop()=1 | size()=1\t3\tyes\tpush(1) size() pop()\n"
			    "push(1)=0 pop()=0 | size()=-1\t1\tNO\t-\n");
	str_clear(&text);
	near = outcomes_nearest(&o, "push(1)=0 pop()=1 | size()=-1", &text);
	assert_string_equal(near->text, "push(1)=0 pop()=1 | size()=0");
	assert_string_equal(str_text(&text), "size() gave -1, not 0\n");
	str_fini(&text);
	outcomes_fini(&o);
}

static bool allows_size(void *ctx, const char *call, const char *given, const char *const *atomic,
			size_t count)
{
	++*(unsigned *)ctx;
	assert_string_equal(call, "size()");
	assert_string_equal(given, "7");
	assert_int_equal(count, 2);
	assert_string_equal(atomic[0], "0");
	assert_string_equal(atomic[1], "1");
	return true;
}

static bool allows_nothing(void *ctx, const char *call, const char *given,
			   const char *const *atomic, size_t count)
{
	(void)ctx, (void)call, (void)given, (void)atomic, (void)count;
	return false;
}

static void weakened(void **state)
{
	unsigned asked = 0;
	const struct outcome_contract size = {&asked, allows_size}, none = {NULL, allows_nothing};
	struct outcomes o = {0};

	(void)state;
	outcomes_add(&o, "push(1)=0 | size()=0 ; size()=1", "size() push(1)");
	outcomes_add(&o, "push(1)=0 | size()=1 ; size()=1", "push(1) size()");
	outcomes_add(&o, "push(1)=0 | size()=2 ; size()=1", NULL);
	assert_ptr_equal(outcomes_allow(&o, "push(1)=0 | size()=7 ; size()=1", &size), o.items);
	assert_int_equal(asked, 1);
	assert_null(outcomes_allow(&o, "push(1)=0 | size()=7 ; size()=7", &none));
	assert_null(outcomes_allow(&o, "push(1)=0 | size()=7 ; size()=7", &size)); /* at the end */
	assert_null(outcomes_allow(&o, "push(1)=0", &size));
	outcomes_fini(&o);
}

/* ---- C --------------------------------------------------------------------------------------- */

static const char queue[] =
	"#include <stdlib.h>\n"
	"struct queue { int items[8], head, tail; };\n"
	"struct queue *queue_new(void) { return calloc(1, sizeof(struct queue)); }\n"
	"void queue_free(struct queue *q) { free(q); }\n"
	"int queue_push(struct queue *q, int v) { q->items[q->tail++] = v; return 0; }\n"
	"int queue_pop(struct queue *q, int *v) { *v = q->items[q->head++]; return 1; }\n"
	"unsigned long queue_size(struct queue *q) { return q->tail - q->head; }\n";

static void put(const char *dir, const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static int shell(const char *dir, const char *command, struct str *out)
{
	char line[512], bytes[512];
	size_t n;
	FILE *f;

	snprintf(line, sizeof(line), "cd %s && %s 2>&1", dir, command);
	f = popen(line, "r");
	assert_non_null(f);
	str_clear(out);
	while ((n = fread(bytes, 1, sizeof(bytes), f)) > 0)
		str_add_bytes(out, bytes, n);
	return pclose(f);
}

static void assert_says(const char *dir, const char *command, int status, const char *said)
{
	struct str out = {0};
	int got = shell(dir, command, &out);

	if (got != status << 8 || strcmp(str_text(&out), said) != 0)
		fail_msg("%s: status %d, said: %s", command, got >> 8, str_text(&out));
	str_fini(&out);
}

static void written(void **state)
{
	static const char *const compilers[] = {"gcc", "clang"};
	char dir[] = "/tmp/gatectl-harness-unit-XXXXXX", command[128];
	struct harness_object o;
	struct outcomes atomic = {0};
	struct str program = {0}, test = {0};
	struct schema s;
	unsigned final;
	ERROR(err);

	(void)state;
	make_queue(&o);
	assert_non_null(mkdtemp(dir));
	assert_int_equal(schema_parse(&o, "{ push(1); pop() } || { size() }", &s, &err), 0);
	assert_int_equal(harness_call_named(&o, "size()", 6, &final, &err), 0);
	outcomes_add(&atomic, "push(1)=0 pop()=1,1 | size()=0 ; size()=0", "push(1) pop() size()");
	outcomes_add(&atomic, "push(1)=0 pop()=1,1 | size()=1 ; size()=0", "push(1) size() pop()");
	write_program(&o, &program);
	write_test(&(struct write_test){&o, &s, &final, 1, &atomic, "cc"}, &test);
	put(dir, "queue.c", queue);
	put(dir, "program.c", str_text(&program));
	put(dir, "test.c", str_text(&test));
	for (int i = 0; i < 2; i++) {
		snprintf(command, sizeof(command),
			 "%s -c -w queue.c && %s -Wall -Wextra -Werror -pthread -o test test.c "
			 "queue.o",
			 compilers[i], compilers[i]);
		assert_says(dir, command, 0, "");
		assert_says(dir, "./test | cut -c1-20", 0, "push(1)=0 pop()=1,1 \n");
		snprintf(command, sizeof(command),
			 "%s -Wall -Wextra -pthread -o program program.c queue.o", compilers[i]);
		assert_says(dir, command, 0, "");
		/* 0 push(1), 3 pop(), 4 size() */
		assert_says(dir, "echo 0 4 3 | ./program orders | cut -f 1,2,4-", 0,
			    "ok 0\t3\tpush(1)=0\tsize()=1\tpop()=1,1\n");
		assert_says(dir, "./program run 4 '0 3' '' = 1; true", 0,
			    "push(1)=0 pop()=1,1 ; size()=0\n");
		snprintf(command, sizeof(command), "./program run '' 0 = 1 %llx",
			 (unsigned long long)outcome_sum("push(1)=0"));
		assert_says(dir, command, 0, "push(1)=0\n");
		assert_says(dir, "./program run '' 0 = 1 2", 1, "push(1)=0\n");
	}
	assert_says(dir, "grep -c '' test.c | awk '{ print $1 <= 140 }'", 0, "1\n");
	/* The largest number of calls: six, and three after them. */
	assert_int_equal(schema_parse(&o, "{ push(1); pop(); size() } || { pop(); push(2); pop() }",
				      &s, &err),
			 0);
	str_clear(&test);
	write_test(
		&(struct write_test){&o, &s, (unsigned[]){final, final, final}, 3, &atomic, "cc"},
		&test);
	put(dir, "test.c", str_text(&test));
	assert_says(dir, "cc -c -Wall -Wextra -Werror test.c", 0, "");
	assert_says(dir, "grep -c '' test.c | awk '{ print $1 <= 140 }'", 0, "1\n");
	assert_says(dir, "rm -r \"$PWD\"", 0, "");
	str_fini(&program);
	str_fini(&test);
	outcomes_fini(&atomic);
	harness_object_fini(&o);
}

/* The out-parameter of a call that returns false is undefined: no part of the outcome. */
static void said_false(void **state)
{
	char dir[] = "/tmp/gatectl-harness-unit-XXXXXX";
	struct harness_object o;
	struct outcomes atomic = {0};
	struct str program = {0}, test = {0};
	struct harness_argument *out;
	struct harness_op *take;
	struct schema s;
	ERROR(err);

	(void)state;
	make_queue(&o);
	take = add_op(&o, "queue_take", "take", "_Bool", HARNESS_BOOL);
	out = array_add(&take->arguments);
	*out = (struct harness_argument){.kind = HARNESS_OUT,
					 .type = base_strdup("int *"),
					 .of = base_strdup("int"),
					 .shown = HARNESS_SIGNED};
	harness_calls(&o);
	assert_non_null(mkdtemp(dir));
	assert_int_equal(schema_parse(&o, "{ take() } || { take() }", &s, &err), 0);
	outcomes_add(&atomic, "take()=0,0 | take()=0,0", "take() take()");
	write_program(&o, &program);
	write_test(&(struct write_test){&o, &s, NULL, 0, &atomic, "cc"}, &test);
	put(dir, "queue.c", queue);
	put(dir, "take.c", "_Bool queue_take(void *q, int *v) { *v = q != 0; return 0; }\n");
	put(dir, "program.c", str_text(&program));
	put(dir, "test.c", str_text(&test));
	assert_says(dir, "gcc -w -pthread -o program program.c queue.c take.c", 0, "");
	assert_says(dir, "gcc -w -pthread -o test test.c queue.c take.c", 0, "");
	assert_says(dir, "echo 5 | ./program orders | cut -f 1,2,4-", 0, "ok 0\t1\ttake()=0,0\n");
	assert_says(dir, "./test", 0, "take()=0,0 | take()=0,0\n");
	assert_says(dir, "rm -r \"$PWD\"", 0, "");
	str_fini(&program);
	str_fini(&test);
	outcomes_fini(&atomic);
	harness_object_fini(&o);
}

static const char say[] =
	"#include <string.h>\n"
	"const char *queue_say(void *q, int n)\n"
	"{\n"
	"	static __thread char text[2000]; /* it is gone with the thread */\n"
	"	const char *texts[] = {\"a\\nb\\t|\\\"\\\\\", \"100% caf\\351\\1\", 0, text};\n\n"
	"	memset(text, 'x', n == 3 ? 1000 : 1001);\n"
	"	return q ? texts[n < 3 ? n : 3] : 0;\n"
	"}\n";

/* Adds the calls of both threads, with the outcome. */
static void add_said(const char *const *values, struct str *out)
{
	static const char *const said[] = {"\"a\\nb\\t|\\\"\\\\\"", "\"100% caf\\xe9\\x01\"",
					   "NULL"};

	for (int n = 0; n < 5; n++) {
		str_addf(out, "%ssay(%s)=", n == 3 ? " | " : n ? " " : "", values[n]);
		if (n < 3)
			str_add(out, said[n]);
		for (int i = 0; n >= 3 && i < 1000; i++)
			str_add(out, i ? "x" : "\"x");
		if (n >= 3)
			str_add(out, n == 3 ? "\"" : "\"...");
	}
}

/* A returned string is written alike everywhere, on one line, and read before its thread ends. */
static void texts(void **state)
{
	static const char *const values[] = {"0", "1", "2", "3", "4", NULL};
	char dir[] = "/tmp/gatectl-harness-unit-XXXXXX", command[128];
	struct harness_object o;
	struct outcomes atomic = {0};
	struct str program = {0}, test = {0}, outcome = {0};
	struct schema s;
	ERROR(err);

	(void)state;
	make_queue(&o);
	add_value(add_op(&o, "queue_say", "say", "const char *", HARNESS_STRING), "int", values,
		  false);
	harness_calls(&o);
	assert_non_null(mkdtemp(dir));
	assert_int_equal(
		schema_parse(&o, "{ say(0); say(1); say(2) } || { say(3); say(4) }", &s, &err), 0);
	add_said(values, &outcome);
	outcomes_add(&atomic, str_text(&outcome), "say()");
	write_program(&o, &program);
	write_test(&(struct write_test){&o, &s, NULL, 0, &atomic, "cc"}, &test);
	put(dir, "queue.c", queue);
	put(dir, "say.c", say);
	put(dir, "program.c", str_text(&program));
	put(dir, "test.c", str_text(&test));
	assert_says(dir, "gcc -Wall -Wextra -w -c queue.c say.c", 0, "");
	assert_says(dir, "gcc -Wall -Wextra -pthread -o program program.c queue.o say.o", 0, "");
	assert_says(dir, "gcc -Wall -Wextra -pthread -o test test.c queue.o say.o", 0, "");
	assert_says(dir, "clang -Wall -Wextra -c program.c test.c", 0, "");
	snprintf(command, sizeof(command), "./program run '' '5 6 7' '8 9' = %llx",
		 (unsigned long long)outcome_sum(str_text(&outcome)));
	str_add(&outcome, "\n");
	assert_says(dir, command, 0, str_text(&outcome));
	assert_says(dir, "./test", 0, str_text(&outcome));
	assert_says(dir, "echo 5 7 6 | ./program orders | cut -f 1,2,4-", 0,
		    "ok 0\t3\tsay(0)=\"a\\nb\\t|\\\"\\\\\"\tsay(2)=NULL\tsay(1)=\"100% "
		    "caf\\xe9\\x01\"\n");
	assert_says(dir, "echo 9 | ./program orders | cut -f 1,2,4- | wc -c", 0, "1020\n");
	/* The largest number of strings, and three after them. */
	assert_int_equal(schema_parse(&o, "{ say(0); pop(); say(2) } || { say(3); say(4); pop() }",
				      &s, &err),
			 0);
	str_clear(&test);
	write_test(&(struct write_test){&o, &s, (unsigned[]){5, 6, 7}, 3, &atomic, "cc"}, &test);
	put(dir, "test.c", str_text(&test));
	assert_says(dir, "gcc -c -Wall -Wextra -Werror test.c", 0, "");
	assert_says(dir, "clang -c -Wall -Wextra -Werror test.c", 0, "");
	assert_says(dir, "grep -c '' test.c | awk '{ print $1 <= 140 }'", 0, "1\n");
	assert_says(dir, "rm -r \"$PWD\"", 0, "");
	str_fini(&program);
	str_fini(&test);
	str_fini(&outcome);
	outcomes_fini(&atomic);
	harness_object_fini(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(schemas),    cmocka_unit_test(contained),
		cmocka_unit_test(enumerated), cmocka_unit_test(outcomes),
		cmocka_unit_test(weakened),   cmocka_unit_test(written),
		cmocka_unit_test(said_false), cmocka_unit_test(texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
