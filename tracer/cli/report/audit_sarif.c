/* --report FILE.sarif: SARIF 2.1.0 (OASIS, 2020), as code hosts read it. */
#include "tracer/cli/report/audit_report.h"

#include "tracer/base/files/file.h"
#include "tracer/base/text/foreign.h"
#include "tracer/base/text/json.h"
#include "tracer/base/files/path.h"

#include <string.h>

static const char *const rules[FINDING_TAGS][2] = {
	[FINDING_P1] = {"FieldEscapes",
			"A field is used outside of its module, or its address goes out"},
	[FINDING_P2] = {"UnsafePublication",
			"An object is shared before it is complete, or ended while it is shared"},
	[FINDING_P3] = {"NoCommonLock", "Two conflicting accesses hold no common lock"},
	[FINDING_LOCK_ORDER] = {"LockOrder", "Locks are taken in both orders"},
	[FINDING_DOUBLE_LOCK] = {"DoubleLock", "A lock is taken by the thread that holds it"},
	[FINDING_RETURN_WITH_LOCK] = {"ReturnWithLock", "A lock is kept on one of the ways out"},
	[FINDING_COMPOUND] = {"CompoundAtomic", "Two atomic steps that ought to be one"},
};

static void audit_sarif_add_text(const char *name, const char *text, struct json *j)
{
	json_object(j, name);
	json_string(j, "text", text);
	json_end_object(j);
}

static void add_rules(struct json *j)
{
	json_array(j, "rules");
	for (unsigned tag = 0; tag < FINDING_TAGS; tag++) {
		json_object(j, NULL);
		json_string(j, "id", finding_tag_text((enum finding_tag)tag));
		json_string(j, "name", rules[tag][0]);
		audit_sarif_add_text("shortDescription", rules[tag][1], j);
		json_end_object(j);
	}
	json_end_array(j);
}

/* Columns are bytes here; in UTF-16, a character is one unit, or two where UTF-8 takes four bytes. */
static unsigned utf16_column(struct audit_place at, const char *file)
{
	ERROR(err);
	char *text = file_read(file, &err);
	const char *line = text;
	unsigned column = 1;

	for (unsigned i = 1; line && i < at.line; i++) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	for (unsigned i = 0; line && i + 1 < at.column && line[i] && line[i] != '\n'; i++)
		column += ((unsigned char)line[i] & 0xc0) != 0x80
				  ? 1 + ((unsigned char)line[i] >= 0xf0)
				  : 0;
	base_free(text);
	return line ? column : at.column;
}

static void add_physical(const struct audit_program *p, struct audit_place at, struct json *j)
{
	struct str uri = {0};
	/* A relative path is relative to the directory of the sources. */
	const char *path = path_shown(program_text(p, at.file));

	str_add(&uri, *path == '/' ? "file://" : "");
	foreign_uri(&uri, path);
	json_object(j, "physicalLocation");
	json_object(j, "artifactLocation");
	json_string(j, "uri", str_text(&uri));
	if (*path != '/')
		json_string(j, "uriBaseId", "%SRCROOT%");
	json_end_object(j);
	json_object(j, "region");
	json_integer(j, "startLine", at.line);
	json_integer(j, "startColumn", utf16_column(at, program_text(p, at.file)));
	json_end_object(j);
	json_end_object(j);
	str_fini(&uri);
}

/* Both ways may share a step, and a list of locations may not say one twice: their ids tell them apart. */
static void add_notes(const struct audit_program *p, const struct finding *f, struct json *j)
{
	int id = 0;

	json_array(j, "relatedLocations");
	array_each(const struct finding_note, note, &f->notes) {
		json_object(j, NULL);
		json_integer(j, "id", id++);
		add_physical(p, note->at, j);
		audit_sarif_add_text("message", note->text, j);
		json_end_object(j);
	}
	json_end_array(j);
}

static void audit_sarif_add_step(const struct audit_program *p, struct audit_place at,
				 const char *text, struct json *j)
{
	json_object(j, NULL);
	json_object(j, "location");
	add_physical(p, at, j);
	audit_sarif_add_text("message", text, j);
	json_end_object(j);
	json_end_object(j);
}

static void add_steps(const struct audit_program *p, const struct finding *f, enum finding_way way,
		      struct json *j)
{
	array_each(const struct finding_note, note, &f->notes)
		if (note->way == way)
			audit_sarif_add_step(p, note->at, note->text, j);
}

/* 3.36, 3.37: each way from a public function is a thread's. */
static void add_flows(const struct audit_program *p, const struct finding *f, struct json *j)
{
	bool is_two = false;

	array_each(const struct finding_note, note, &f->notes)
		is_two |= note->way == WAY_OTHER_END;
	json_array(j, "codeFlows");
	json_object(j, NULL);
	json_array(j, "threadFlows");
	for (int other = 0; other <= is_two; other++) {
		json_object(j, NULL);
		json_array(j, "locations");
		add_steps(p, f, other ? WAY_OTHER : WAY_HERE, j);
		if (other)
			add_steps(p, f, WAY_OTHER_END, j);
		else
			audit_sarif_add_step(p, f->at, f->text, j);
		json_end_array(j);
		json_end_object(j);
	}
	json_end_array(j);
	json_end_object(j);
	json_end_array(j);
}

static void add_result(const struct audit_program *p, const struct finding *f, struct json *j)
{
	json_object(j, NULL);
	json_string(j, "ruleId", finding_tag_text(f->tag));
	json_integer(j, "ruleIndex", f->tag);
	json_string(j, "level", f->confidence == CONFIDENCE_LOW ? "note" : "warning");
	audit_sarif_add_text("message", f->text, j);
	json_array(j, "locations");
	json_object(j, NULL);
	add_physical(p, f->at, j);
	json_end_object(j);
	json_end_array(j);
	if (f->notes.count)
		add_notes(p, f, j);
	add_flows(p, f, j);
	json_object(j, "properties");
	json_string(j, "confidence", finding_confidence_text(f->confidence));
	json_end_object(j);
	json_end_object(j);
}

void audit_sarif(const struct cli *cli, const struct audit_told *t, struct str *out)
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
	add_rules(&j);
	json_end_object(&j);
	json_end_object(&j);
	json_string(&j, "columnKind", "utf16CodeUnits");
	json_array(&j, "results");
	array_each(const struct finding, f, &t->audit->findings.items)
		if (audit_is_told(cli, f))
			add_result(t->audit->program, f, &j);
	json_end_array(&j);
	json_end_object(&j);
	json_end_array(&j);
	json_end_object(&j);
	str_add(out, str_text(&j.out));
	str_add(out, "\n");
	json_fini(&j);
}
