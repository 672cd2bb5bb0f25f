/* Foreign text in comments, strings and lines; tests/fuzz/writers.py does so with random bytes. */
#include "tracer/base/text/foreign.h"
#include "tracer/base/text/json.h"
#include "tracer/base/text/xml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef void (*writer)(struct str *out, const char *text);

static void lua_comment(struct str *out, const char *text)
{
	foreign_lua_comment(out, "%s", text);
}

static void json(struct str *out, const char *text)
{
	struct json j = {0};

	json_string(&j, NULL, text);
	str_add(out, str_text(&j.out));
	json_fini(&j);
}

static const struct {
	writer write;
	const char *in, *out;
} cases[] = {
	{foreign_line, "a\r\n\tb", "a\\r\\n\\tb"},
	{foreign_line, "\x1b[2J\x9b\xc2\x9b", "\\x1b[2J\\x9b\\xc2\\x9b"},
	{foreign_line, "gr\xc3\xbcn \xe2\x80\xae \xe2\x80\xa8",
	 "gr\xc3\xbcn \\xe2\\x80\\xae \\xe2\\x80\\xa8"},
	{foreign_line, "\\ \" '", "\\ \" '"},
	{lua_comment, "x;\rerror('no')", "-- x;\\rerror('no')\n"},
	{lua_comment, "[[", "-- [[\n"},
	{lua_comment, "", "--\n"},
	{foreign_lua_string, "a\"b\\c\r\n\x1b\xff", "\"a\\\"b\\\\c\\r\\n\\x1b\\xff\""},
	{foreign_c_comment, "a*/b/*c", "/* a*\\/b/\\*c */"},
	{foreign_c_comment, "*/*\n", "/* *\\/\\*\\n */"},
	{foreign_c_text,
	 "\"\\\n\x1b"
	 "0?"
	 "?/",
	 "\\\"\\\\\\012\\0330?\\?/"},
	{foreign_c_format, "100%\x7f", "100%%\\177"},
	{foreign_shell_word, "a*/b'c", "'a*''/b'\\''c'"},
	{foreign_shell_word, "/usr/lib/x.so", "/usr/lib/x.so"},
	{foreign_code_span, "a`b", "`` a`b ``"},
	{foreign_code_line, "  ```", "  \\```"},
	{foreign_uri, "/a b/\xc3\xbc", "/a%20b/%C3%BC"},
	{foreign_script_json, "\"</script>\"", "\"\\u003c/script\\u003e\""},
	{json, "\xc2\x9b\xe2\x80\xa8\x9b\n", "\"\\u009b\\u2028\\u009b\\n\""},
	{xml_text, "\xc2\x9b<\xe2\x80\xae>\n", "\\xc2\\x9b&lt;\\xe2\\x80\\xae&gt;\n"},
};

static void test_writers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct str out = {0};

		cases[i].write(&out, cases[i].in);
		assert_string_equal(str_text(&out), cases[i].out);
		str_fini(&out);
	}
}

static void test_plain(void **state)
{
	(void)state;
	assert_true(foreign_is_plain("caf\xc3\xa9 *\\/"));
	assert_false(foreign_is_plain("tab\t"));
	assert_false(foreign_is_plain("\xe9"));
	assert_false(foreign_is_plain("\xe2\x81\xa6"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writers),
		cmocka_unit_test(test_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
