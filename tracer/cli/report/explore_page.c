/*
 * --report FILE.html of a search (page.h); the pictures are SVG, drawn here.
 */
#include "tracer/base/files/path.h"
#include "tracer/base/text/xml.h"
#include "tracer/cli/report/explore_report.h"
#include "tracer/cli/report/page.h"
#include "tracer/sched/schedule/text.h"

#include <string.h>

enum { WIDTH = 560, HEIGHT = 180, LEFT = 64, BOTTOM = 24, TOP = 12, PARTS = 60, STEPS_MOST = 400 };

/* ---- pictures --------------------------------------------------------------------------------------- */

struct dot {
	double x, y;
};
struct curve {
	const char *name, *color;
	ARRAY(struct dot) dots;
};

static void add_dot(struct curve *c, double x, double y)
{
	*array_add(&c->dots) = (struct dot){x, y};
}

static struct dot most_of(const struct curve *curves, size_t count)
{
	struct dot most = {0, 0};

	for (size_t i = 0; i < count; i++)
		array_each(const struct dot, d, &curves[i].dots) {
			most.x = d->x > most.x ? d->x : most.x;
			most.y = d->y > most.y ? d->y : most.y;
		}
	most.x = most.x > 0 ? most.x : 1;
	most.y = most.y > 0 ? most.y : 1;
	return most;
}

static void draw_curve(const struct curve *c, struct dot most, struct str *out)
{
	str_addf(out, "<polyline class=\"curve\" style=\"stroke:var(%s)\" points=\"", c->color);
	array_each(const struct dot, d, &c->dots)
		str_addf(out, "%.1f,%.1f ", LEFT + d->x / most.x * (WIDTH - LEFT - 8),
			 TOP + (1 - d->y / most.y) * (HEIGHT - TOP - BOTTOM));
	str_add(out, "\"/>");
}

static void draw_axes(struct dot most, struct str *out)
{
	for (int i = 0; i <= 2; i++) {
		double y = TOP + (HEIGHT - TOP - BOTTOM) * (2 - i) / 2.0,
		       x = LEFT + (WIDTH - LEFT - 8) * i / 2.0;

		str_addf(out, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
			 LEFT, WIDTH - 8, y, y);
		str_addf(out, "<text class=\"tick end\" x=\"%d\" y=\"%.1f\">%.4g</text>", LEFT - 6,
			 y + 4, most.y * i / 2);
		str_addf(out, "<text class=\"tick %s\" x=\"%.1f\" y=\"%d\">%.3g s</text>",
			 i == 2 ? "end" : "middle", x, HEIGHT - 6, most.x * i / 2);
	}
}

static void explore_page_draw(const char *title, const struct curve *curves, size_t count,
			      struct str *out)
{
	struct dot most = most_of(curves, count);

	str_addf(out, "<figure><figcaption>%s", title);
	for (size_t i = 0; i < count && count > 1; i++)
		str_addf(out, " <span style=\"color:var(%s)\">%s</span>", curves[i].color,
			 curves[i].name);
	str_addf(out, "</figcaption><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">",
		 WIDTH, HEIGHT, title);
	draw_axes(most, out);
	for (size_t i = 0; i < count; i++)
		draw_curve(&curves[i], most, out);
	str_add(out, "</svg></figure>\n");
}

static void draw_all(const struct explore *e, struct str *out)
{
	struct curve rate = {.name = "rate", .color = "--gate-0"};
	struct curve counts[] = {{.name = "schedules", .color = "--gate-1"},
				 {.name = "distinct", .color = "--gate-2"}};
	struct explore_sample before = {0};
	double part = e->seconds / PARTS;

	add_dot(&counts[0], 0, 0);
	add_dot(&counts[1], 0, 0);
	array_each(const struct explore_sample, s, &e->samples) {
		add_dot(&counts[0], s->seconds, (double)s->runs);
		add_dot(&counts[1], s->seconds, (double)s->distinct);
		if (s->seconds - before.seconds < part || s->seconds <= before.seconds)
			continue;
		add_dot(&rate, s->seconds,
			(double)(s->runs - before.runs) / (s->seconds - before.seconds));
		before = *s;
	}
	add_dot(&counts[0], e->seconds, (double)e->runs);
	add_dot(&counts[1], e->seconds, (double)e->distinct);
	explore_page_draw("Schedules over time", counts, 2, out);
	explore_page_draw("Schedules per second", &rate, 1, out);
	array_fini(&rate.dots);
	array_fini(&counts[0].dots);
	array_fini(&counts[1].dots);
}

/* ---- failures ------------------------------------------------------------------------------------------- */

static void add_head(const struct schedule *s, struct str *out)
{
	str_add(out, "<table class=\"steps\"><thead><tr><th>step</th>");
	array_each(char *const, id, &s->threads) {
		str_add(out, "<th>");
		xml_text(out, *id);
		str_add(out, "</th>");
	}
	str_add(out, "</tr></thead><tbody>\n");
}

static void explore_page_add_step(const struct schedule *s, size_t i, struct str *out)
{
	const struct schedule_step *step = &s->steps.items[i];
	const struct schedule_where *w = &step->where;

	str_addf(out, "<tr%s><td>%zu</td>", step->preempts ? " class=\"preempts\"" : "", i + 1);
	for (size_t k = 0; k < s->threads.count; k++) {
		str_add(out, "<td>");
		if (k == step->thread) {
			str_add(out, schedule_op(step->point.op));
			if (w->file) {
				str_add(out, " <code>");
				xml_text(out, path_shown(w->file));
				str_addf(out, ":%u</code> ", w->line);
			}
			xml_text(out, w->var ? w->var : w->call ? w->call : "");
		}
		str_add(out, "</td>");
	}
	str_add(out, "</tr>\n");
}

static void add_steps(const struct schedule *s, struct str *out)
{
	size_t first = s->steps.count > STEPS_MOST ? s->steps.count - STEPS_MOST : 0;

	str_addf(out, "<details><summary>The schedule%s</summary>\n",
		 first ? ", its last steps" : "");
	add_head(s, out);
	for (size_t i = first; i < s->steps.count; i++)
		explore_page_add_step(s, i, out);
	str_add(out, "</tbody></table></details>\n");
}

static void add_files(const struct explore_failure *f, const char *path, struct str *out)
{
	static const char *const files[] = {"report.html", "report.json", "schedule",
					    "gates.lua",   "stdout",	  "stderr"};

	str_add(out, "<p>");
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if ((i != 3 || f->script) && (i == 2 || i == 3 || f->again))
			page_link(path, f->folder, files[i], out);
	str_add(out, "</p>\n");
}

static void add_failure(const struct explore_failure *f, const char *path, struct str *out)
{
	str_add(out, "<section class=\"failure\"><h2>");
	xml_text(out, f->kind);
	str_add(out, " <small>");
	xml_text(out, f->where);
	str_addf(out, "</small></h2>\n<p>first in schedule %lu, by ", f->run);
	xml_text(out, f->strategy);
	str_addf(out, "; in %lu schedules; %u steps, %u preemptions%s</p>\n", f->times, f->steps,
		 f->preemptions,
		 f->again || !f->looked_at ? "" : "; run once more it did not fail like that");
	if (f->folder)
		add_files(f, path, out);
	if (*f->text) {
		str_add(out, "<pre>");
		xml_text(out, f->text);
		str_add(out, "</pre>\n");
	}
	add_steps(&f->schedule, out);
	str_add(out, "</section>\n");
}

/* ---- the page ---------------------------------------------------------------------------------------------- */

static void add_facts(const struct explore *e, struct str *out)
{
	page_number("Schedules", e->runs, out);
	page_number("Distinct", e->distinct, out);
	page_number("Failures", e->failures.count, out);
	page_fact("Strategy", e->options.strategy, out);
	page_number("Seed", e->options.seed, out);
	str_addf(out, "<div><dt>Time</dt><dd>%.2f s</dd></div>\n", e->seconds);
}

static const char *remark(const struct explore *e)
{
	return e->complete && e->fair
		       ? "These are all schedules of the given bound, but for those in which a "
			 "thread "
			 "that yields, or spins, goes on before the others have moved."
	       : e->complete ? "These are all schedules of the given bound."
	       : e->failures.count == 0
		       ? "Nothing failed; there may be schedules that were not tried."
		       : "";
}

static void explore_page_add_command(const struct explore *e, struct str *out)
{
	for (char *const *arg = e->x.options->argv; *arg; arg++)
		str_addf(out, "%s ", *arg);
}

void explore_page(const struct explore *e, int status, const char *path, struct str *out)
{
	struct str command = {0};

	explore_page_add_command(e, &command);
	page_begin("explore", out);
	page_verdict(explore_verdict(e, status), status, str_text(&command), remark(e), out);
	add_facts(e, out);
	str_add(out, "</dl></header>\n<main>\n<div class=\"figures\">\n");
	draw_all(e, out);
	str_add(out, "</div>\n");
	array_each(const struct explore_failure, f, &e->failures)
		add_failure(f, path, out);
	str_add(out, "</main>\n");
	page_end(out);
	str_fini(&command);
}
