/* XML and JSON text from arbitrary bytes. */
#include "tracer/base/array.h"
#include "tracer/base/text/json.h"
#include "tracer/base/text/utf8.h"
#include "tracer/base/text/xml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct sample {
	const char *in, *text, *attribute;
};

static const struct sample samples[] = {
	{"", "", " a=\"\""},
	{"plain", "plain", " a=\"plain\""},
	{"<a b=\"c\">&", "&lt;a b=&quot;c&quot;&gt;&amp;", " a=\"&lt;a b=&quot;c&quot;&gt;&amp;\""},
	{"x]]>y", "x]]&gt;y", " a=\"x]]&gt;y\""},
	{"1\t2\n3\r4", "1\t2\n3&#13;4", " a=\"1&#9;2&#10;3&#13;4\""},
	{"\x01\x1b[0m\x7f", "\\x01\\x1b[0m\\x7f", " a=\"\\x01\\x1b[0m\\x7f\""},
	{"\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80",
	 " a=\"\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80\""},
	{"\xff\xc3(\xed\xa0\x80", "\\xff\\xc3(\\xed\\xa0\\x80",
	 " a=\"\\xff\\xc3(\\xed\\xa0\\x80\""},
	{"\xef\xbf\xbd\xef\xbf\xbe\xef\xbf\xbf", "\xef\xbf\xbd\\xef\\xbf\\xbe\\xef\\xbf\\xbf",
	 " a=\"\xef\xbf\xbd\\xef\\xbf\\xbe\\xef\\xbf\\xbf\""},
	{"cut \xe2\x82", "cut \\xe2\\x82", " a=\"cut \\xe2\\x82\""},
};

static void test_xml(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		struct str out = {0};

		xml_text(&out, samples[i].in);
		assert_string_equal(str_text(&out), samples[i].text);
		str_clear(&out);
		xml_attribute(&out, "a", samples[i].in);
		assert_string_equal(str_text(&out), samples[i].attribute);
		str_fini(&out);
	}
}

static void test_utf8(void **state)
{
	static const struct {
		const char *text;
		int length;
	} cases[] = {
		{"a", 1},
		{"\x7f", 1},
		{"\x80", 0},
		{"\xc1\x81", 0},
		{"\xc2\x80", 2},
		{"\xc2", 0},
		{"\xe0\x9f\xbf", 0},
		{"\xe0\xa0\x80", 3},
		{"\xed\x9f\xbf", 3},
		{"\xed\xa0\x80", 0},
		{"\xf0\x8f\xbf\xbf", 0},
		{"\xf0\x90\x80\x80", 4},
		{"\xf4\x8f\xbf\xbf", 4},
		{"\xf4\x90\x80\x80", 0},
		{"\xf5\x80\x80\x80", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(utf8_length(cases[i].text), cases[i].length);
}

static void test_json(void **state)
{
	struct json j = {0};

	(void)state;
	json_object(&j, NULL);
	json_string(&j, "a\"", "\x01\n\xff\xe2\x80\xa8");
	json_string(&j, "n", NULL);
	json_end_object(&j);
	assert_string_equal(str_text(&j.out),
			    "{\"a\\\"\":\"\\u0001\\n\\u00ff\\u2028\",\"n\":null}");
	json_fini(&j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_xml),
		cmocka_unit_test(test_utf8),
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
