/* Writes XML and HTML text. */
#include "tracer/base/text/xml.h"
#include "tracer/base/text/foreign.h"

#include <stdbool.h>
#include <string.h>

/* True for U+FFFE and U+FFFF, which XML 1.0 cannot contain, not even as references. */
static bool is_barred(const char *p)
{
	return memcmp(p, "\xef\xbf\xbe", 3) == 0 || memcmp(p, "\xef\xbf\xbf", 3) == 0;
}

static const char *reference(char c, bool in_attribute)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;"; /* text must not contain "]]>" */
	case '"':
		return "&quot;";
	case '\r':
		return "&#13;"; /* otherwise a reader makes it a newline */
	case '\n':
		return in_attribute ? "&#10;" : NULL;
	case '\t':
		return in_attribute ? "&#9;" : NULL;
	default:
		return NULL;
	}
}

static void xml_add(struct str *out, const char *p, bool in_attribute)
{
	bool plain;

	for (size_t n; *p; p += n) {
		const char *name = reference(*p, in_attribute);

		n = foreign_next(p, &plain);
		if (name)
			str_add(out, name);
		else if ((plain && !(n == 3 && is_barred(p))) || *p == '\n' || *p == '\t')
			str_add_bytes(out, p, n);
		else
			for (size_t i = 0; i < n; i++)
				str_addf(out, "\\x%02x", (unsigned char)p[i]);
	}
}

void xml_text(struct str *out, const char *text)
{
	xml_add(out, text, false);
}

void xml_attribute(struct str *out, const char *name, const char *value)
{
	str_addf(out, " %s=\"", name);
	xml_add(out, value, true);
	str_add(out, "\"");
}
