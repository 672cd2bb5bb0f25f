/* CTest's rules for a test that passes (cmCTestRunTest::EndTest of CMake 3.25), for runs without
   gatectl and, as a gate script, for those of a search. */
#include "tracer/suite/suite_internal.h"

#include "tracer/base/text/foreign.h"
#include "tracer/base/text/regex.h"

static bool matches_any(const struct suite_texts *expressions, const char *output)
{
	array_each(char *const, expression, expressions)
		if (regex_matches(*expression, output))
			return true;
	return false;
}

enum suite_judged suite_judge(const struct suite_expects *x, int status, const char *output)
{
	bool forced = x->pass.count && !matches_any(&x->pass, output);
	bool passes = status == 0 || x->pass.count;

	if ((x->skips && status == x->skip) || matches_any(&x->skip_text, output))
		return SUITE_SKIPS;
	passes &= !forced && !matches_any(&x->fail, output);
	return passes != x->will_fail ? SUITE_AS_EXPECTED : SUITE_NOT_AS_EXPECTED;
}

/* Appends a condition that one of the expressions matches. */
static void add_matches(const struct suite_texts *expressions, struct str *out)
{
	array_each(char *const, expression, expressions) {
		str_add(out, expression == expressions->items ? "(" : " or ");
		str_add(out, "run:matches(");
		foreign_lua_string(out, *expression);
		str_add(out, ")");
	}
	str_add(out, ")");
}

static void add_skips(const struct suite_expects *x, struct str *out)
{
	if (x->skips)
		str_addf(out, "  if run.status == %d then return true end -- skipped\n", x->skip);
	if (!x->skip_text.count)
		return;
	str_add(out, "  if ");
	add_matches(&x->skip_text, out);
	str_add(out, " then return true end -- skipped\n");
}

void suite_script(const struct suite_test *test, struct str *out)
{
	const struct suite_expects *x = &test->expects;

	if (!x->will_fail && !x->skips && !x->pass.count && !x->fail.count && !x->skip_text.count)
		return;
	foreign_lua_comment(out, "What the suite expects of %s", test->name);
	str_add(out, "expect(function(run)\n");
	add_skips(x, out);
	str_addf(out, "  local passes = %s", x->pass.count ? "" : "run.status == 0");
	if (x->pass.count)
		add_matches(&x->pass, out);
	if (x->fail.count) {
		str_add(out, " and not ");
		add_matches(&x->fail, out);
	}
	str_addf(out, "\n  return %spasses\nend, \"what the suite expects\")\n",
		 x->will_fail ? "not " : "");
}
