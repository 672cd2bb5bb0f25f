/* Writes findings as SARIF 2.1.0 (.sarif; OASIS, 2020). */
#include "tracer/base/files/file.h"
#include "tracer/base/text/foreign.h"
#include "tracer/report/report.h"

#include <string.h>

static void add_text(const char *name, const char *text, struct json *j)
{
	json_object(j, name);
	json_string(j, "text", text);
	json_end_object(j);
}

static void add_rules(const struct report_findings *findings, struct json *j)
{
	json_array(j, "rules");
	for (size_t i = 0; i < findings->rule_count; i++) {
		json_object(j, NULL);
		json_string(j, "id", findings->rules[i].id);
		json_string(j, "name", findings->rules[i].name);
		add_text("shortDescription", findings->rules[i].description, j);
		json_end_object(j);
	}
	json_end_array(j);
}

/* Columns of gatectl are bytes, those of SARIF UTF-16 units: two for a character of four
 * UTF-8 bytes, else one. */
static unsigned utf16_column(const struct report_place *at)
{
	ERROR(err);
	char *text = file_read(at->file, &err);
	const char *line = text;
	unsigned column = 1;

	for (unsigned i = 1; line && i < at->line; i++) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	for (unsigned i = 0; line && i + 1 < at->column && line[i] && line[i] != '\n'; i++)
		column += ((unsigned char)line[i] & 0xc0) != 0x80
				  ? 1 + ((unsigned char)line[i] >= 0xf0)
				  : 0;
	base_free(text);
	return line ? column : at->column;
}

/* A relative path is relative to the source directory. */
static void add_place(const struct report_place *at, struct json *j)
{
	struct str uri = {0};

	str_add(&uri, *at->file == '/' ? "file://" : "");
	foreign_uri(&uri, at->file);
	json_object(j, "physicalLocation");
	json_object(j, "artifactLocation");
	json_string(j, "uri", str_text(&uri));
	if (*at->file != '/')
		json_string(j, "uriBaseId", "%SRCROOT%");
	json_end_object(j);
	json_object(j, "region");
	json_integer(j, "startLine", at->line);
	json_integer(j, "startColumn", utf16_column(at));
	json_end_object(j);
	json_end_object(j);
	str_fini(&uri);
}

/* Locations of a list must differ, but two paths may share a step: ids make the steps distinct. */
static void add_notes(const struct report_finding *f, struct json *j)
{
	int id = 0;

	json_array(j, "relatedLocations");
	array_each(const struct report_note, note, &f->notes) {
		json_object(j, NULL);
		json_integer(j, "id", id++);
		add_place(&note->at, j);
		add_text("message", note->text, j);
		json_end_object(j);
	}
	json_end_array(j);
}

static void add_step(const struct report_place *at, const char *text, struct json *j)
{
	json_object(j, NULL);
	json_object(j, "location");
	add_place(at, j);
	add_text("message", text, j);
	json_end_object(j);
	json_end_object(j);
}

static void add_steps(const struct report_finding *f, enum report_path path, struct json *j)
{
	array_each(const struct report_note, note, &f->notes)
		if (note->path == path)
			add_step(&note->at, note->text, j);
}

static bool has_other_path(const struct report_finding *f)
{
	array_each(const struct report_note, note, &f->notes)
		if (note->path == REPORT_PATH_OTHER_END)
			return true;
	return false;
}

/* SARIF 3.36 and 3.37: each path from a public function is a thread flow. */
static void add_flows(const struct report_finding *f, struct json *j)
{
	json_array(j, "codeFlows");
	json_object(j, NULL);
	json_array(j, "threadFlows");
	for (int other = 0; other <= has_other_path(f); other++) {
		json_object(j, NULL);
		json_array(j, "locations");
		add_steps(f, other ? REPORT_PATH_OTHER : REPORT_PATH_HERE, j);
		if (other)
			add_steps(f, REPORT_PATH_OTHER_END, j);
		else
			add_step(&f->at, f->text, j);
		json_end_array(j);
		json_end_object(j);
	}
	json_end_array(j);
	json_end_object(j);
	json_end_array(j);
}

static void add_result(const struct report_findings *all, const struct report_finding *f,
		       struct json *j)
{
	json_object(j, NULL);
	json_string(j, "ruleId", all->rules[f->rule].id);
	json_integer(j, "ruleIndex", f->rule);
	json_string(j, "level", strcmp(f->confidence, "low") == 0 ? "note" : "warning");
	add_text("message", f->text, j);
	json_array(j, "locations");
	json_object(j, NULL);
	add_place(&f->at, j);
	json_end_object(j);
	json_end_array(j);
	if (f->notes.count)
		add_notes(f, j);
	add_flows(f, j);
	json_object(j, "properties");
	json_string(j, "confidence", f->confidence);
	json_integer(j, "score", f->score);
	json_string(j, "evidence", f->evidence);
	json_end_object(j);
	json_end_object(j);
}

void report_sarif(const struct report_findings *findings, struct str *out)
{
	struct json j = {0};

	json_object(&j, NULL);
	json_string(&j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	json_string(&j, "version", "2.1.0");
	json_array(&j, "runs");
	json_object(&j, NULL);
	json_object(&j, "tool");
	json_object(&j, "driver");
	json_string(&j, "name", "gatectl audit");
	json_string(&j, "version", GATECTL_VERSION);
	add_rules(findings, &j);
	json_end_object(&j);
	json_end_object(&j);
	json_string(&j, "columnKind", "utf16CodeUnits");
	json_array(&j, "results");
	array_each(const struct report_finding, f, findings)
		add_result(findings, f, &j);
	json_end_array(&j);
	json_end_object(&j);
	json_end_array(&j);
	json_end_object(&j);
	str_addf(out, "%s\n", str_text(&j.out));
	json_fini(&j);
}

void report_findings_fini(struct report_findings *findings)
{
	array_each(struct report_finding, f, findings)
		array_fini(&f->notes);
	array_fini(findings);
}
