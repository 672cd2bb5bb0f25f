#include "tracer/cli/report/audit_report.h"

#include "tracer/base/files/file.h"
#include "tracer/base/text/foreign.h"
#include "tracer/base/text/json.h"
#include "tracer/base/files/path.h"

#include <string.h>

/* ---- JSON ------------------------------------------------------------------------------------------- */

static void audit_report_add_place(const struct audit_program *p, struct audit_place at,
				   struct json *j)
{
	json_string(j, "file", path_shown(program_text(p, at.file)));
	json_integer(j, "line", at.line);
	json_integer(j, "column", at.column);
}

static void add_finding(const struct audit_program *p, const struct finding *f, struct json *j)
{
	json_object(j, NULL);
	json_string(j, "tag", finding_tag_text(f->tag));
	json_string(j, "confidence", finding_confidence_text(f->confidence));
	audit_report_add_place(p, f->at, j);
	json_string(j, "text", f->text);
	json_string(j, "struct", f->record ? program_text(p, f->record) : NULL);
	json_string(j, "field", f->field ? program_text(p, f->field) : NULL);
	json_string(j, "function", program_text(p, f->function));
	if (f->is_tried) {
		json_bool(j, "confirmed", f->is_confirmed);
		json_string(j, "script", f->script);
	}
	json_array(j, "notes");
	array_each(const struct finding_note, note, &f->notes) {
		json_object(j, NULL);
		audit_report_add_place(p, note->at, j);
		json_string(j, "text", note->text);
		json_end_object(j);
	}
	json_end_array(j);
	json_end_object(j);
}

static void add_skipped(const struct audit_read *read, struct json *j)
{
	json_array(j, "skipped");
	array_each(const struct audit_skipped, s, &read->skipped) {
		json_object(j, NULL);
		json_string(j, "file", path_shown(s->file));
		json_string(j, "why", s->why);
		json_end_object(j);
	}
	json_end_array(j);
}

static void add_safe(const struct audit *a, struct json *j)
{
	json_array(j, "safe");
	array_each(const struct finding_safe, s, &a->findings.safe) {
		json_object(j, NULL);
		audit_report_add_place(a->program, s->at, j);
		json_string(j, "struct", program_text(a->program, s->record));
		json_string(j, "field", program_text(a->program, s->field));
		json_string(j, "why", s->why);
		json_end_object(j);
	}
	json_end_array(j);
}

static void audit_report_as_json(const struct cli *cli, const struct audit_told *t, int status,
				 struct str *out)
{
	const struct audit_program *p = t->audit->program;
	struct json j = {0};

	json_object(&j, NULL);
	json_string(&j, "verdict", status == VERDICT_FOUND ? "found" : "ok");
	json_integer(&j, "status", status);
	json_integer(&j, "files", p->units);
	json_integer(&j, "lines", (long long)p->lines);
	json_integer(&j, "functions", (long long)p->functions.count);
	json_number(&j, "seconds", t->seconds);
	json_integer(&j, "in_baseline", (long long)t->known);
	json_integer(&j, "of_low_confidence", (long long)t->hidden);
	json_array(&j, "findings");
	array_each(const struct finding, f, &t->audit->findings.items)
		if (audit_is_told(cli, f))
			add_finding(p, f, &j);
	json_end_array(&j);
	add_safe(t->audit, &j);
	add_skipped(t->read, &j);
	json_end_object(&j);
	str_add(out, str_text(&j.out));
	str_add(out, "\n");
	json_fini(&j);
}

/* ---- the baseline ------------------------------------------------------------------------------------- */

/* Without lines: they move. */
static void baseline_line(const struct audit_program *p, const struct finding *f, struct str *out)
{
	str_addf(out, "%s ", finding_tag_text(f->tag));
	foreign_line(out, str_base_name(program_text(p, f->at.file)));
	str_addf(out, " %s %s\n", program_text(p, f->function),
		 f->field ? program_text(p, f->field) : "-");
}

void audit_baseline(const struct cli *cli, const struct audit_told *t, struct str *out)
{
	str_add(out, "# gatectl audit: findings that are known: tag, file, function, field\n");
	array_each(const struct finding, f, &t->audit->findings.items)
		if (f->is_known || audit_is_told(cli, f))
			baseline_line(t->audit->program, f, out);
}

static bool has_line(const char *text, const char *line)
{
	const char *at = text;

	while ((at = strstr(at, line))) {
		if (at == text || at[-1] == '\n')
			return true;
		at++;
	}
	return false;
}

int audit_baseline_read(struct audit *a, const char *path, struct error *err)
{
	char *text = file_read(path, err);

	if (!text) {
		error_prefix(err, "--baseline: ");
		return error_hint(err, "gatectl audit --report %s ... writes one", path);
	}
	array_each(struct finding, f, &a->findings.items) {
		struct str line = {0};

		baseline_line(a->program, f, &line);
		f->is_known = has_line(text, str_text(&line));
		str_fini(&line);
	}
	base_free(text);
	return 0;
}

/* ---- --report ------------------------------------------------------------------------------------------- */

static bool ends_with(const char *path, const char *ending)
{
	size_t length = strlen(path), n = strlen(ending);

	return length > n && strcmp(path + length - n, ending) == 0;
}

int audit_reports_check(const struct cli *cli, struct error *err)
{
	array_each(const char *const, path, &cli->run.reports) {
		if (!ends_with(*path, ".sarif") && !ends_with(*path, ".json") &&
		    !ends_with(*path, ".html") && !ends_with(*path, ".baseline")) {
			error_set(err, ERROR_USAGE,
				  "--report: %s: the name has to end in .sarif, .json, .html or "
				  ".baseline",
				  *path);
			return error_hint(err, "gatectl audit --report audit.sarif ...");
		}
		if (reports_may_write(*path, err) < 0)
			return -1;
	}
	return 0;
}

int audit_report(const struct cli *cli, const struct audit_told *t, int status, struct error *err)
{
	int answer = 0;

	array_each(const char *const, path, &cli->run.reports) {
		struct str text = {0};

		if (ends_with(*path, ".sarif"))
			audit_sarif(cli, t, &text);
		else if (ends_with(*path, ".html"))
			audit_page(cli, t, status, &text);
		else if (ends_with(*path, ".baseline"))
			audit_baseline(cli, t, &text);
		else
			audit_report_as_json(cli, t, status, &text);
		if (answer == 0)
			answer = reports_put(*path, &text, err);
		str_fini(&text);
	}
	return answer;
}
