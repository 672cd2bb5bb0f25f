/*
 * --report FILE.xml: what CI systems read. One suite for the command, one testcase for each run.
 * A verdict on the program is a failure; what kept gatectl from judging it is an error.
 */
#include "tracer/features/timeline/timeline.h"
#include "tracer/features/report/suite.h"
#include "tracer/base/text/xml.h"
#include "tracer/features/report/report.h"
#include "tracer/base/signame.h"

#include <string.h>
#include <time.h>

/* The scripts and orders say what is tested; without any it is the program alone. */
static void case_name(const struct run *s, struct str *out)
{
	const struct run_options *o = s->options;

	array_each(const char *, script, &o->scripts)
		str_addf(out, "%s%s", out->length ? ", " : "", str_base_name(*script));
	array_each(const char *, order, &o->orders)
		str_addf(out, "%s%s", out->length ? ", " : "", *order);
	if (!out->length)
		str_add(out, str_base_name(o->argv[0]));
	if (o->repeat > 1)
		str_addf(out, " (run %lu of %lu)", s->run_number, o->repeat);
}

static enum report_case case_of(const struct report_head *head)
{
	if (head->status == 0)
		return CASE_PASSED;
	if (head->status == RUN_SKIPPED && strcmp(head->verdict, "cannot-trace") == 0)
		return CASE_SKIPPED;
	if (head->error || strcmp(head->verdict, "interrupted") == 0)
		return CASE_ERROR;
	return CASE_FAILED;
}

/* The first line without "gatectl: word: ", which is the type already. */
static void first_line(const struct report_head *head, struct str *out)
{
	const char *text = head->message;
	size_t word = strlen(head->verdict);

	if (strcmp(head->verdict, "ok") == 0) {
		str_addf(out, "the program ended with status %d", head->status);
		return;
	}
	if (strcmp(head->verdict, "interrupted") == 0) {
		str_addf(out, "ended by SIG%s", signame_text(head->status - 128));
		return;
	}
	if (strncmp(text, "gatectl: ", 9) == 0 && strncmp(text + 9, head->verdict, word) == 0)
		text += 9 + word + strspn(text + 9 + word, ": ");
	str_add_bytes(out, text, strcspn(text, "\n"));
}

static void outcome(const struct report_head *head, enum report_case what, struct str *out)
{
	static const char *const tags[CASES] = {
		[CASE_FAILED] = "failure", [CASE_ERROR] = "error", [CASE_SKIPPED] = "skipped"};
	struct str first = {0};

	if (!tags[what])
		return;
	first_line(head, &first);
	str_addf(out, "      <%s", tags[what]);
	xml_attribute(out, "message", str_text(&first));
	xml_attribute(out, "type", strcmp(head->verdict, "ok") == 0 ? "status" : head->verdict);
	str_add(out, ">");
	xml_text(out, head->message);
	str_addf(out, "</%s>\n", tags[what]);
	str_fini(&first);
}

/* The whole text: programs may write NUL bytes. */
static void written(const struct str *text, struct str *out)
{
	const char *at = str_text(text), *end = at + text->length;

	for (;; at++) {
		xml_text(out, at);
		at += strlen(at);
		if (at >= end)
			return;
		str_add(out, "\\x00");
	}
}

static void output(const char *tag, const struct str *text, const char *more, struct str *out)
{
	if ((!text || !text->length) && !*more)
		return;
	str_addf(out, "      <%s>", tag);
	if (text)
		written(text, out);
	xml_text(out, more);
	str_addf(out, "</%s>\n", tag);
}

enum report_case report_junit(struct run *s, const struct report_head *head, struct str *out)
{
	const struct outcome *o = &s->outcome;
	enum report_case what = case_of(head);
	struct str name = {0}, told = {0};

	case_name(s, &name);
	str_add(out, "    <testcase");
	xml_attribute(out, "name", str_text(&name));
	xml_attribute(out, "classname", str_base_name(s->options->argv[0]));
	str_addf(out, " time=\"%.3f\">\n", (double)timeline_of(s)->end_us / 1e6);
	outcome(head, what, out);
	output("system-out", o->stdout_text, "", out);
	str_addf(&told, "%s%s", head->note ? head->note : "", head->message);
	output("system-err", o->stderr_text, str_text(&told), out);
	str_fini(&told);
	str_add(out, "    </testcase>\n");
	str_fini(&name);
	return what;
}

/* ---- the suite ------------------------------------------------------------------------------ */

static void property(const char *name, const char *value, struct str *out)
{
	str_add(out, "      <property");
	xml_attribute(out, "name", name);
	xml_attribute(out, "value", value);
	str_add(out, "/>\n");
}

static void properties(const struct run_options *o, struct str *out)
{
	struct str command = {0};

	for (char *const *arg = o->argv; *arg; arg++)
		str_addf(&command, "%s%s", command.length ? " " : "", *arg);
	str_add(out, "    <properties>\n");
	property("command", str_text(&command), out);
	array_each(const char *, script, &o->scripts)
		property("gates", *script, out);
	array_each(const char *, order, &o->orders)
		property("order", *order, out);
	str_add(out, "    </properties>\n");
	str_fini(&command);
}

static void where_and_when(struct str *out)
{
	char host[256] = "localhost", when[32];
	time_t now = time(NULL);
	struct tm tm;

	gethostname(host, sizeof(host) - 1);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", gmtime_r(&now, &tm));
	xml_attribute(out, "timestamp", when);
	xml_attribute(out, "hostname", host);
}

static void counts(const struct report_suite *suite, bool skipped, struct str *out)
{
	const unsigned long *n = suite->count;

	str_addf(out, " tests=\"%lu\" failures=\"%lu\" errors=\"%lu\"",
		 n[CASE_PASSED] + n[CASE_FAILED] + n[CASE_ERROR] + n[CASE_SKIPPED], n[CASE_FAILED],
		 n[CASE_ERROR]);
	if (skipped)
		str_addf(out, " skipped=\"%lu\"", n[CASE_SKIPPED]);
	str_addf(out, " time=\"%.3f\"", suite->seconds);
}

void report_suite_text(const struct report_suite *suite, const struct run_options *o,
		       struct str *out)
{
	str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gatectl\"");
	counts(suite, false, out);
	str_add(out, ">\n  <testsuite");
	xml_attribute(out, "name", str_base_name(o->argv[0]));
	counts(suite, true, out);
	where_and_when(out);
	str_add(out, ">\n");
	properties(o, out);
	str_add(out, str_text(&suite->cases));
	str_add(out, "  </testsuite>\n</testsuites>\n");
}
