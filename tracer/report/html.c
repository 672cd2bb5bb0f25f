/* Writes a page (.html) without external files: a frame from page/ whose four marks are replaced by
 * the command's name, the style, the record and the script. */
#include "tracer/base/text/foreign.h"
#include "tracer/report/report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char timeline_html[] = {
#include "tracer/report/page/timeline.html.inc"
	0};
static const char timeline_css[] = {
#include "tracer/report/page/timeline.css.inc"
	0};
static const char timeline_js[] = {
#include "tracer/report/page/timeline.js.inc"
	0};
static const char search_html[] = {
#include "tracer/report/page/search.html.inc"
	0};
static const char search_css[] = {
#include "tracer/report/page/search.css.inc"
	0};
static const char search_js[] = {
#include "tracer/report/page/search.js.inc"
	0};

/* Appends the frame up to the mark. Returns what follows the mark. */
static const char *add_until(const char *frame, const char *mark, struct str *out)
{
	const char *at = strstr(frame, mark);

	str_add_bytes(out, frame, (size_t)(at - frame));
	return at + strlen(mark);
}

void report_page(const char *command, const char *json, struct str *out)
{
	const bool is_run = strcmp(command, "run") == 0;
	const char *rest = is_run ? timeline_html : search_html;

	rest = add_until(rest, "@COMMAND@", out);
	str_add(out, command);
	rest = add_until(rest, "@STYLE@", out);
	str_add(out, timeline_css);
	str_add(out, is_run ? "" : search_css);
	rest = add_until(rest, "@DATA@", out);
	foreign_script_json(out, json);
	rest = add_until(rest, "@SCRIPT@", out);
	str_add(out, is_run ? timeline_js : search_js);
	str_add(out, rest);
}

/* ---- links ---------------------------------------------------------------------------------- */

/* Appends the relative path from one folder to another; both are absolute paths. */
static void add_relative(const char *from, const char *to, struct str *out)
{
	size_t common = 0;

	for (size_t i = 0; from[i] == to[i] || (!from[i] && to[i] == '/'); i++) {
		if (!from[i] || from[i] == '/')
			common = i;
		if (!from[i])
			break;
	}
	for (const char *up = from + common; *up; up++)
		if (*up == '/' && up[1])
			str_add(out, "../");
	str_add(out, to + common + (to[common] != '\0'));
}

/* Adds the link if the folder `to` contains the file. */
static void add_link(const char *from, const char *to, const char *name, struct json *j)
{
	struct str file = {0}, link = {0};

	str_addf(&file, "%s/%s", to, name);
	add_relative(from, to, &link);
	str_addf(&link, "%s%s", link.length ? "/" : "", name);
	if (access(str_text(&file), F_OK) == 0)
		json_string(j, NULL, str_text(&link));
	str_fini(&file);
	str_fini(&link);
}

void report_links(const char *page, const char *folder, const char *const *names, struct json *j)
{
	const char *slash = strrchr(page, '/');
	char *dir = slash ? base_strndup(page, (size_t)(slash - page) + 1) : base_strdup(".");
	char *from = realpath(dir, NULL), *to = folder ? realpath(folder, NULL) : NULL;

	json_array(j, "links");
	for (; from && to && *names; names++)
		add_link(from, to, *names, j);
	json_end_array(j);
	free(from);
	free(to);
	base_free(dir);
}
