/* Expressions: strings, lvalues, and all rejections. */
#include "symbols_eval.h"

static const char *refusal_of(struct place *p, const char *expression)
{
	static struct error err;
	struct inspect_value v;

	error_fini(&err);
	if (inspect_eval(&p->call, expression, &v, &err) == 0)
		fail_msg("%s: has a value", expression);
	if (err.code != ERROR_STATE)
		fail_msg("%s: code %d: %s", expression, err.code, err.text);
	return err.text;
}

/* ---- more than C ---------------------------------------------------------------------------- */

static void texts(void **state)
{
	struct place *p = *state;

	take_place(p, "texts");
	assert_int_equal(number_of(p, "text == \"hello\""), 1);
	assert_int_equal(number_of(p, "text == \"hell\""), 0);
	assert_int_equal(number_of(p, "\"hello\" != text"), 0);
	assert_int_equal(number_of(p, "letters == \"letters\""), 1);
	assert_int_equal(number_of(p, "letters < \"lettuce\""), 1);
	assert_int_equal(number_of(p, "eval_queue.tail->name == \"sec\" \"ond\""), 1);
	assert_int_equal(number_of(p, "(char *)null == \"\""), 0);
	assert_int_equal(number_of(p, "(char *)null != \"\""), 1);
	assert_int_equal(number_of(p, "\"abc\"[1]"), 'b');
	assert_int_equal(number_of(p, "text == NULL || text[0] == 'h'"), 1);
	assert_int_equal(number_of(p, "null == nullptr"), 1);
	assert_int_equal(number_of(p, "static_cast<unsigned char>(i)"), 249);
	assert_int_equal(number_of(p, "unsigned(small) == 4294967291"), 1);
}

/* lvalues of C can be written. */
static void places(void **state)
{
	struct place *p = *state;
	struct inspect_value v;

	take_place(p, "places");
	v = value_of(p, "(eval_queue.head->value)");
	assert_int_equal(v.place, INSPECT_IN_MEMORY);
	assert_int_equal(v.address, (uint64_t)&first.value);
	v = value_of(p, "*&numbers[3]");
	assert_int_equal(v.address, (uint64_t)&numbers[3]);
	v = value_of(p, "numbers[0] + 0");
	assert_int_equal(v.place, INSPECT_IN_BYTES);
}

static const struct {
	const char *expression, *says;
} refusals[] = {
	{"", "column 1: a value is expected, but the expression ends"},
	{"i +", "column 4: a value is expected, but the expression ends"},
	{"i + * ", "column 7: a value is expected"},
	{"(i", "column 3: ')' is expected"},
	{"i j", "column 3: an operator or the end is expected, not 'j'"},
	{"numbers[1", "']' is expected"},
	{"i = 3", "an expression cannot change anything"},
	{"i += 3", "column 3: an expression cannot change anything"},
	{"i++", "no ++ and --"},
	{"--i", "no ++ and --"},
	{"compare(1, 2)", "an expression cannot call functions"},
	{"eval_queue.compare(1, 2)", "an expression cannot call functions"},
	{"eval_queue.head.size()", "an expression cannot call size()"},
	{"i @ 3", "column 3: '@' has no meaning"},
	{"'a", "the closing ' is missing"},
	{"\"abc", "column 1: the closing \" is missing"},
	{"\"\\q\"", "an escape that C does not have"},
	{"09", "'09' is not a number"},
	{"0x", "digits are missing"},
	{"1.5.2", "is not a number"},
	{"12ab", "is not a number"},
	{"99999999999999999999", "more than 64 bits"},
	{"1 / zero", "column 3: division by zero"},
	{"1 % zero", "column 3: division by zero"},
	{"1.0 / 0.0", "division by zero"},
	{"1 << 32", "a shift of a number of 32 bits by 32"},
	{"1 << i", "by -7"},
	{"~d", "double"},
	{"d % 2", "double has no such operator"},
	{"-text", "is a pointer, not a number"},
	{"text * 2", "is a pointer"},
	{"text + text", "is a pointer"},
	{"first + 1", "struct node is neither a number nor a pointer"},
	{"eval_queue.hed", "hit:eval \"eval_queue.hed\": "},
	{"eval_queue.hed", "did you mean head"},
	{"eval_quue", "eval_quue"},
	{"i.x", "hit:eval \"i.x\""},
	{"*i", "hit:eval \"*i\""},
	{"*null", "hit:eval"},
	{"numbers[4]", "hit:eval"},
	{"eval_queue.tail->next->value + 0", "hit:eval"},
	{"&3", "it has no address"},
	{"&first.flag", "a bit-field has no address"},
	{"sizeof first.flag", "sizeof of a bit-field"},
	{"(struct nothing *)text", "no type 'struct nothing' is known"},
	{"(nothing *)text", "no type 'nothing' is known"},
	{"(struct node)i", "cast"},
	{"(char)1e10", "does not hold a number of that size"},
	{"new int", "cannot create objects"},
	{"int", "'(' is expected"},
};

static void errors(void **state)
{
	struct place *p = *state;

	take_place(p, "errors");
	for (size_t k = 0; k < sizeof(refusals) / sizeof(*refusals); k++) {
		const char *said = refusal_of(p, refusals[k].expression);

		if (!strstr(said, refusals[k].says) || strncmp(said, "hit:eval \"", 10) != 0)
			fail_msg("%s: '%s' does not say '%s'", refusals[k].expression, said,
				 refusals[k].says);
	}
}

/* Any text gives a value or an error. */
static void nonsense(void **state)
{
	static const char *const pieces[] = {
		"(",
		")",
		"[",
		"]",
		"*",
		"&",
		"-",
		"+",
		"!",
		"~",
		"<<",
		">>",
		"->",
		".",
		"?",
		":",
		",",
		"sizeof",
		"int",
		"struct",
		"i",
		"u",
		"d",
		"first",
		"text",
		"numbers",
		"eval_queue",
		"head",
		"value",
		"1",
		"0x",
		"1.5e",
		"'a'",
		"\"s\"",
		"::",
		"<",
		">",
		"==",
		"&&",
		"||",
		"'",
		"\"",
		"%",
		"/",
		"(int)",
		"(char *)",
		"static_cast<int>",
		"STATE_BUSY",
	};
	struct place *p = *state;
	uint64_t random = 12345;
	size_t values = 0;

	take_place(p, "nonsense");
	for (int round = 0; round < 3000; round++) {
		struct str s = {0};
		struct inspect_value v;
		ERROR(err);

		for (int k = 0; k < 1 + round % 7; k++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			str_add(&s, pieces[(random >> 33) % (sizeof(pieces) / sizeof(*pieces))]);
			str_add(&s, random >> 63 ? " " : "");
		}
		values += inspect_eval(&p->call, str_text(&s), &v, &err) == 0;
		str_fini(&s);
	}
	assert_true(values > 50);
}

static void deep(void **state)
{
	static const char *const units[] = {"(",  "-",	     "*",     "!",  "1+", "i[",
					    "i?", "sizeof ", "(int)", "1,", "i&&"};
	struct place *p = *state;
	char *long_text = base_alloc(40000, 1);

	take_place(p, "deep");
	for (size_t k = 0; k < sizeof(units) / sizeof(*units); k++) {
		struct str s = {0};

		for (int n = 0; n < 2000; n++)
			str_add(&s, units[k]);
		str_add(&s, "i");
		refusal_of(p, str_text(&s));
		str_fini(&s);
	}
	memset(long_text, '1', 39999);
	refusal_of(p, long_text);
	base_free(long_text);
	assert_int_equal(number_of(p, "((((((((((((((((((((7))))))))))))))))))))"), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),    cmocka_unit_test(places), cmocka_unit_test(errors),
		cmocka_unit_test(nonsense), cmocka_unit_test(deep),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
