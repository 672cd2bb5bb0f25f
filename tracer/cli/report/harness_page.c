/* --report FILE.html of harnesses (page.h): operations, how much was searched, and each violation. */
#include "tracer/cli/report/harness_report.h"
#include "tracer/base/text/xml.h"
#include "tracer/cli/report/explore_report.h"
#include "tracer/cli/report/page.h"
#include "tracer/synth/script/gates.h"

/* ---- tables ------------------------------------------------------------------------------------------ */

/* Of the search's style; names of columns end by NULL. */
static void begin_table(const char *title, const char *const *columns, struct str *out)
{
	str_addf(out, "<figure><figcaption>%s</figcaption><table class=\"steps\"><thead><tr>",
		 title);
	for (; *columns; columns++)
		str_addf(out, "<th>%s</th>", *columns);
	str_add(out, "</tr></thead><tbody>\n");
}

static void end_table(struct str *out)
{
	str_add(out, "</tbody></table></figure>\n");
}

static void add_cell(const char *text, struct str *out)
{
	str_add(out, "<td>");
	xml_text(out, text);
	str_add(out, "</td>");
}

static void add_count(unsigned long count, struct str *out)
{
	str_addf(out, "<td>%lu</td>", count);
}

static void add_operations(const struct harness_hunt *h, struct str *out)
{
	static const char *const columns[] = {"operation", "", NULL};

	begin_table("Operations", columns, out);
	array_each(const struct harness_op, op, &h->object.ops) {
		str_add(out, "<tr>");
		add_cell(op->function, out);
		add_cell(op->is_out	  ? op->why
			 : op->is_partial ? "no schema calls it"
			 : op->varies	  ? "gives something else each time"
			 : op->reads	  ? "only reads"
					  : "changes",
			 out);
		str_add(out, "</tr>\n");
	}
	end_table(out);
}

static void add_sizes(const struct harness_hunt *h, struct str *out)
{
	static const char *const columns[] = {"calls", "harnesses", "searched", "left out", NULL};

	begin_table("Harnesses", columns, out);
	array_each(const struct harness_size, s, &h->sizes) {
		if (!s->harnesses)
			continue;
		str_add(out, "<tr>");
		if (s->calls)
			add_count(s->calls, out);
		else
			add_cell("given", out);
		add_count(s->harnesses, out);
		add_count(s->searched, out);
		add_count(s->unusable, out);
		str_add(out, "</tr>\n");
	}
	end_table(out);
}

static void add_outcomes(const struct outcomes *o, struct str *out)
{
	static const char *const columns[] = {"outcome", "times", "atomic", "explained by", NULL};

	begin_table("Outcomes", columns, out);
	array_each(const struct harness_outcome, item, o) {
		str_addf(out, "<tr%s>", item->order ? "" : " class=\"preempts\"");
		add_cell(item->text, out);
		add_count(item->times, out);
		add_cell(item->weakened ? "allowed" : item->order ? "yes" : "NO", out);
		add_cell(item->order ? item->order : "-", out);
		str_add(out, "</tr>\n");
	}
	end_table(out);
}

/* ---- violations --------------------------------------------------------------------------------------- */

static void add_violation(const struct harness_violation *v, const char *path, struct str *out)
{
	static const char *const files[] = {"README.md", "test.c", "outcomes.txt", "gates.lua"};

	str_add(out, "<section class=\"failure\"><h2>");
	xml_text(out, v->headline);
	str_addf(out, "</h2>\n<p>after %.1f s, in %lu schedules of it", v->seconds, v->runs);
	if (v->script) {
		str_add(out, "; gates.lua has forced it in ");
		explore_gates_runs(v->forced, v->asked, v->forced_s, out);
	}
	str_add(out, "</p>\n<p>");
	for (size_t i = 0; v->folder && i < sizeof(files) / sizeof(*files) - !v->script; i++)
		page_link(path, v->folder, files[i], out);
	str_add(out, "</p>\n<pre>");
	xml_text(out, str_text(&v->story));
	str_add(out, "</pre>\n");
	add_outcomes(&v->outcomes, out);
	str_add(out, "</section>\n");
}

/* ---- the page ------------------------------------------------------------------------------------------- */

static void add_facts(const struct harness_hunt *h, struct str *out)
{
	struct str seconds = {0};

	str_addf(&seconds, "%.2f s", h->seconds);
	page_number("Harnesses", h->harnesses, out);
	page_number("Schedules", h->runs, out);
	page_number("Violations", h->violations.count, out);
	page_fact("Strategy", h->explore.strategy, out);
	page_number("Seed", h->explore.seed, out);
	page_fact("Time", str_text(&seconds), out);
	str_fini(&seconds);
}

void harness_page(const struct harness_hunt *h, int status, const char *path, struct str *out)
{
	const struct explore e = {.x = h->x};
	struct str what = {0};

	str_addf(&what, "%s in %s", h->options.type, h->options.library);
	page_begin("harness", out);
	page_verdict(explore_verdict(&e, status), status, str_text(&what),
		     h->violations.count ? "Whole calls cannot give what came."
		     : h->out_of_time	 ? "No violation in the time there was."
		     : h->runs		 ? "No violation: every outcome that came is one of whole "
					   "calls."
					 : "Nothing was searched.",
		     out);
	add_facts(h, out);
	str_add(out, "</dl></header>\n<main>\n<div class=\"figures\">\n");
	add_operations(h, out);
	add_sizes(h, out);
	str_add(out, "</div>\n");
	array_each(const struct harness_violation, v, &h->violations)
		add_violation(v, path, out);
	str_add(out, "</main>\n");
	page_end(out);
	str_fini(&what);
}
