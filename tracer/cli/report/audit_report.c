/* --report of an audit, as SARIF, JSON, a page or a baseline; and --baseline. */
#include "tracer/cli/report/report.h"

#include "tracer/base/files/file.h"
#include "tracer/base/files/path.h"
#include "tracer/base/text/foreign.h"

#include "tracer/source/lines/source_lines.h"

#include <string.h>

/* Source lines shown around a place. */
enum { AROUND = 3 };

bool audit_is_reported(const struct cli *cli, const struct finding *f)
{
	const enum finding_confidence least = cli->all		? CONFIDENCE_LOW
					      : cli->audit.high ? CONFIDENCE_HIGH
								: CONFIDENCE_MEDIUM;

	return !f->is_known && (f->is_asked || f->confidence >= least);
}

/* ---- the record ----------------------------------------------------------------------------- */

/* Indexed by enum finding_tag. */
#define FINDING_RULE(tag, text, rule, description) {text, rule, description},
static const struct report_rule rules[FINDING_TAGS] = {FINDINGS(FINDING_RULE)};

struct report_place audit_place_shown(const struct audit_program *p, struct audit_place at)
{
	return (struct report_place){path_shown(program_text(p, at.file)), at.line, at.column};
}

static void collect_finding(struct audit_result *r, const struct finding *f)
{
	const struct audit_program *p = r->audit->program;
	struct report_finding *out = array_add(&r->findings);

	*out = (struct report_finding){
		.rule = f->tag,
		.confidence = finding_confidence_text(f->confidence),
		.evidence = str_text(&f->evidence),
		.score = finding_score(f),
		.at = audit_place_shown(p, f->at),
		.text = f->text,
		.record = f->record ? program_text(p, f->record) : NULL,
		.field = f->field ? program_text(p, f->field) : NULL,
		.function = program_text(p, f->function),
		.is_tried = f->is_tried,
		.is_confirmed = f->is_confirmed,
		.script = f->script,
	};
	array_each(const struct finding_note, note, &f->notes)
		*array_add(&out->notes) = (struct report_note){
			audit_place_shown(p, note->at), (enum report_path)note->way, note->text};
}

void audit_collect(struct audit_result *r)
{
	r->findings.rules = rules;
	r->findings.rule_count = FINDING_TAGS;
	array_each(const struct finding, f, &r->audit->findings.items) {
		r->known += f->is_known;
		r->tried += f->is_tried;
		r->confirmed += f->is_confirmed;
		if (audit_is_reported(r->cli, f))
			collect_finding(r, f);
		else if (f->confidence == CONFIDENCE_LOW)
			r->hidden += !f->is_known;
		else
			r->medium += !f->is_known;
	}
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/* Adds source lines for the page: an array of pairs, number and text. */
static void add_source(struct modules *symbols, const struct report_place *at, struct json *j)
{
	json_array(j, "source");
	for (unsigned n = at->line > AROUND ? at->line - AROUND : 1; n <= at->line + AROUND; n++) {
		const char *text = source_line(symbols, at->file, n);

		if (!text)
			break;
		json_array(j, NULL);
		json_integer(j, NULL, n);
		json_string(j, NULL, text);
		json_end_array(j);
	}
	json_end_array(j);
}

/* `symbols`: for the page, the cache of source files; NULL for JSON. */
static void add_place(const struct report_place *at, struct modules *symbols, struct json *j)
{
	json_string(j, "file", at->file);
	json_integer(j, "line", at->line);
	json_integer(j, "column", at->column);
	if (symbols)
		add_source(symbols, at, j);
}

static void add_finding(const struct report_finding *f, struct modules *symbols, struct json *j)
{
	json_object(j, NULL);
	json_string(j, "tag", rules[f->rule].id);
	json_string(j, "confidence", f->confidence);
	json_integer(j, "score", f->score);
	json_string(j, "evidence", f->evidence);
	add_place(&f->at, symbols, j);
	json_string(j, "text", f->text);
	json_string(j, "struct", f->record);
	json_string(j, "field", f->field);
	json_string(j, "function", f->function);
	if (f->is_tried) {
		json_bool(j, "confirmed", f->is_confirmed);
		json_string(j, "script", f->script);
	}
	json_array(j, "notes");
	array_each(const struct report_note, note, &f->notes) {
		json_object(j, NULL);
		add_place(&note->at, symbols, j);
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
		const struct report_place at = audit_place_shown(a->program, s->at);

		json_object(j, NULL);
		add_place(&at, NULL, j);
		json_string(j, "struct", program_text(a->program, s->record));
		json_string(j, "field", program_text(a->program, s->field));
		json_string(j, "why", s->why);
		json_end_object(j);
	}
	json_end_array(j);
}

static void audit_add(const void *of, const char *page, struct json *j)
{
	const struct audit_result *r = of;
	const struct audit_program *p = r->audit->program;
	struct modules *symbols = page ? modules_new() : NULL;

	json_integer(j, "files", p->units);
	json_integer(j, "lines", (long long)p->lines);
	json_integer(j, "functions", (long long)p->functions.count);
	json_number(j, "seconds", r->seconds);
	json_integer(j, "in_baseline", (long long)r->known);
	json_integer(j, "of_low_confidence", (long long)r->hidden);
	if (r->medium)
		json_integer(j, "of_medium_confidence", (long long)r->medium);
	json_array(j, "findings");
	array_each(const struct report_finding, f, &r->findings)
		add_finding(f, symbols, j);
	json_end_array(j);
	add_safe(r->audit, j);
	add_skipped(r->read, j);
	if (page)
		json_string(j, "program",
			    r->cli->audit.folder ? r->cli->audit.folder : r->cli->rest[0]);
	modules_free(symbols);
}

/* ---- the baseline --------------------------------------------------------------------------- */

/* Line numbers are left out: they change. */
static void baseline_line(const struct audit_program *p, const struct finding *f, struct str *out)
{
	str_addf(out, "%s ", finding_tag_text(f->tag));
	foreign_line(out, str_base_name(program_text(p, f->at.file)));
	str_addf(out, " %s %s\n", program_text(p, f->function),
		 f->field ? program_text(p, f->field) : "-");
}

static void audit_baseline(const void *of, struct str *out)
{
	const struct audit_result *r = of;

	str_add(out, "# gatectl audit: known findings: tag, file, function, field\n");
	array_each(const struct finding, f, &r->audit->findings.items)
		if (f->is_known || audit_is_reported(r->cli, f))
			baseline_line(r->audit->program, f, out);
}

int audit_baseline_read(struct audit *a, const char *path, struct error *err)
{
	char *text = file_read(path, err);
	struct str known = {0};

	if (!text) {
		error_prefix(err, "--baseline: ");
		return error_hint(err, "gatectl audit --report %s ... writes one", path);
	}
	str_addf(&known, "\n%s", text);
	array_each(struct finding, f, &a->findings.items) {
		struct str line = {0};

		str_add(&line, "\n");
		baseline_line(a->program, f, &line);
		f->is_known = strstr(str_text(&known), str_text(&line)) != NULL;
		str_fini(&line);
	}
	str_fini(&known);
	base_free(text);
	return 0;
}

/* ---- --report ------------------------------------------------------------------------------- */

static void audit_sarif(const void *of, struct str *out)
{
	const struct audit_result *r = of;

	report_sarif(&r->findings, out);
}

int audit_report(const struct audit_result *r, int status, struct error *err)
{
	const struct cli_record record = {.command = "audit",
					  .status = status,
					  .add = audit_add,
					  .of = r,
					  .sarif = audit_sarif,
					  .baseline = audit_baseline};

	return reports_write_record(r->cli, &record, err);
}
