/* The file of a schedule: written files are read back, errors are reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tracer/sched/schedule/schedule.h"

static const char sample[] =
	"# gatectl schedule 2\n"
	"# program: ./count 2\n"
	"seed: 1\n"
	"point: count+0x1189\n"
	"point: count+0x1193\n"
	"note: \" a\\nb\"\n"
	"steps: 5\n"
	"\n"
	"1  main      start    -\n"
	"2  main      create   count.c:20 (main, pthread_create)                   writes "
	"object=thread:worker#1"
	" at=count+0x1205 code=count+0x1200\n"
	"3  worker#1  read     count.c:12 (count, -, counter)                      choice preempts"
	" object=count+0x4040 at=count+0x1189 code=count+0x1189 as=5\n"
	"4  main      lock     \"my file.cc:7\" (\"push(int, int)\", \"-\", \"a[\\\"k\\\"]\")  "
	"object=any"
	" at=\"lib (a).so+0xffffffffff\" code=\"lib (a).so+0x2\"\n"
	"5  worker#1  timeout  - (f)                                               "
	"object=stack:main:1 at=libc++.so.1+0x5 code=+0x5\n"
	"-  main      write    count.c:21 (main, -, counter)                       writes "
	"object=count+0x4040"
	" at=count+0x1207\n";

static void test_reads_back_what_was_written(void **state)
{
	struct schedule_head head = {0};
	struct schedule s = {0};
	struct str out = {0};
	ERROR(err);

	(void)state;
	assert_int_equal(schedule_parse(sample, "s", &s, &head, &err), 0);
	schedule_print(&s, &head, &out);
	assert_string_equal(str_text(&out), sample);
	str_fini(&out);

	assert_string_equal(head.program, "./count 2");
	assert_string_equal(schedule_option(&head, "point", 1), "count+0x1193");
	assert_null(schedule_option(&head, "point", 2));
	assert_string_equal(schedule_option(&head, "note", 0), " a\nb");
	assert_int_equal(s.threads.count, 2);
	assert_string_equal(s.threads.items[1], "worker#1");
	assert_int_equal(s.steps.count, 5);
	schedule_fini(&s);
	schedule_head_fini(&head);
}

static void test_fields_that_are_read(void **state)
{
	struct schedule_head head = {0};
	struct schedule s = {0};
	const struct schedule_step *step;
	ERROR(err);

	(void)state;
	assert_int_equal(schedule_parse(sample, "s", &s, &head, &err), 0);
	step = &s.steps.items[2];
	assert_true(step->others && step->preempts && !step->point.writes);
	assert_int_equal(step->thread, 1);
	assert_int_equal(step->point.thread, 5);
	assert_int_equal(step->point.op, STRATEGY_READ);
	assert_true(step->point.object == step->point.fixed);
	assert_true(step->point.fixed == address_of("count", 0x4040));
	assert_true(step->point.place == address_of("count", 0x1189));
	assert_string_equal(schedule_module_at(&s, step->point.place), "count");
	assert_string_equal(step->where.file, "count.c");
	assert_int_equal(step->where.line, 12);
	assert_null(step->where.call);
	assert_string_equal(step->where.var, "counter");
	step = &s.steps.items[3];
	assert_true(step->point.object == STRATEGY_ANY_OBJECT && !step->others);
	assert_string_equal(step->where.file, "my file.cc");
	assert_string_equal(step->where.call, "-");
	assert_string_equal(step->where.var, "a[\"k\"]");
	assert_string_equal(step->where.object, "lib (a).so");
	step = &s.steps.items[4];
	assert_string_equal(step->where.memory, "stack:main:1");
	assert_true(!step->point.fixed && step->point.object != s.steps.items[1].point.object);
	assert_true(step->point.place == address_of("libc++.so.1", 5));
	assert_null(step->where.file);
	assert_null(step->where.object);
	assert_int_equal(step->where.address, 5);
	assert_int_equal(s.pending.count, 1);
	assert_int_equal(s.pending.items[0].thread, 0);
	assert_int_equal(s.pending.items[0].where.line, 21);
	schedule_fini(&s);
	schedule_head_fini(&head);
}

/* A reader numbers threads in the order of the file; the strategy's numbers may differ. */
static void test_out_of_order(void **state)
{
	static const char *const ids[] = {"main", "late", "soon"};
	static const unsigned order[] = {0, 2, 1, 2};
	struct schedule_head none = {0}, head = {0};
	struct schedule written = {0}, s = {0};
	struct str text = {0};
	ERROR(err);

	(void)state;
	for (size_t i = 0; i < 3; i++)
		schedule_thread(&written, ids[i]);
	for (size_t i = 0; i < 4; i++)
		*array_add(&written.steps) = (struct schedule_step){
			.thread = order[i], .point = {.thread = order[i], .op = STRATEGY_LOCK}};
	schedule_print(&written, &none, &text);
	assert_int_equal(schedule_parse(str_text(&text), "s", &s, &head, &err), 0);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(s.steps.items[i].point.thread, order[i]);
		assert_string_equal(s.threads.items[s.steps.items[i].thread], ids[order[i]]);
	}
	str_fini(&text);
	schedule_fini(&written);
	schedule_fini(&s);
	schedule_head_fini(&head);
}

static uint64_t digest_with(uint64_t first, uint64_t second, uint64_t place)
{
	const uint64_t objects[] = {first, second, first};
	struct schedule s = {0};
	uint64_t digest;

	for (size_t i = 0; i < 3; i++)
		*array_add(&s.steps) = (struct schedule_step){
			.point = {.op = STRATEGY_READ, .object = objects[i], .place = place}};
	digest = schedule_digest(&s);
	schedule_fini(&s);
	return digest;
}

/* A digest depends on which steps share memory, not on addresses. */
static void test_digest(void **state)
{
	(void)state;
	assert_true(digest_with(0x7f00, 0x7f40, 5) == digest_with(0x5500, 0x1100, 5));
	assert_true(digest_with(0x7f00, 0x7f40, 5) != digest_with(0x7f00, 0x7f00, 5));
	assert_true(digest_with(0x7f00, 0x7f40, 5) != digest_with(0x7f00, 0x7f40, 6));
}

/* Memory without a description is named by the order of its appearance. */
static void test_unnamed(void **state)
{
	static const uint64_t objects[] = {0x7f00, 0x7f40, 0x7f00};
	struct schedule_head none = {0};
	struct schedule s = {0};
	struct str text = {0};

	(void)state;
	schedule_thread(&s, "main");
	for (size_t i = 0; i < 3; i++)
		*array_add(&s.steps) = (struct schedule_step){
			.point = {.op = STRATEGY_READ, .object = objects[i]}};
	schedule_print(&s, &none, &text);
	assert_string_equal(str_text(&text), "# gatectl schedule 2\nsteps: 3\n\n"
					     "1  main  read     -  object=#1\n"
					     "2  main  read     -  object=#2\n"
					     "3  main  read     -  object=#1\n");
	str_fini(&text);
	schedule_fini(&s);
}

#define HEAD "# gatectl schedule 2\nsteps: 1\n"

static void refused(const char *text, const char *why)
{
	struct schedule_head head = {0};
	struct schedule s = {0};
	ERROR(err);

	assert_int_equal(schedule_parse(text, "x.schedule", &s, &head, &err), -1);
	assert_int_equal(err.code, ERROR_SCRIPT);
	assert_string_equal(error_text(&err), why);
	schedule_fini(&s);
	schedule_head_fini(&head);
}

static void test_refused(void **state)
{
	(void)state;
	refused("", "x.schedule:1: this is not a schedule, whose first line is '# gatectl "
		    "schedule 2'");
	refused(HEAD, "x.schedule:2: the schedule ends after 0 of 1 steps");
	refused(HEAD "1 a read", "x.schedule:3: the place is missing");
	refused(HEAD "1 a eat -", "x.schedule:3: there is no operation 'eat'");
	refused(HEAD "2 a read -", "x.schedule:3: expected step 1, got step 2");
	refused(HEAD "1 a read f.c:x", "x.schedule:3: 'x' is not a number");
	refused(HEAD "1 a read f.c", "x.schedule:3: 'f.c' has no :");
	refused(HEAD "1 a read f.c:1 (g", "x.schedule:3: a ) is missing");
	refused(HEAD "1 a read \"f.c:1", "x.schedule:3: a quote is not closed");
	refused(HEAD "1 a read - often", "x.schedule:3: 'often' is not a known word");
	refused(HEAD "1 a read - on=1", "x.schedule:3: 'on=' is not a known key");
	refused(HEAD "1 a read - as=5000000000", "x.schedule:3: 5000000000 is too large");
	refused(HEAD "1 a read - at=0x5555", "x.schedule:3: '0x5555' has no +");
	refused(HEAD "1 a read - at=+0x5",
		"x.schedule:3: the name of a module is missing before +0x5");
	refused("# gatectl schedule 1\nsteps: 0\n",
		"x.schedule:1: a schedule of format 1, written by an older gatectl: this one reads "
		"format 2; search again with `gatectl explore`");
	refused("# gatectl schedule 2\n1 a read -",
		"x.schedule:2: a step before the line 'steps: N'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_back_what_was_written),
		cmocka_unit_test(test_fields_that_are_read),
		cmocka_unit_test(test_out_of_order),
		cmocka_unit_test(test_digest),
		cmocka_unit_test(test_unnamed),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
