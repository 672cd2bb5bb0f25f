/* Writes JUnit reports (.xml) for CI: one suite for a command, one test case
 * for each run or search. */
#include "tracer/base/text/xml.h"
#include "tracer/report/report.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

/* The output of a program may contain NUL bytes. */
static void add_output(const char *tag, const struct str *text, struct str *out)
{
	const char *at, *end;

	if (!text || !text->length)
		return;
	str_addf(out, "      <%s>", tag);
	end = text->text + text->length;
	for (at = text->text; at <= end; at += strlen(at) + 1) {
		str_add(out, at == text->text ? "" : "\\x00");
		xml_text(out, at);
	}
	str_addf(out, "</%s>\n", tag);
}

static void add_outcome(const struct report_test *test, struct str *out)
{
	static const char *const tags[CASES] = {
		[CASE_FAILED] = "failure", [CASE_ERROR] = "error", [CASE_SKIPPED] = "skipped"};
	const char *tag = tags[test->outcome];

	if (!tag)
		return;
	str_addf(out, "      <%s", tag);
	xml_attribute(out, "message", test->message);
	xml_attribute(out, "type", test->type);
	str_add(out, ">");
	xml_text(out, test->text);
	str_addf(out, "</%s>\n", tag);
}

void report_test_print(const struct report_test *test, struct str *out)
{
	str_add(out, "    <testcase");
	xml_attribute(out, "name", test->name);
	xml_attribute(out, "classname", test->class_name);
	str_addf(out, " time=\"%.3f\">\n", test->seconds);
	add_outcome(test, out);
	add_output("system-out", test->out, out);
	add_output("system-err", test->err, out);
	str_add(out, "    </testcase>\n");
}

/* ---- the suite ------------------------------------------------------------------------------ */

void report_suite_add(struct report_suite *suite, enum report_case outcome, double seconds,
		      const char *printed)
{
	suite->count[outcome]++;
	suite->seconds += seconds;
	str_add(&suite->cases, printed);
}

static void add_property(const char *name, const char *value, struct str *out)
{
	str_add(out, "      <property");
	xml_attribute(out, "name", name);
	xml_attribute(out, "value", value);
	str_add(out, "/>\n");
}

static void add_properties(char *const *argv, const struct texts *gates, const struct texts *orders,
			   struct str *out)
{
	struct str command = {0};

	for (; *argv; argv++)
		str_addf(&command, "%s%s", command.length ? " " : "", *argv);
	str_add(out, "    <properties>\n");
	add_property("command", str_text(&command), out);
	array_each(const char *, script, gates)
		add_property("gates", *script, out);
	array_each(const char *, order, orders)
		add_property("order", *order, out);
	str_add(out, "    </properties>\n");
	str_fini(&command);
}

static void add_host_and_time(struct str *out)
{
	char host[256] = "localhost", when[32];
	time_t now = time(NULL);
	struct tm tm;

	gethostname(host, sizeof(host) - 1);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", gmtime_r(&now, &tm));
	xml_attribute(out, "timestamp", when);
	xml_attribute(out, "hostname", host);
}

static void add_counts(const struct report_suite *suite, bool skipped, struct str *out)
{
	const unsigned long *n = suite->count;

	str_addf(out, " tests=\"%lu\" failures=\"%lu\" errors=\"%lu\"",
		 n[CASE_PASSED] + n[CASE_FAILED] + n[CASE_ERROR] + n[CASE_SKIPPED], n[CASE_FAILED],
		 n[CASE_ERROR]);
	if (skipped)
		str_addf(out, " skipped=\"%lu\"", n[CASE_SKIPPED]);
	str_addf(out, " time=\"%.3f\"", suite->seconds);
}

void report_suite_print(const struct report_suite *suite, char *const *argv,
			const struct texts *gates, const struct texts *orders, struct str *out)
{
	str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gatectl\"");
	add_counts(suite, false, out);
	str_add(out, ">\n  <testsuite");
	xml_attribute(out, "name", str_base_name(argv[0]));
	add_counts(suite, true, out);
	add_host_and_time(out);
	str_add(out, ">\n");
	add_properties(argv, gates, orders, out);
	str_add(out, str_text(&suite->cases));
	str_add(out, "  </testsuite>\n</testsuites>\n");
}
