#include "tracer/cli/report/page.h"

#include "tracer/base/array.h"
#include "tracer/base/text/xml.h"

#include <stdlib.h>
#include <string.h>

static const char page[] = {
#include "tracer/features/report/page/search.html.inc"
	0};
static const char look[] = {
#include "tracer/features/report/page/timeline.css.inc"
#include "tracer/features/report/page/search.css.inc"
	0};

/* Up to the mark, and behind it. */
static const char *add_up_to(const char *at, const char *mark, struct str *out)
{
	const char *end = strstr(at, mark);

	str_add_bytes(out, at, (size_t)(end - at));
	return end + strlen(mark);
}

void page_begin(const char *command, struct str *out)
{
	const char *at = add_up_to(page, "@COMMAND@", out);

	str_add(out, command);
	at = add_up_to(at, "@STYLE@", out);
	str_add(out, look);
	add_up_to(at, "@BODY@", out);
}

void page_end(struct str *out)
{
	str_add(out, strstr(page, "@BODY@") + strlen("@BODY@"));
}

void page_verdict(const char *verdict, int status, const char *command, const char *remark,
		  struct str *out)
{
	str_addf(out, "<header class=\"verdict%s\"><span class=\"verdict-icon\">%s</span>",
		 status ? "" : " good", status ? "!" : "✓");
	str_addf(out, "<div class=\"verdict-body\"><h1>%s <small>exit status %d</small></h1><p>",
		 verdict, status);
	xml_text(out, command);
	str_add(out, "</p><p>");
	xml_text(out, remark);
	str_add(out, "</p></div>\n<dl class=\"facts\">\n");
}

void page_fact(const char *name, const char *value, struct str *out)
{
	str_addf(out, "<div><dt>%s</dt><dd>", name);
	xml_text(out, value);
	str_add(out, "</dd></div>\n");
}

void page_number(const char *name, unsigned long long value, struct str *out)
{
	struct str text = {0};

	str_addf(&text, "%llu", value);
	page_fact(name, str_text(&text), out);
	str_fini(&text);
}

/* ---- links ------------------------------------------------------------------------------------------------- */

/* How one gets from the page's folder to `to`, if both are there. */
static void add_way(const char *path, const char *to, struct str *out)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? base_strndup(path, (size_t)(slash - path) + 1) : base_strdup(".");
	char *from = realpath(dir, NULL), *real = realpath(to, NULL);
	size_t common = 0;

	for (size_t i = 0; from && real && (from[i] == real[i] || (!from[i] && real[i] == '/'));
	     i++) {
		if (!from[i] || from[i] == '/')
			common = i;
		if (!from[i])
			break;
	}
	if (from && real) {
		for (const char *up = from + common; *up; up++)
			if (*up == '/' && up[1])
				str_add(out, "../");
		str_add(out, real + common + 1);
	}
	free(from);
	free(real);
	base_free(dir);
}

void page_link(const char *path, const char *folder, const char *name, struct str *out)
{
	struct str way = {0};

	add_way(path, folder, &way);
	if (way.length) {
		str_addf(&way, "/%s", name);
		str_add(out, "<a");
		xml_attribute(out, "href", str_text(&way));
		str_addf(out, ">%s</a> ", name);
	}
	str_fini(&way);
}
