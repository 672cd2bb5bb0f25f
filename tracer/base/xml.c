#include "tracer/base/xml.h"
#include "tracer/base/utf8.h"

#include <stdbool.h>
#include <string.h>

/* A character that XML 1.0 has no way to write, not even as a reference. */
static bool is_barred(const char *p, int length)
{
	unsigned char c = (unsigned char)*p;

	if (length == 1)
		return c == 0x7f || (c < 0x20 && !strchr("\t\n\r", c));
	return length == 3 && (memcmp(p, "\xef\xbf\xbe", 3) == 0 || /* U+FFFE, U+FFFF */
			       memcmp(p, "\xef\xbf\xbf", 3) == 0);
}

static const char *reference(char c, bool in_attribute)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;"; /* "]]>" must not stand in text */
	case '"':
		return "&quot;";
	case '\r':
		return "&#13;"; /* else a reader makes it a newline */
	case '\n':
		return in_attribute ? "&#10;" : NULL;
	case '\t':
		return in_attribute ? "&#9;" : NULL;
	default:
		return NULL;
	}
}

static void add(struct str *out, const char *p, bool in_attribute)
{
	while (*p) {
		int length = utf8_length(p);
		const char *name = reference(*p, in_attribute);

		if (name)
			str_add(out, name);
		else if (length && !is_barred(p, length))
			str_add_bytes(out, p, (size_t)length);
		else
			for (int i = 0; i < (length ? length : 1); i++)
				str_addf(out, "\\x%02x", (unsigned char)p[i]);
		p += length ? length : 1;
	}
}

void xml_text(struct str *out, const char *text)
{
	add(out, text, false);
}

void xml_attribute(struct str *out, const char *name, const char *value)
{
	str_addf(out, " %s=\"", name);
	add(out, value, true);
	str_add(out, "\"");
}
