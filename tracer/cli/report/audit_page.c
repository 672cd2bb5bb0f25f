/* --report FILE.html of an audit (page.h): each finding with the source around it. */
#include "tracer/base/files/file.h"
#include "tracer/base/files/path.h"
#include "tracer/base/text/xml.h"
#include "tracer/cli/report/audit_report.h"
#include "tracer/cli/report/page.h"

#include <string.h>

enum { AROUND = 3 };

/* ---- source --------------------------------------------------------------------------------------------- */

static void audit_page_add_line(const char *text, size_t length, unsigned number, bool is_it,
				struct str *out)
{
	char *line = base_strndup(text, length);

	str_addf(out, "<tr%s><td>%u</td><td><code>", is_it ? " class=\"preempts\"" : "", number);
	xml_text(out, line);
	str_add(out, "</code></td></tr>\n");
	base_free(line);
}

static void add_source(const struct audit_program *p, struct audit_place at, struct str *out)
{
	ERROR(err);
	char *text = file_read(program_text(p, at.file), &err);
	unsigned number = 1;

	str_addf(out, "<figure><figcaption>");
	xml_text(out, path_shown(program_text(p, at.file)));
	str_addf(out, ":%u</figcaption><table class=\"steps\"><tbody>\n", at.line);
	for (const char *line = text; line && *line; number++) {
		size_t length = strcspn(line, "\n");

		if (number + AROUND >= at.line && number <= at.line + AROUND)
			audit_page_add_line(line, length, number, number == at.line, out);
		line += length + (line[length] == '\n');
	}
	str_add(out, "</tbody></table></figure>\n");
	base_free(text);
}

static void add_finding(const struct audit_program *p, const struct finding *f, struct str *out)
{
	str_add(out, "<section class=\"failure\"><h2>");
	xml_text(out, f->text);
	str_addf(out, " [%s]</h2>\n<p>confidence: %s</p>\n", finding_tag_text(f->tag),
		 finding_confidence_text(f->confidence));
	add_source(p, f->at, out);
	array_each(const struct finding_note, note, &f->notes) {
		str_add(out, "<p>");
		xml_text(out, note->text);
		str_add(out, "</p>\n");
		add_source(p, note->at, out);
	}
	str_add(out, "</section>\n");
}

/* ---- the fields ------------------------------------------------------------------------------------------ */

static void add_safe(const struct audit *a, struct str *out)
{
	str_add(out, "<figure><figcaption>Fields that are safe</figcaption>"
		     "<table "
		     "class=\"steps\"><thead><tr><th>field</th><th>why</th></tr></thead><tbody>\n");
	array_each(const struct finding_safe, s, &a->findings.safe) {
		str_add(out, "<tr><td>");
		xml_text(out, program_text(a->program, s->record));
		str_add(out, ".");
		xml_text(out, program_text(a->program, s->field));
		str_add(out, "</td><td>");
		xml_text(out, s->why);
		str_add(out, "</td></tr>\n");
	}
	str_add(out, "</tbody></table></figure>\n");
}

static void add_facts(const struct audit_told *t, struct str *out)
{
	const struct audit_program *p = t->audit->program;
	struct str seconds = {0};

	str_addf(&seconds, "%.2f s", t->seconds);
	page_number("Files", p->units, out);
	page_number("Skipped", t->read->skipped.count, out);
	page_number("Lines", p->lines, out);
	page_number("Functions", p->functions.count, out);
	page_fact("Time", str_text(&seconds), out);
	str_fini(&seconds);
}

void audit_page(const struct cli *cli, const struct audit_told *t, int status, struct str *out)
{
	const struct audit_program *p = t->audit->program;

	page_begin("audit", out);
	page_verdict(status == VERDICT_FOUND ? "found" : "ok", status,
		     cli->audit.folder ? cli->audit.folder : cli->rest[0],
		     status == VERDICT_FOUND
			     ? "Fields that threads may share are used without what protects them."
			     : "Nothing was found.",
		     out);
	add_facts(t, out);
	str_add(out, "</dl></header>\n<main>\n");
	array_each(const struct finding, f, &t->audit->findings.items)
		if (audit_is_told(cli, f))
			add_finding(p, f, out);
	add_safe(t->audit, out);
	str_add(out, "</main>\n");
	page_end(out);
}
